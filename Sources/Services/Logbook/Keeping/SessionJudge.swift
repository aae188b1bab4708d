import Contract
import DeliveryProof
import LogbookStores
import Timeline

/// Holds sessions against their manifests, as far as their records have come.
///
/// A session is judged when something of it was stored. One that is not proven is judged again a while
/// later, and then whenever the last hole that could be its own is closed or given up.
struct SessionJudge {
    /// What of a session may still be on its way behind its manifest.
    static let grace = Duration.seconds(60)

    /// Sessions with a manifest that are not proven, and since when.
    private var open: [SessionName: (station: StationID, since: BootInstant)] = [:]

    /// Judges sessions of which something was stored.
    mutating func judge(
        _ sessions: Set<SessionName>, in store: any LogbookStore, at now: BootInstant
    ) throws(StoreFailure) -> [SessionName: SessionState] {
        var states: [SessionName: SessionState] = [:]
        for name in sessions {
            guard let (state, station) = try Self.state(of: name, in: store) else { continue }
            states[name] = state
            let since = open[name]?.since ?? now
            open[name] = state == .missing ? (station: station, since: since) : nil
        }
        return states
    }

    /// Another logbook judges these from now on.
    mutating func leave(_ isLeft: (GatewayID) -> Bool) {
        open = open.filter { !isLeft($0.key.gateway) }
    }

    /// Those of which nothing more can come.
    mutating func giveUp(_ ledger: HoleLedger, at now: BootInstant) -> [SessionName: SessionState] {
        let hopeless = open.filter { name, session in
            session.since.duration(to: now) >= Self.grace
                && !ledger.hasHoles(of: name.gateway, at: session.station)
        }
        for name in hopeless.keys { open[name] = nil }
        return hopeless.mapValues { _ in .gone }
    }

    /// `missing` where records are too few; nil without a manifest.
    private static func state(
        of name: SessionName, in store: any LogbookStore
    ) throws(StoreFailure) -> (SessionState, StationID)? {
        guard let evidence = try store.evidence(of: name) else { return nil }
        return (evidence.state, evidence.claim.station)
    }
}
