import Rowing
import Timeline

/// The monitors that the room leaves alone: released and unused monitors.
struct MonitorReleases: Sendable {
    private let rule: IdleRelease?
    /// By serial number.
    private var releases: [String: MonitorRelease] = [:]
    /// Released monitors that were not used, by serial number.
    private var sleepingMonitors: [String: SleepingMonitor] = [:]

    /// - Parameter rule: when unused monitors are released; nil for never.
    init(_ rule: IdleRelease?) { self.rule = rule }

    // MARK: - Releases

    subscript(serial: String) -> MonitorRelease? { releases[serial] }

    /// The releases in order of the serial numbers.
    var active: [(serial: String, release: MonitorRelease)] {
        releases.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// When releases end.
    var deadlines: [BootInstant] { releases.values.compactMap(\.until) }

    /// Whether the monitor is neither released nor asleep.
    func isWanted(_ serial: String) -> Bool {
        releases[serial] == nil && sleepingMonitors[serial] == nil
    }

    /// Starts a release, or replaces it; false if there is an equal one.
    mutating func start(_ release: MonitorRelease, of serial: String) -> Bool {
        guard releases[serial] != release else { return false }
        releases[serial] = release
        return true
    }

    /// Ends a release, and wakes a sleeping monitor; false if it was not released.
    mutating func end(_ serial: String) -> Bool {
        sleepingMonitors[serial]?.isAwake = true
        return releases.removeValue(forKey: serial) != nil
    }

    // MARK: - Sleep

    /// The monitors that were not used, in order of their serial numbers, and whether they are wanted again.
    var sleepers: [(serial: String, isAwake: Bool)] {
        sleepingMonitors.sorted { $0.key < $1.key }.map { ($0.key, $0.value.isAwake) }
    }

    /// Whether a monitor was released and has not been silent since: until then it is left alone.
    func isAsleep(_ serial: String) -> Bool { sleepingMonitors[serial]?.isAwake == false }

    /// Whether it was released because it was not used, and has no link since.
    func isSleeper(_ serial: String) -> Bool { sleepingMonitors[serial] != nil }

    mutating func startSleep(of serial: String, at now: BootInstant) {
        guard let rule else { return }
        sleepingMonitors[serial] = SleepingMonitor(holdEnd: now.advanced(by: rule.hold), at: now)
    }

    mutating func endSleep(of serial: String) { sleepingMonitors[serial] = nil }

    mutating func noteSighting(_ serial: String, at now: BootInstant) {
        sleepingMonitors[serial]?.noteSighting(at: now)
    }

    /// Records the end of a scan that began at `start`.
    mutating func noteScan(since start: BootInstant, at now: BootInstant) {
        for serial in sleepingMonitors.keys { sleepingMonitors[serial]?.noteScan(since: start, at: now) }
    }
}

/// A monitor that was released because it was not used.
///
/// A PM5 without a link advertises until it switches itself off, four minutes after its last use;
/// if it is connected in that time, it stays on. So the room leaves it alone while it advertises,
/// and connects again when it advertises after a silence: then it was off, or connected to a phone,
/// and is available again.
struct SleepingMonitor: Equatable, Sendable {
    enum Limit {
        /// Minimum duration of a scan that shows that a monitor is silent. A scan finds all
        /// monitors of a room within a second, the weakest within a few.
        static let wholeScan = Duration.seconds(5)
        /// Scans in a row that did not find it; a single one may have missed it.
        static let silentScans = 2
    }

    /// From then on it is connected again even if it was never silent.
    let holdEnd: BootInstant
    /// Whether it is wanted again. It counts as asleep until its link exists, because it may fall
    /// asleep again before.
    var isAwake = false
    private var lastSeen: BootInstant
    private var silentScans = 0

    init(holdEnd: BootInstant, at now: BootInstant) {
        self.holdEnd = holdEnd
        lastSeen = now
    }

    mutating func noteSighting(at now: BootInstant) {
        if silentScans >= Limit.silentScans || now >= holdEnd { isAwake = true }
        silentScans = 0
        lastSeen = now
    }

    /// Records the end of a scan that began at `start`.
    mutating func noteScan(since start: BootInstant, at now: BootInstant) {
        guard start.duration(to: now) >= Limit.wholeScan, lastSeen < start else { return }
        silentScans += 1
    }
}
