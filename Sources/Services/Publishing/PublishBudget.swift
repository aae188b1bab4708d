import Timeline

/// How many messages a second may go out, of all kinds together: `[broker] max_publish_per_s`.
///
/// A pure machine. Live samples come first, since later they are worth nothing: records leave them most
/// of what may go out at once. But an eighth of it all is the records', however much is live.
struct PublishBudget {
    /// Messages at once that records leave to live samples: those of eight ergs.
    private static let reserve = 8
    /// Every so-manyth message may be a record while more is live than may go out.
    private static let recordShare = 8

    /// nil for no limit.
    private var pace: SendingPace?
    private var lastRecord: BootInstant?
    /// Whether there are records that could go out.
    var recordsWait = false

    /// - Parameter limit: messages a second on the average; nil for as many as there are.
    init(perSecond limit: Int?) {
        pace = limit.map { SendingPace(interval: .seconds(1) / $0) }
    }

    /// A message went out.
    mutating func spend(at now: BootInstant, isRecord: Bool = false) {
        pace?.spend(at: now)
        if isRecord { lastRecord = now }
    }

    /// Whether a message may go out that is worth nothing later, or that others wait for.
    func allows(at now: BootInstant) -> Bool {
        guard let pace else { return true }
        let isOwedToRecord = recordsWait && shareDue(pace) <= now
        return pace.earliest.advanced(by: isOwedToRecord ? pace.interval : .zero) <= now
    }

    /// Whether a record may.
    func allowsRecord(at now: BootInstant) -> Bool { recordDue.map { $0 <= now } ?? true }

    /// When something may go out that waits; nil for at any time.
    var due: BootInstant? { pace?.earliest }

    /// When a record may; nil for at any time.
    var recordDue: BootInstant? {
        guard let pace else { return nil }
        let behindLive = pace.earliest.advanced(by: pace.interval * Self.reserve)
        return min(behindLive, shareDue(pace))
    }

    /// When the next record may go out, however much is live.
    private func shareDue(_ pace: SendingPace) -> BootInstant {
        let share = lastRecord?.advanced(by: pace.interval * Self.recordShare) ?? pace.earliest
        return max(pace.earliest, share)
    }
}
