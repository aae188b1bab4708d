import Timeline

/// What a room without a list knows of the monitors in range, and when it may claim one.
///
/// A connected PM5 does not advertise, so no gateway can take it from another one. But two gateways
/// in range may race for a monitor that was switched on, and alternate if its link drops. Therefore
/// the nearer one gets a head start, and a gateway that repeatedly loses a monitor leaves it alone
/// for a while. Signals are in dBm.
struct SeatClaims: Sendable {
    enum Limit {
        /// A stronger monitor is certainly in this room.
        static let near = -55
        /// Delay per decibel below that. Next door (20 dB for a wall and some metres) is 10 s late,
        /// long enough to connect eight monitors one after the other.
        static let headStart = Duration.milliseconds(500)
        /// A monitor that was not heard for this long was away. bluetoothd reports an unchanged
        /// signal once per scan, and a scan with its pause takes up to 15 s.
        static let memory = Duration.seconds(20)
        /// A monitor that was heard this recently is free. Only such a monitor is claimed: a
        /// Connect that waits for a monitor to appear would beat every gateway that has to scan
        /// first.
        static let fresh = Duration.seconds(2)
        /// If no other gateway took the monitor, a dropped link is back within this time.
        static let merelyDropped = Duration.seconds(5)
        /// Losses that make a monitor contested, and the time in which they count.
        static let takings = 3
        static let takingsCount = Duration.seconds(900)
        static let shortestRest = Duration.seconds(30)
        static let longestRest = Duration.seconds(600)
        /// After this absence the claim may pass to a monitor that is stronger by `muchStronger`.
        static let away = Duration.seconds(600)
        static let muchStronger = 6
        /// After this absence the claim may pass to any other monitor.
        static let gone = Duration.seconds(12 * 3600)
    }

    private struct Sighting: Sendable {
        var since: BootInstant
        var last: BootInstant
        var signal: Int
    }

    /// By serial number, as everything here.
    private var sightings: [String: Sighting] = [:]
    private var lost: [String: BootInstant] = [:]
    private var takings: [String: [BootInstant]] = [:]
    private let floor: Int

    /// - Parameter floor: weaker monitors are not claimed.
    init(floor: Int) { self.floor = floor }

    // MARK: - Events

    mutating func noteHeard(_ serial: String, signal: Int, at now: BootInstant) {
        var sighting = sightings[serial] ?? Sighting(since: now, last: now, signal: signal)
        if sighting.last.duration(to: now) > Limit.memory { sighting.since = now }
        sighting.last = now
        sighting.signal = signal
        sightings[serial] = sighting
        noteReturn(serial, at: now)
    }

    /// A monitor that no other gateway took is back at once, or as soon as it may be tried again.
    private mutating func noteReturn(_ serial: String, at now: BootInstant) {
        guard let left = lost[serial] else { return }
        let end = restEnd(serial)
        if let end, now < end { return }
        lost[serial] = nil
        guard (end ?? left).duration(to: now) > Limit.merelyDropped else { return }
        let recent = (takings[serial] ?? []).filter {
            $0.duration(to: now) < Limit.takingsCount
        }
        takings[serial] = recent + [now]
    }

    /// Records that the link ended, and not by us.
    mutating func noteLost(_ serial: String, at now: BootInstant) {
        lost[serial] = now
        sightings[serial]?.last = now
    }

    /// Records that the link exists.
    mutating func noteHeld(_ serial: String, at now: BootInstant) {
        noteReturn(serial, at: now)
        sightings[serial]?.last = now
    }

    /// Drops outdated entries of monitors that do not belong to this room.
    mutating func forget(except claimed: some Sequence<String>, at now: BootInstant) {
        let claimed = Set(claimed)
        sightings = sightings.filter {
            claimed.contains($0.key) || $0.value.last.duration(to: now) <= Limit.memory
        }
        lost = lost.filter { claimed.contains($0.key) }
        takings = takings.filter {
            guard let last = $0.value.last else { return false }
            return last.duration(to: now) < Limit.takingsCount
        }
    }

    // MARK: - Decisions

    /// Whether a monitor may be claimed: strong enough, free at the moment, and not taken by a
    /// nearer gateway during that gateway's head start.
    func mayClaim(_ serial: String, at now: BootInstant) -> Bool {
        guard let sighting = sightings[serial], sighting.signal >= floor,
            sighting.last.duration(to: now) <= Limit.fresh
        else { return false }
        let headStart = Limit.headStart * max(0, Limit.near - sighting.signal)
        return sighting.since.duration(to: sighting.last) >= headStart
    }

    /// Until when a contested monitor is left alone after it was lost; nil for any other.
    func restEnd(_ serial: String) -> BootInstant? {
        guard let lost = lost[serial], let takings = takings[serial],
            takings.count >= Limit.takings
        else { return nil }
        let doublings = min(takings.count - Limit.takings, 10)
        return lost.advanced(by: min(Limit.longestRest, Limit.shortestRest * (1 << doublings)))
    }

    /// How long a monitor has been away, as far as known.
    func absence(of serial: String, at now: BootInstant) -> Duration {
        sightings[serial].map { $0.last.duration(to: now) } ?? .zero
    }

    /// Whether the claim on `absent` may pass to `candidate`, which is in range.
    func mayReplace(_ absent: String, with candidate: String, at now: BootInstant) -> Bool {
        guard let old = sightings[absent], let new = sightings[candidate] else { return false }
        let absence = old.last.duration(to: now)
        return absence >= Limit.gone
            || absence >= Limit.away && new.signal >= old.signal + Limit.muchStronger
    }
}
