import Contract
import DeliveryProof
import LogbookStores
import Timeline

/// Verifies sessions against their manifests.
///
/// A session is verified whenever some of its records were stored. A session whose records stay incomplete is
/// `gone` after a grace time, as soon as no gap remains that could contain its records.
struct SessionVerifier {
    /// The time after a manifest in which records of the session may still arrive.
    static let graceTime = Duration.seconds(60)

    /// The incomplete sessions with a manifest, and the time at which each was first verified.
    private var incomplete: [SessionName: (station: StationID, since: BootInstant)] = [:]

    /// Returns the states of sessions for which records were stored.
    mutating func verify(
        _ sessions: Set<SessionName>, in store: any LogbookStore, at now: BootInstant
    ) throws(StoreFailure) -> [SessionName: SessionState] {
        var states: [SessionName: SessionState] = [:]
        for name in sessions {
            guard let (state, station) = try Self.state(of: name, in: store) else { continue }
            states[name] = state
            let since = incomplete[name]?.since ?? now
            incomplete[name] = state == .missing ? (station: station, since: since) : nil
        }
        return states
    }

    /// Drops sessions that another logbook verifies from now on.
    mutating func release(_ isReleased: (GatewayID) -> Bool) {
        incomplete = incomplete.filter { !isReleased($0.key.gateway) }
    }

    /// Returns `gone` for the incomplete sessions that can receive no more records.
    mutating func closeIncomplete(
        _ gapTracker: RecordGapTracker, at now: BootInstant
    ) -> [SessionName: SessionState] {
        let closed = incomplete.filter { name, session in
            session.since.duration(to: now) >= Self.graceTime
                && !gapTracker.hasGaps(of: name.gateway, at: session.station)
        }
        for name in closed.keys { incomplete[name] = nil }
        return closed.mapValues { _ in .gone }
    }

    /// Returns the state and the station; `missing` if records are missing, nil without a manifest.
    private static func state(
        of name: SessionName, in store: any LogbookStore
    ) throws(StoreFailure) -> (SessionState, StationID)? {
        guard let evidence = try store.evidence(of: name) else { return nil }
        return (evidence.state, evidence.claim.station)
    }
}
