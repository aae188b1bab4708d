import Contract
import MQTTClient

/// The subscriptions of one connection, and which of them the broker has not confirmed yet.
struct BrokerSubscriptions {
    /// The messages to which a listener subscribes.
    enum Scope {
        /// All messages, with a transient session.
        case everything
        /// Records, and replies, which belong to replays.
        case records
        /// All other messages.
        case live

        /// One filter for everything if no records are stored, otherwise one filter for each topic: a broker
        /// may deliver a message once for each matching filter.
        fileprivate func subscriptions(
            below prefix: TopicPrefix
        ) -> [(filter: String, options: SubscriptionOptions)] {
            switch self {
            case .everything: [(prefix.filter(of: nil), [])]
            case .records: (prefix.durableFilters + prefix.replyFilters).map { ($0, []) }
            case .live: prefix.otherFilters.map { ($0, .atMostOnce) }
            }
        }
    }

    private let scope: Scope
    private let topicPrefix: TopicPrefix
    private let suggestionTopic: String?
    /// The number of subscriptions that the broker has not confirmed yet.
    private var pending = 0
    /// The number of the subscription to suggestion commands.
    private var suggestionNumber: Int32?

    /// - Parameter suggestionTopic: The topic of suggestion commands; nil to not subscribe to it. The broker
    ///   may refuse it.
    init(_ scope: Scope, below topicPrefix: TopicPrefix, suggestionTopic: String?) {
        (self.scope, self.topicPrefix, self.suggestionTopic) = (scope, topicPrefix, suggestionTopic)
    }

    /// Subscribes over a new connection.
    mutating func subscribe(over connection: (any BrokerConnection)?) {
        let subscriptions = scope.subscriptions(below: topicPrefix)
        pending = subscriptions.count
        for (filter, options) in subscriptions { _ = connection?.subscribe(filter, options) }
        guard let suggestionTopic else { return }
        pending += 1
        suggestionNumber = connection?.subscribe(suggestionTopic, [])
    }

    /// Notes that the broker has answered one subscription. Returns whether it was the last one.
    mutating func answered() -> Bool {
        pending -= 1
        return pending == 0
    }

    /// Whether the listener works without the subscription with this number.
    func isOptional(_ number: Int32) -> Bool { number == suggestionNumber }

    /// The text of all subscriptions, for the log.
    var summary: String { topicPrefix.filter(of: nil) }
}
