import Timeline

/// Sheds load in levels while the machine is too slow for the room.
///
/// Never sheds strokes, splits, results and summaries. The level rises by one after a value has exceeded its
/// upper limit for `patience`, and falls by one after all values were below their lower limits for
/// `calmPeriod`. In between, and for `minimumHold` after a change, it stays. This hysteresis prevents
/// oscillation on a machine that is barely fast enough.
struct LoadShedding: Equatable, Sendable {
    enum Level: Int, CaseIterable, Comparable, Sendable {
        /// No load is shed.
        case full
        case liveEachSecond
        case liveEachTwoSeconds
        /// As before; also, monitors send their status once a second.
        case slowStatus
        /// As before; also, raw values are not stored.
        case noRaw

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// Why the machine cannot keep up.
    enum Cause: CaseIterable, Sendable { case queueDelay, processor, disk }

    /// Measured values; nil if unknown.
    struct Measurements: Equatable, Sendable {
        /// The longest wait for an erg's queue.
        var queueDelay: Duration?
        /// Processor use in percent of the available processors.
        var processorPercent: Int?
        /// Duration of the last or the running commit.
        var commit: Duration?
    }

    /// Limits: a cause begins at `high` and ends at `low`.
    enum Limit {
        static let queueDelay = (high: Duration.milliseconds(200), low: Duration.milliseconds(50))
        static let processorPercent = (high: 90, low: 60)
        /// A stall of a second or two does not matter, because no queue waits for the disk.
        static let commit = (high: Duration.seconds(5), low: Duration.seconds(1))
        /// How long a cause must last before the level rises.
        static let patience = Duration.seconds(6)
        /// How long no cause may be present before the level falls; doubled if the level rises again soon
        /// after.
        static let calmPeriod = Duration.seconds(20)
        static let longestCalmPeriod = Duration.seconds(640)
        /// Minimum time at a level.
        static let minimumHold = Duration.seconds(12)
    }

    private(set) var level = Level.full
    /// Current causes; empty without shedding.
    private(set) var causes: [Cause] = []
    private var changed: BootInstant?
    /// Current value of `Limit.calmPeriod`.
    private var calmPeriod = Limit.calmPeriod
    /// When the level last fell; nil if it has risen since.
    private var relaxed: BootInstant?
    /// Since when there has always been a cause.
    private var highSince: BootInstant?
    /// Since when all values have been below their lower limits.
    private var lowSince: BootInstant?

    /// Evaluates measurements; returns true if the level has changed.
    mutating func update(with measurements: Measurements, at now: BootInstant) -> Bool {
        let high = Cause.allCases.filter { measurements.isHigh($0) }
        let isLow = Cause.allCases.allSatisfy { measurements.isLow($0) }
        highSince = high.isEmpty ? nil : highSince ?? now
        lowSince = isLow ? lowSince ?? now : nil
        if level != .full, !high.isEmpty { causes = high }
        if let changed, changed.duration(to: now) < Limit.minimumHold { return false }
        if let highSince, highSince.duration(to: now) >= Limit.patience {
            return move(to: level.rawValue + 1, because: high, at: now)
        }
        if let lowSince, lowSince.duration(to: now) >= calmPeriod {
            return move(to: level.rawValue - 1, because: causes, at: now)
        }
        return false
    }

    private mutating func move(to number: Int, because: [Cause], at now: BootInstant) -> Bool {
        guard let next = Level(rawValue: number) else { return false }
        if next < level {
            relaxed = now
        } else if let relaxed {
            // The restored load was too much, so the next attempt waits longer.
            let isTooEarly = relaxed.duration(to: now) < calmPeriod * 2
            calmPeriod = isTooEarly ? min(calmPeriod * 2, Limit.longestCalmPeriod) : Limit.calmPeriod
            self.relaxed = nil
        }
        level = next
        causes = next == .full ? [] : because
        (changed, highSince, lowSince) = (now, nil, nil)
        return true
    }
}

extension LoadShedding.Measurements {
    fileprivate func isHigh(_ cause: LoadShedding.Cause) -> Bool {
        typealias Limit = LoadShedding.Limit
        return switch cause {
        case .queueDelay: queueDelay.map { $0 >= Limit.queueDelay.high } ?? false
        case .processor: processorPercent.map { $0 >= Limit.processorPercent.high } ?? false
        case .disk: commit.map { $0 >= Limit.commit.high } ?? false
        }
    }

    fileprivate func isLow(_ cause: LoadShedding.Cause) -> Bool {
        typealias Limit = LoadShedding.Limit
        return switch cause {
        case .queueDelay: queueDelay.map { $0 <= Limit.queueDelay.low } ?? true
        case .processor: processorPercent.map { $0 <= Limit.processorPercent.low } ?? true
        case .disk: commit.map { $0 <= Limit.commit.low } ?? true
        }
    }
}

extension LoadShedding {
    /// Description for a coach; nil if no load is shed.
    var problemText: String? {
        guard level != .full else { return nil }
        return "rowgate cannot keep up: \(causeText); so \(level.text), and strokes, splits and "
            + "results stay complete"
    }

    var causeText: String { causes.map(\.text).joined(separator: ", ") }
}

extension LoadShedding.Cause {
    var text: String {
        switch self {
        case .queueDelay: "work is delayed"
        case .processor: "the processor is busy"
        case .disk: "the disk is slow"
        }
    }
}

extension LoadShedding.Level {
    /// Description of the level.
    var text: String {
        switch self {
        case .full: "no load is shed"
        case .liveEachSecond: "live values come once a second"
        case .liveEachTwoSeconds: "live values come every two seconds"
        case .slowStatus:
            "live values come every two seconds and monitors send theirs once a second"
        case .noRaw:
            "live values come every two seconds, monitors send theirs once a second and raw values "
                + "are not stored"
        }
    }

    /// Returns the interval of live messages, which is `interval` without shedding.
    func liveInterval(over interval: Duration) -> Duration {
        switch self {
        case .full: interval
        case .liveEachSecond: max(interval, .seconds(1))
        case .liveEachTwoSeconds, .slowStatus, .noRaw: max(interval, .seconds(2))
        }
    }

    var slowsStatus: Bool { self >= .slowStatus }
    var dropsRaw: Bool { self >= .noRaw }
}
