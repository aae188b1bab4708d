import Bytes
import Contract
import MQTTClient
import Synchronization

/// Finds retained messages of ergs that the gateway no longer has.
///
/// An erg can leave the configuration while the gateway is off, and the ring with its numbers may be gone
/// too. So the gateway subscribes to its own retained messages after each connect. Only retained messages
/// count, so that two gateways with the same id by mistake do not erase each other's messages repeatedly.
final class FormerErgSearch: Sendable {
    /// Maximum number of ergs whose messages are removed per process, because other clients could invent
    /// ergs.
    static let limit = 64
    /// Connections that may end while a subscription of the search is unanswered. Some brokers end
    /// the connection over a subscription that they do not permit.
    private static let patience = 2

    private struct State {
        var found: Set<RetainedTopic> = []
        var interruptions = 0
        /// Filters that are complete or refused, and not subscribed again.
        var done: Set<String> = []
    }

    private let topics: TopicMap
    private let ergs: GatewayErgs
    private let state = Mutex(State())

    init(_ topics: TopicMap, _ ergs: GatewayErgs) {
        self.topics = topics
        self.ergs = ergs
    }

    /// Filters to subscribe to on a new connection. Home Assistant's topics include all devices of a house,
    /// and are searched once.
    var filters: [String] {
        state.withLock { state in
            guard state.interruptions < Self.patience else { return [] }
            return (topics.ergFilters + [TopicMap.homeAssistantFilter])
                .filter { !state.done.contains($0) }
        }
    }

    /// Notes that the broker answered a subscription of the search.
    func answered(_ filter: String, isRefusal: Bool = false) {
        guard isRefusal || filter == TopicMap.homeAssistantFilter else { return }
        state.withLock { _ = $0.done.insert(filter) }
    }

    /// Notes that the connection ended before the broker answered a subscription of the search.
    func interrupted() { state.withLock { $0.interruptions += 1 } }

    /// Handles a message; called on the connection's thread.
    ///
    /// - Returns: the topics to clear because of it, each only once.
    func topics(toClearAfter message: IncomingMessage, of station: StationID) -> [RetainedTopic] {
        guard message.isRetained, !message.payload.isEmpty, !ergs.contains(station) else {
            return []
        }
        return add(RetainedTopic.all(of: station))
    }

    /// Handles a device message of Home Assistant, which may come from any program.
    func topics(toClearAfterDevice message: IncomingMessage) -> [RetainedTopic] {
        guard message.isRetained, let station = station(ofDevice: message),
            !ergs.contains(station)
        else { return [] }
        return add([.homeAssistant(station)])
    }

    /// Returns the erg of a Home Assistant device; nil if it does not belong to this gateway.
    private func station(ofDevice message: IncomingMessage) -> StationID? {
        guard topics.mayDescribeErg(message.topic),
            let device = try? JSONObject(parsing: message.payload),
            let state = device.text("state_topic"),
            let (gateway, topic) = topics.prefix.parse(state), gateway == topics.gateway,
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
