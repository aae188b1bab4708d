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
