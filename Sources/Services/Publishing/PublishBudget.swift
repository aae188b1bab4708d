import Timeline

/// The maximum number of messages a second, of all kinds together: `[broker] max_publish_per_s`.
///
/// A pure state machine. Live values come first, because they are worthless later: records leave
/// most of the burst to them. But an eighth of the total is reserved for records, however many live
/// values there are.
struct PublishBudget {
    /// Messages of a burst that records leave to live values: those of eight ergs.
    private static let reserve = 8
    /// One in this many messages may be a record while there are more live values than the limit.
    private static let recordShare = 8

    /// nil for no limit.
    private var pace: SendingPace?
    private var lastRecord: BootInstant?
    /// Whether records are waiting.
    var hasWaitingRecords = false

    /// - Parameter limit: average messages a second; nil for no limit.
    init(perSecond limit: Int?) {
        pace = limit.map { SendingPace(interval: .seconds(1) / $0) }
    }

    /// Counts a sent message.
    mutating func spend(at now: BootInstant, isRecord: Bool = false) {
        pace?.spend(at: now)
        if isRecord { lastRecord = now }
    }

    /// Whether a message may be sent that would be worthless later, or that is awaited.
    func allows(at now: BootInstant) -> Bool {
        guard let pace else { return true }
        let isRecordDue = hasWaitingRecords && shareDue(pace) <= now
        return pace.earliest.advanced(by: isRecordDue ? pace.interval : .zero) <= now
    }

    /// Whether a record may be sent.
    func allowsRecord(at now: BootInstant) -> Bool { recordDue.map { $0 <= now } ?? true }

    /// When a waiting message may be sent; nil for at any time.
    var due: BootInstant? { pace?.earliest }

    /// When a record may be sent; nil for at any time.
    var recordDue: BootInstant? {
        guard let pace else { return nil }
        let behindLive = pace.earliest.advanced(by: pace.interval * Self.reserve)
        return min(behindLive, shareDue(pace))
    }

    /// When the next record may be sent, however many live values there are.
    private func shareDue(_ pace: SendingPace) -> BootInstant {
        let share = lastRecord?.advanced(by: pace.interval * Self.recordShare) ?? pace.earliest
        return max(pace.earliest, share)
    }
}
