import Timeline

/// What is known of a rule at one moment. Where it goes over into wrong and where it goes back into
/// right differ, so that a figure about either changes nothing.
package enum AlertVerdict: Equatable, Sendable {
    case wrong
    /// No longer right enough to be resolved, and not wrong enough to fire.
    case between
    case right
    /// Stale, or nobody can tell: nothing goes on, and nothing is resolved.
    case unknown
}

/// One rule of one erg or gateway: from what is known at each moment to firing, and to resolved.
///
/// A moment is given in at every stroke, or every few seconds at least, as the rule says. Nothing here
/// knows of a wall clock, so no step of one can make an alert or end it.
package struct RuleMachine: Equatable, Sendable {
    /// What a moment has brought.
    package enum Edge: Equatable, Sendable {
        case fires(since: BootInstant)
        case resolves
    }

    /// A moment stands for the time since the one before, but for no more than this: nobody knows what
    /// was in between while the process stood still.
    package static let longestMoment = Duration.seconds(4)

    /// A row of moments that lead towards the next edge.
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
    /// The moment before; nil where it was unknown.
    private var known: BootInstant?
    private var resolved: BootInstant?

    /// - Parameter isFiring: whether it goes on with an alert that another process began.
    package init(_ timing: AlertTiming, isFiring: Bool = false) {
        self.timing = timing
        self.isFiring = isFiring
    }

    /// Whether it is broken as far as anybody knows, for long enough or not.
    package var isBroken: Bool { isFiring || run != nil }

    /// How long the present row of moments has lasted that leads to the next edge.
    package var progress: Duration { run?.time ?? .zero }

    /// Takes in a moment.
    ///
    /// - Parameter mayFire: false while there have been too many alerts: it waits, ready to fire.
    package mutating func take(
        _ verdict: AlertVerdict, at now: BootInstant, mayFire: Bool = true
    ) -> Edge? {
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

    private mutating func fire(_ run: Run, at now: BootInstant, mayFire: Bool) -> Edge? {
        let isPausing = resolved.map { $0.duration(to: now) < timing.pause } ?? false
        guard mayFire, !isPausing, run.reaches(timing.hold) else { return nil }
        isFiring = true
        self.run = nil
        return .fires(since: run.since)
    }

    private mutating func resolve(_ run: Run, at now: BootInstant) -> Edge? {
        guard run.reaches(timing.keep) else { return nil }
        end(at: now)
        return .resolves
    }

    /// What it was about is over, right or not.
    package mutating func end(at now: BootInstant) {
        if isFiring { resolved = now }
        isFiring = false
        run = nil
    }
}
