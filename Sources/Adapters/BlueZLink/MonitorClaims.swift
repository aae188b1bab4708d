import Timeline

/// Tracks the monitors in range of a room without a list, and decides when it may claim one.
///
/// A connected PM5 does not advertise, so no gateway can take it from another one. But two gateways
/// in range may race for a monitor that was switched on, and alternate if its link drops. Therefore
/// the nearer one gets a head start, and a gateway that repeatedly loses a monitor leaves it alone
/// for a while. Signals are in dBm.
struct MonitorClaims: Sendable {
    enum Limit {
        /// A stronger monitor is certainly in this room.
        static let nearSignal = -55
        /// Delay per decibel below that. Next door (20 dB for a wall and some metres) is 10 s late,
        /// long enough to connect eight monitors one after the other.
        static let headStart = Duration.milliseconds(500)
        /// A monitor that did not advertise for this long was absent. bluetoothd reports an unchanged
        /// signal once per scan, and a scan with its pause takes up to 15 s.
        static let absenceLimit = Duration.seconds(20)
        /// A monitor that advertised this recently is free. Only such a monitor is claimed: a pending
        /// Connect to an absent monitor would win over every gateway that has to scan first.
        static let recentSighting = Duration.seconds(2)
        /// If no other gateway took the monitor, a dropped link is back within this time.
        static let ownReconnectLimit = Duration.seconds(5)
        /// Losses that make a monitor contested, and the time in which they count.
        static let takeoversUntilContested = 3
        static let takeoverWindow = Duration.seconds(900)
        static let shortestRest = Duration.seconds(30)
        static let longestRest = Duration.seconds(600)
        /// After this absence the claim may pass to a monitor that is stronger by `replacementMargin`.
        static let replaceableAfter = Duration.seconds(600)
        static let replacementMargin = 6
        /// After this absence the claim may pass to any other monitor.
        static let freelyReplaceableAfter = Duration.seconds(12 * 3600)
    }

    private struct Sighting: Sendable {
        var since: BootInstant
        var last: BootInstant
        var signal: Int
    }

    /// By serial number, like `lostAt` and `takeovers`.
    private var sightings: [String: Sighting] = [:]
    private var lostAt: [String: BootInstant] = [:]
    private var takeovers: [String: [BootInstant]] = [:]
    private let weakestSignal: Int

    /// - Parameter weakestSignal: weaker monitors are not claimed.
    init(weakestSignal: Int) { self.weakestSignal = weakestSignal }

    // MARK: - Events

    mutating func noteSighting(_ serial: String, signal: Int, at now: BootInstant) {
        var sighting = sightings[serial] ?? Sighting(since: now, last: now, signal: signal)
        if sighting.last.duration(to: now) > Limit.absenceLimit { sighting.since = now }
        sighting.last = now
        sighting.signal = signal
        sightings[serial] = sighting
        noteReturn(serial, at: now)
    }

    /// A monitor not taken by another gateway becomes available at once, or when its next attempt is allowed.
    private mutating func noteReturn(_ serial: String, at now: BootInstant) {
        guard let lostAt = lostAt[serial] else { return }
        let end = contestEnd(serial)
        if let end, now < end { return }
        self.lostAt[serial] = nil
        guard (end ?? lostAt).duration(to: now) > Limit.ownReconnectLimit else { return }
        let recent = (takeovers[serial] ?? []).filter {
            $0.duration(to: now) < Limit.takeoverWindow
        }
        takeovers[serial] = recent + [now]
    }

    /// Records that the link ended, and not by us.
    mutating func noteLost(_ serial: String, at now: BootInstant) {
        lostAt[serial] = now
        sightings[serial]?.last = now
    }

    /// Records that the link exists.
    mutating func noteLinked(_ serial: String, at now: BootInstant) {
        noteReturn(serial, at: now)
        sightings[serial]?.last = now
    }

    /// Drops outdated entries of monitors that do not belong to this room.
    mutating func dropOutdated(except claimed: some Sequence<String>, at now: BootInstant) {
        let claimed = Set(claimed)
        sightings = sightings.filter {
            claimed.contains($0.key) || $0.value.last.duration(to: now) <= Limit.absenceLimit
        }
        lostAt = lostAt.filter { claimed.contains($0.key) }
        takeovers = takeovers.filter {
            guard let last = $0.value.last else { return false }
            return last.duration(to: now) < Limit.takeoverWindow
        }
    }

    // MARK: - Decisions

    /// Whether a monitor may be claimed: strong enough, free at the moment, and not taken by a
    /// nearer gateway during that gateway's head start.
    func mayClaim(_ serial: String, at now: BootInstant) -> Bool {
        guard let sighting = sightings[serial], sighting.signal >= weakestSignal,
            sighting.last.duration(to: now) <= Limit.recentSighting
        else { return false }
        let headStart = Limit.headStart * max(0, Limit.nearSignal - sighting.signal)
        return sighting.since.duration(to: sighting.last) >= headStart
    }

    /// Until when a contested monitor is left alone after it was lost; nil for any other.
    func contestEnd(_ serial: String) -> BootInstant? {
        guard let lostAt = lostAt[serial], let takeovers = takeovers[serial],
            takeovers.count >= Limit.takeoversUntilContested
        else { return nil }
        let rests = ExponentialBackoff(Limit.shortestRest...Limit.longestRest)
        return lostAt.advanced(by: rests.delay(after: takeovers.count - Limit.takeoversUntilContested))
    }

    /// How long a monitor has been away, as far as known.
    func absence(of serial: String, at now: BootInstant) -> Duration {
        sightings[serial].map { $0.last.duration(to: now) } ?? .zero
    }

    /// Whether the claim on `absent` may pass to `candidate`, which is in range.
    func mayReplace(_ absent: String, with candidate: String, at now: BootInstant) -> Bool {
        guard let old = sightings[absent], let new = sightings[candidate] else { return false }
        let absence = old.last.duration(to: now)
        return absence >= Limit.freelyReplaceableAfter
            || absence >= Limit.replaceableAfter && new.signal >= old.signal + Limit.replacementMargin
    }
}
