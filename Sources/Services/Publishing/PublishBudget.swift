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

/// Limits the rate of old records: an average per second, with short bursts.
///
/// A broker's queue for a subscriber is short (mosquitto silently drops messages beyond 1000), so a
/// subscriber that reads slower than the broker loses a backlog that is sent at full speed: seen
/// with 92,000 records in 22 s, of which a busy subscriber received a fifth.
package struct SendingPace: Equatable, Sendable {
    /// Records that may be sent at once after a pause.
    package static let burst = 10

    /// Average time between two records.
    package let interval: Duration
    /// The next record is not sent earlier.
    package private(set) var earliest = BootInstant(nanoseconds: 0)

    package init(interval: Duration) { self.interval = interval }

    /// Notes a sent record.
    package mutating func spend(at now: BootInstant) {
        let credit = interval * (Self.burst - 1)
        earliest = max(earliest, now.advanced(by: .zero - credit)).advanced(by: interval)
    }
}
