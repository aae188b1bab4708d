import Timeline

/// When a monitor is asked for the level of its batteries.
struct BatteryWatch {
    /// Two D cells last for months of use.
    static let interval = Duration.seconds(1800)
    private var next: BootInstant?

    /// Another link: its monitor may have got new batteries meanwhile.
    mutating func linkOpened() { next = nil }

    /// Whether it is time to ask; then it is not for a while.
    mutating func isDue(at now: BootInstant) -> Bool {
        if let next, now < next { return false }
        next = now.advanced(by: Self.interval)
        return true
    }
}
