import Contract
import Timeline

/// What the broker owes answers for on one connection, by message number; the next connection
/// begins with an empty one.
struct AwaitedAnswers {
    /// What was published.
    enum Subject {
        case birth
        case retained(RetainedTopic)
        case reply(topic: String)
        case record(OutgoingRecord, sent: BootInstant)
        case replay(OutgoingRecord)

        /// As what the broker may refuse it.
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
    /// Subscriptions that the broker has not answered for.
    var filtersAwaited: some Collection<String> { filters.values }

    /// How many of them are replies.
    private(set) var replies = 0
    private var filters: [Int32: String] = [:]
    private var refusedTopics: Set<String> = []

    /// Whether everything that was published is answered.
    var isEmpty: Bool { subjects.isEmpty }

    /// What the broker has not answered for.
    var unanswered: Set<PublishSubject> { Set(subjects.values.map(\.published)) }

    /// The first record of a stream that the broker has not answered for.
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

    /// The broker answered; nil for what nobody waits for.
    mutating func take(_ message: Int32) -> Subject? {
        let subject = subjects.removeValue(forKey: message)
        if case .reply? = subject { replies -= 1 }
        return subject
    }

    mutating func addSubscription(to filter: String, as message: Int32) {
        filters[message] = filter
    }

    /// The subscription that an answer is about; nil for what nobody waits for.
    mutating func takeSubscription(_ message: Int32) -> String? {
        filters.removeValue(forKey: message)
    }

    /// Whether this is the first refusal on a topic, which is said aloud.
    mutating func isFirstRefusal(on topic: String) -> Bool {
        refusedTopics.insert(topic).inserted
    }
}
