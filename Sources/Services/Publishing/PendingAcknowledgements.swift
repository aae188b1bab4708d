import Contract
import Timeline

/// Unacknowledged messages and subscriptions of one connection, by message number.
struct PendingAcknowledgements {
    /// A published message.
    enum Subject {
        case birth
        case retained(RetainedTopic)
        case reply(topic: String)
        case record(OutgoingRecord, sent: BootInstant)
        case replay(OutgoingRecord)

        /// The group of messages that the broker may refuse.
        var published: PublishSubject {
            switch self {
            case .birth: .retained(.birth)
            case .retained(let topic): .retained(topic)
            case .reply: .replies
            case .record(let record, _), .replay(let record): .stream(record.stream)
            }
        }
    }

    private var subjects: [Int32: Subject] = [:]
    /// Unacknowledged subscriptions.
    var pendingFilters: some Collection<String> { filters.values }

    /// Number of unacknowledged replies.
    private(set) var replies = 0
    private var filters: [Int32: String] = [:]
    private var refusedTopics: Set<String> = []

    /// Whether every message is acknowledged.
    var isEmpty: Bool { subjects.isEmpty }

    /// Unacknowledged subjects.
    var unacknowledged: Set<PublishSubject> { Set(subjects.values.map(\.published)) }

    /// Returns the first unacknowledged record of a stream.
    func firstRecord(of stream: StreamID) -> OutgoingRecord? {
        let records = subjects.values.compactMap { subject -> OutgoingRecord? in
            if case .record(let record, _) = subject { record } else { nil }
        }
        return records.filter { $0.stream == stream }.min { $0.cursor < $1.cursor }
    }

    mutating func add(_ subject: Subject, as message: Int32) {
        subjects[message] = subject
        if case .reply = subject { replies += 1 }
    }

    /// Removes an acknowledged message; nil if unknown.
    mutating func remove(_ message: Int32) -> Subject? {
        let subject = subjects.removeValue(forKey: message)
        if case .reply? = subject { replies -= 1 }
        return subject
    }

    mutating func addSubscription(to filter: String, as message: Int32) {
        filters[message] = filter
    }

    /// Removes an acknowledged subscription; nil if unknown.
    mutating func removeSubscription(_ message: Int32) -> String? {
        filters.removeValue(forKey: message)
    }

    /// Whether this is the first refusal on a topic, which is logged as a warning.
    mutating func isFirstRefusal(on topic: String) -> Bool {
        refusedTopics.insert(topic).inserted
    }
}

/// Messages that the broker must retain, in the order in which their topics were first set, and the topics
/// with changed messages.
struct RetainedState {
    private var payloads: [RetainedTopic: [UInt8]] = [:]
    private var order: [RetainedTopic] = []
    private var due: Set<RetainedTopic> = []

    /// Whether something must be published.
    var isDue: Bool { !due.isEmpty }

    /// Sets the payload of a topic; a changed one must be published.
    mutating func set(_ payload: [UInt8], on topic: RetainedTopic) {
        let old = payloads.updateValue(payload, forKey: topic)
        if old == nil { order.append(topic) }
        if old != payload { due.insert(topic) }
    }

    /// Marks everything to be published again, after a new connection.
    mutating func repeatAll() { due = Set(order) }

    /// Marks one topic to be published again.
    mutating func repeatOne(_ topic: RetainedTopic) {
        if payloads[topic] != nil { due.insert(topic) }
    }

    /// Returns the next message to publish whose topic is not excluded; it counts as published.
    mutating func next(
        excluding isExcluded: (RetainedTopic) -> Bool
    ) -> (topic: RetainedTopic, payload: [UInt8])? {
        guard !due.isEmpty, let topic = order.first(where: { due.contains($0) && !isExcluded($0) })
        else { return nil }
        due.remove(topic)
        return payloads[topic].map { (topic, $0) }
    }

    /// Number of topics.
    var count: Int { order.count }
}

/// Running calls to the log: at most one of each kind, so that none overtakes another.
struct LogCalls {
    enum Call { case read, readForReplay, report }

    private var running: Set<Call> = []
    private var reported: UInt64?

    /// Whether the call may start now.
    mutating func begin(_ call: Call) -> Bool { running.insert(call).inserted }

    mutating func end(_ call: Call) { running.remove(call) }

    /// Whether the log may be informed now up to which cursor it may drop records; once per cursor.
    mutating func beginReport(of cursor: UInt64) -> Bool {
        guard cursor != reported, begin(.report) else { return false }
        reported = cursor
        return true
    }
}
