import Timeline

/// When the devices last advertised, and how strong the signals of the monitors were.
struct SightingTracker: Sendable {
    /// How long a connect is useful after the last advertisement or the end of a link: as long as BlueZ
    /// keeps the device object after a scan (TemporaryTimeout, 30 s).
    static let lifetime = Duration.seconds(30)

    /// By path of the device.
    private(set) var lastSeen: [String: BootInstant] = [:]
    /// Devices that have not advertised since their link ended, by path: they may be off.
    private var unseenSinceLink: Set<String> = []
    /// The last signal strength of each monitor in dBm, by serial number.
    private var signals: [String: Int] = [:]

    /// Records an advertisement.
    ///
    /// - Parameter serial: nil for a device that is not a monitor.
    mutating func note(_ path: String, of serial: String?, signal: Int, at now: BootInstant) {
        lastSeen[path] = now
        unseenSinceLink.remove(path)
        if let serial { signals[serial] = signal }
    }

    /// A monitor whose link just ended may be connected without a scan.
    mutating func noteStreamEnd(_ path: String, at now: BootInstant) {
        lastSeen[path] = now
        unseenSinceLink.insert(path)
    }

    /// After an unanswered connect the monitor must advertise first.
    mutating func forget(_ path: String) { lastSeen[path] = nil }

    /// Forgets devices that no longer exist.
    mutating func retain(_ exists: (String) -> Bool) {
        lastSeen = lastSeen.filter { exists($0.key) }
        unseenSinceLink.formIntersection(lastSeen.keys)
    }

    /// bluetoothd is gone, and its device objects with it.
    mutating func loseService() { lastSeen = [:] }

    func wasSeenRecently(_ path: String, at now: BootInstant) -> Bool {
        guard let instant = lastSeen[path] else { return false }
        return instant.duration(to: now) <= Self.lifetime
    }

    func isUnseenSinceLink(_ path: String) -> Bool { unseenSinceLink.contains(path) }

    /// The last signal strength of a monitor in dBm.
    func signal(of serial: String) -> Int? { signals[serial] }
}
