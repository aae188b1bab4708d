import Timeline

/// What is left out while the machine is too slow for the room: a ladder, one step at a time.
///
/// Strokes, splits, results and their summaries are never left out. A step is taken after some
/// looks in a row that found something at its limit, and taken back after a long calm; between the
/// limits for either, and for a while after a step, everything stays as it is. So a machine that
/// is just about fast enough does not go up and down.
struct LoadSteps: Equatable, Sendable {
    enum Step: Int, CaseIterable, Comparable, Sendable {
        case everything
        case liveEachSecond
        case liveEachTwoSeconds
        /// As the step before; monitors send their status once a second too.
        case slowStatus
        /// As the step before; values are not kept for replays either.
        case noRaw

        static func < (left: Step, right: Step) -> Bool { left.rawValue < right.rawValue }
    }

    /// What keeps the machine from keeping up.
    enum Cause: CaseIterable, Sendable { case waiting, processor, disk }

    /// What a look found; nil for what is not known.
    struct Figures: Equatable, Sendable {
        /// The longest that an erg's queue let somebody wait for a turn.
        var queueDelay: Duration?
        /// Of the processors that this program may use, how much it does use.
        var processorPercent: Int?
        /// The last commit, or the one that is under way.
        var commit: Duration?
    }

    /// A cause is there from its first limit on, and gone from its second limit down.
    enum Limit {
        static let queueDelay = (high: Duration.milliseconds(200), low: Duration.milliseconds(50))
        static let processorPercent = (high: 90, low: 60)
        /// Nobody waits for the disk, so a card that stalls for a second or two is none.
        static let commit = (high: Duration.seconds(5), low: Duration.seconds(1))
        /// How long a cause must be there before the next step is taken.
        static let patience = Duration.seconds(6)
        /// How long no cause may be there before a step is taken back; twice as long each time that it
        /// was taken back in vain.
        static let calm = Duration.seconds(20)
        static let longestCalm = Duration.seconds(640)
        /// How long a step stays, whatever happens.
        static let rest = Duration.seconds(12)
    }

    private(set) var step = Step.everything
    /// Why; empty at `everything`.
    private(set) var causes: [Cause] = []
    private var changed: BootInstant?
    /// How long no cause may be there now before a step is taken back.
    private var calm = Limit.calm
    /// When a step was taken back, and none was taken since.
    private var relaxed: BootInstant?
    /// Since when each look has found a cause.
    private var highSince: BootInstant?
    /// Since when no look has found more than the lower limits.
    private var lowSince: BootInstant?

    /// Takes what a look found; true when the step is another one now.
    mutating func take(_ figures: Figures, at now: BootInstant) -> Bool {
        let high = Cause.allCases.filter { figures.isHigh($0) }
        let isLow = Cause.allCases.allSatisfy { figures.isLow($0) }
        highSince = high.isEmpty ? nil : highSince ?? now
        lowSince = isLow ? lowSince ?? now : nil
        if step != .everything, !high.isEmpty { causes = high }
        if let changed, changed.duration(to: now) < Limit.rest { return false }
        if let highSince, highSince.duration(to: now) >= Limit.patience {
            return move(to: step.rawValue + 1, because: high, at: now)
        }
        if let lowSince, lowSince.duration(to: now) >= calm {
            return move(to: step.rawValue - 1, because: causes, at: now)
        }
        return false
    }

    private mutating func move(to number: Int, because: [Cause], at now: BootInstant) -> Bool {
        guard let next = Step(rawValue: number) else { return false }
        if next < step {
            relaxed = now
        } else if let relaxed {
            // What was taken up again was too much: a machine that only just keeps up stays so.
            let isInVain = relaxed.duration(to: now) < calm * 2
            calm = isInVain ? min(calm * 2, Limit.longestCalm) : Limit.calm
            self.relaxed = nil
        }
        step = next
        causes = next == .everything ? [] : because
        (changed, highSince, lowSince) = (now, nil, nil)
        return true
    }
}

extension LoadSteps.Figures {
    fileprivate func isHigh(_ cause: LoadSteps.Cause) -> Bool {
        typealias Limit = LoadSteps.Limit
        return switch cause {
        case .waiting: queueDelay.map { $0 >= Limit.queueDelay.high } ?? false
        case .processor: processorPercent.map { $0 >= Limit.processorPercent.high } ?? false
        case .disk: commit.map { $0 >= Limit.commit.high } ?? false
        }
    }

    fileprivate func isLow(_ cause: LoadSteps.Cause) -> Bool {
        typealias Limit = LoadSteps.Limit
        return switch cause {
        case .waiting: queueDelay.map { $0 <= Limit.queueDelay.low } ?? true
        case .processor: processorPercent.map { $0 <= Limit.processorPercent.low } ?? true
        case .disk: commit.map { $0 <= Limit.commit.low } ?? true
        }
    }
}

extension LoadSteps {
    /// For a coach; nil while nothing is left out.
    var complaint: String? {
        guard step != .everything else { return nil }
        return "rowgate cannot keep up: \(causeWords); so \(step.words), and strokes, splits and "
            + "results stay complete"
    }

    var causeWords: String { causes.map(\.words).joined(separator: ", ") }
}

extension LoadSteps.Cause {
    var words: String {
        switch self {
        case .waiting: "its parts wait for their turn"
        case .processor: "the processor is busy"
        case .disk: "the disk is slow"
        }
    }
}

extension LoadSteps.Step {
    /// What is left out.
    var words: String {
        switch self {
        case .everything: "nothing is left out"
        case .liveEachSecond: "live values come once a second"
        case .liveEachTwoSeconds: "live values come every two seconds"
        case .slowStatus:
            "live values come every two seconds and monitors send theirs once a second"
        case .noRaw:
            "live values come every two seconds, monitors send theirs once a second and nothing is "
                + "kept for rowgatectl normalize"
        }
    }

    /// Between live messages at least, where they come every `interval` otherwise.
    func liveInterval(over interval: Duration) -> Duration {
        switch self {
        case .everything: interval
        case .liveEachSecond: max(interval, .seconds(1))
        case .liveEachTwoSeconds, .slowStatus, .noRaw: max(interval, .seconds(2))
        }
    }

    var slowsStatus: Bool { self >= .slowStatus }
    var dropsRaw: Bool { self >= .noRaw }
}
