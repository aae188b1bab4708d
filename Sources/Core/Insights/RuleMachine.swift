import Timeline

/// One rule of one erg or gateway: turns the state at each moment into the start and the end of an
/// alert.
///
/// It is evaluated at every stroke, or at least every few seconds. It uses no wall clock, so a
/// clock step can neither start nor end an alert.
package struct RuleMachine: Equatable, Sendable {
    /// The result of a moment.
    package enum Transition: Equatable, Sendable {
        case fires(since: BootInstant)
        case resolves
    }

    /// A moment represents the time since the last one, but at most this long: the time
    /// while the process was stopped does not count.
    package static let longestMoment = Duration.seconds(4)

    /// Consecutive moments in which the condition for raising or clearing the alert holds.
    private struct Run: Equatable, Sendable {
        var since: BootInstant
        var strokes = 1
        var time = Duration.zero

        func reaches(_ span: AlertTiming.Span) -> Bool {
            switch span {
            case .time(let least): time >= least
            case .strokes(let least): strokes >= least
            }
        }
    }

    private let timing: AlertTiming
    package private(set) var isFiring: Bool
    private var run: Run?
    /// The last moment; nil if its state was unknown.
    private var known: BootInstant?
    private var resolved: BootInstant?

    /// - Parameter isFiring: whether it continues an alert of another process.
    package init(_ timing: AlertTiming, isFiring: Bool = false) {
        self.timing = timing
        self.isFiring = isFiring
    }

    /// Whether it is broken as far as known, long enough or not.
    package var isBroken: Bool { isFiring || run != nil }

    /// How long the condition for raising or clearing the alert has held without interruption.
    package var progress: Duration { run?.time ?? .zero }

    /// Evaluates a moment.
    ///
    /// - Parameter mayFire: false if there were too many alerts: it waits, ready to start.
    package mutating func evaluate(
        _ verdict: AlertVerdict, at now: BootInstant, mayFire: Bool = true
    ) -> Transition? {
        let before = known
        known = verdict == .unknown ? nil : now
        guard verdict != .unknown else { return nil }
        guard verdict == (isFiring ? .right : .wrong) else {
            run = nil
            return nil
        }
        var run = run ?? Run(since: now, strokes: 0)
        run.strokes += 1
        if run.strokes > 1, let before {
            run.time += min(before.duration(to: now), Self.longestMoment)
        }
        self.run = run
        return isFiring ? resolve(run, at: now) : fire(run, at: now, mayFire: mayFire)
    }

    private mutating func fire(_ run: Run, at now: BootInstant, mayFire: Bool) -> Transition? {
        let isPausing = resolved.map { $0.duration(to: now) < timing.pause } ?? false
        guard mayFire, !isPausing, run.reaches(timing.raiseAfter) else { return nil }
        isFiring = true
        self.run = nil
        return .fires(since: run.since)
    }

    private mutating func resolve(_ run: Run, at now: BootInstant) -> Transition? {
        guard run.reaches(timing.resolveAfter) else { return nil }
        end(at: now)
        return .resolves
    }

    /// Resets the rule: its subject has ended.
    package mutating func end(at now: BootInstant) {
        if isFiring { resolved = now }
        isFiring = false
        run = nil
    }
}
