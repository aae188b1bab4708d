import Timeline

/// How often something may be done: a number of times at once, and once more after each pause.
struct Allowance: Sendable {
    private let burst: Int
    private let pause: Duration
    /// When all that was taken is given back.
    private var whole: BootInstant?

    init(burst: Int, pause: Duration) {
        self.burst = burst
        self.pause = pause
    }

    /// How long until it may be done again; nil when it may be done now.
    func wait(at now: BootInstant) -> Duration? {
        guard let whole else { return nil }
        let wait = now.duration(to: whole) - pause * (burst - 1)
        return wait > .zero ? wait : nil
    }

    /// It is done.
    mutating func take(at now: BootInstant) {
        whole = max(whole ?? now, now).advanced(by: pause)
    }

    /// Whether nothing of it is taken.
    func isWhole(at now: BootInstant) -> Bool { whole.map { $0 <= now } ?? true }
}
