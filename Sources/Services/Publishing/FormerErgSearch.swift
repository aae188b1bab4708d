import Bytes
import Contract
import MQTTClient
import Synchronization

/// Finds messages that the broker still keeps of ergs that the gateway does not have.
///
/// An erg leaves the configuration while the gateway is off, and the ring, which remembers it, may be
/// gone too. So the gateway subscribes to its own retained messages after each connect. Only what the
/// broker kept counts, so that two gateways of one id by mistake do not erase each other's messages in
/// turns.
final class FormerErgSearch: Sendable {
    /// Ergs whose messages are removed, in one process. Whoever may publish could make up more.
    static let limit = 64
    /// Connections that may end while a subscription of the search is unanswered. Some brokers end
    /// the connection over a subscription that they do not permit.
    private static let patience = 2

    private struct State {
        var found: Set<RetainedTopic> = []
        var interruptions = 0
        /// Filters that are not asked for again: answered once for all, or refused.
        var done: Set<String> = []
    }

    private let topics: TopicMap
    private let ergs: GatewayErgs
    private let state = Mutex(State())

    init(_ topics: TopicMap, _ ergs: GatewayErgs) {
        self.topics = topics
        self.ergs = ergs
    }

    /// What to subscribe to on a new connection. Home Assistant's topics hold all devices of a house,
    /// and are looked through once.
    var filters: [String] {
        state.withLock { state in
            guard state.interruptions < Self.patience else { return [] }
            return (topics.ergFilters + [TopicMap.homeAssistantFilter])
                .filter { !state.done.contains($0) }
        }
    }

    /// The broker answered a subscription of the search.
    func answered(_ filter: String, isRefusal: Bool = false) {
        guard isRefusal || filter == TopicMap.homeAssistantFilter else { return }
        state.withLock { _ = $0.done.insert(filter) }
    }

    /// The connection ended before the broker answered a subscription of the search.
    func interrupted() { state.withLock { $0.interruptions += 1 } }

    /// Takes a message in; called on the connection's thread.
    ///
    /// - Returns: the topics that are to be cleared because of it, each once.
    func topics(toClearAfter message: IncomingMessage, of station: StationID) -> [RetainedTopic] {
        guard message.isRetained, !message.payload.isEmpty, !ergs.contains(station) else {
            return []
        }
        return add(RetainedTopic.all(of: station))
    }

    /// The same of a device of Home Assistant, which may be anybody's.
    func topics(toClearAfterDevice message: IncomingMessage) -> [RetainedTopic] {
        guard message.isRetained, let station = station(ofDevice: message),
            !ergs.contains(station)
        else { return [] }
        return add([.homeAssistant(station)])
    }

    /// The erg that a device of Home Assistant describes; nil for what is not this gateway's. Names
    /// alone do not tell: `rowgate-a-b-c` may be erg `c` of gateway `a-b`.
    private func station(ofDevice message: IncomingMessage) -> StationID? {
        guard message.topic.contains("/rowgate-\(topics.gateway)-"),
            let device = try? JSONObject(parsing: message.payload),
            let state = device.text("state_topic"),
            let (gateway, topic) = TopicMap.read(state), gateway == topics.gateway,
            case .live(let station) = topic,
            topics.topic(of: .homeAssistant(station)) == message.topic
        else { return nil }
        return station
    }

    private func add(_ found: [RetainedTopic]) -> [RetainedTopic] {
        state.withLock { state in
            guard state.found.count + found.count <= Self.limit * 7 else { return [] }
            return found.filter { state.found.insert($0).inserted }
        }
    }
}
