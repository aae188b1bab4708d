import Timeline

/// When to ask a monitor for the level of its batteries.
struct BatteryWatch {
    /// Two D cells last for months of use.
    static let interval = Duration.seconds(1800)
    private var next: BootInstant?

    /// Resets the timer: the batteries may have been replaced before the new link.
    mutating func linkOpened() { next = nil }

    /// Whether it is time to ask; if so, starts the next interval.
    mutating func isDue(at now: BootInstant) -> Bool {
        if let next, now < next { return false }
        next = now.advanced(by: Self.interval)
        return true
    }
}
