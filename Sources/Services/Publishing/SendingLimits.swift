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

/// A rate limit for something that others trigger: it happens a few times at once, and then not
/// before `pause` is over.
///
/// A pure state machine.
package struct BurstLimiter: Sendable {
    private let pause: Duration
    private let burst: Int
    private var windowStart: BootInstant?
    private var done = 0
    private var suppressed = 0

    /// - Parameter burst: how often it may happen within a pause.
    package init(pause: Duration, burst: Int = 1) {
        self.pause = pause
        self.burst = burst
    }

    /// Handles a trigger. Returns how many triggers to act for now, this one and those withheld
    /// since the last time; nil if this one is withheld too.
    package mutating func trigger(at now: BootInstant) -> Int? {
        suppressed += 1
        if let windowStart, windowStart.duration(to: now) < pause {
            guard done < burst else { return nil }
        } else {
            windowStart = now
            done = 0
        }
        done += 1
        defer { suppressed = 0 }
        return suppressed
    }

    /// When to act for the withheld triggers together; nil if there are none.
    var due: BootInstant? { suppressed > 0 ? windowStart?.advanced(by: pause) : nil }

    /// Whether to act now for withheld triggers.
    mutating func isDue(at now: BootInstant) -> Bool {
        guard let due, due <= now else { return false }
        windowStart = now
        (done, suppressed) = (1, 0)
        return true
    }
}

/// Rate limits for actions that other clients of the broker trigger.
struct PublisherRateLimits {
    /// Restoring our availability message.
    var availability = BurstLimiter(pause: .seconds(2))
    /// Publishing all retained messages after Home Assistant reported its start.
    var retained = BurstLimiter(pause: .seconds(2))
    /// Lines of the journal, one limit per kind.
    var overwrittenLine = BurstLimiter(pause: .seconds(60))
    var tooLongLine = BurstLimiter(pause: .seconds(60))
    var oversizedLine = BurstLimiter(pause: .seconds(60))
    var droppedReplyLine = BurstLimiter(pause: .seconds(60))
    /// A broker that accepts connections and ends them at once would write a line for each.
    var connectedLine = BurstLimiter(pause: .seconds(600), burst: 10)
    var failureLine = BurstLimiter(pause: .seconds(600), burst: 10)

    /// When to act next without a trigger.
    var due: BootInstant? { [availability.due, retained.due].compactMap(\.self).min() }
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
