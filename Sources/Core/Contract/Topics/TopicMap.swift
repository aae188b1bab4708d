import Bytes

/// The topic of a message that the gateway received.
package enum IncomingTopic: Hashable, Sendable {
    case command(target: CommandTarget, verb: String)
    /// The gateway's own availability, which another client may have overwritten.
    case availability
    /// Home Assistant's status.
    case homeAssistantStatus
    /// A retained message of an erg, from this or an earlier run of the gateway.
    case retained(StationID)
    /// A discovery message for Home Assistant.
    case homeAssistantDevice
}

/// All topics of one gateway, for publishing and subscribing.
package struct TopicMap: Sendable {
    /// Prefix of all topics, with the version of the contract (`config/schema`).
    private static let root = "rowgate/v1/"
    /// Topic of Home Assistant's status.
    package static let homeAssistantStatus = "homeassistant/status"

    /// Filter for all discovery messages of devices.
    package static let homeAssistantFilter = "\(homeAssistantDevices)+/config"
    private static let homeAssistantDevices = "homeassistant/device/"

    /// Identifier of an erg, or of the gateway if nil, in Home Assistant. Slugs have no underscore, so
    /// an erg cannot have a gateway's identifier.
    static func homeAssistantName(of station: StationID?, gateway: GatewayID) -> String {
        station.map { "rowgate-\(gateway)-\($0)" } ?? "rowgate_\(gateway)"
    }

    package let gateway: GatewayID
    /// Prefix of the gateway's topics, with the slash.
    private let root: String

    package init(gateway: GatewayID) {
        self.gateway = gateway
        root = "\(Self.root)\(gateway)/"
    }

    /// Filter for the live samples of all its ergs.
    package var liveFilter: String {
        "\(root)\(GatewayTopic.Level.erg)/+/\(GatewayTopic.Level.live)"
    }

    /// Filter for the gateway's replies to commands, without those of its ergs.
    package var replyFilter: String { "\(root)\(GatewayTopic.Level.reply)/+" }

    // MARK: Filters and topics of all gateways

    /// Filter for all topics of a gateway, or of all gateways if nil.
    package static func filter(of gateway: GatewayID?) -> String {
        "\(root)\(gateway?.slug ?? "+")/#"
    }

    /// Filters for the durable topics of all gateways, one per stream kind.
    package static let durableFilters =
        StreamKind.ofGateway.map { "\(root)+/\($0.level)" }
        + StreamKind.ofStation.map { "\(root)+/\(GatewayTopic.Level.erg)/+/\($0.level)" }

    /// Filters for replies to commands, of all gateways.
    package static let replyFilters = ["", "\(GatewayTopic.Level.erg)/+/"].map {
        "\(root)+/\($0)\(GatewayTopic.Level.reply)/+"
    }

    /// Filters for everything else that gateways publish, one per kind.
    package static let otherFilters: [String] = {
        guard let any = StationID("any") else { preconditionFailure("\"any\" is a slug") }
        let live = GatewayTopic.Level.live
        let ofRoom = [GatewayTopic.roomLive.path, "\(GatewayTopic.Level.crew)/+/\(live)"]
        let ofGateway = RetainedTopic.all(of: nil).map(\.place.level) + ofRoom
        let ofStation = RetainedTopic.all(of: any).map(\.place.level) + [live]
        return ofGateway.map { "\(root)+/\($0)" }
            + ofStation.map { "\(root)+/\(GatewayTopic.Level.erg)/+/\($0)" }
    }()

    /// Parses a topic; nil if it is not a topic of rowgate.
    package static func read(_ topic: String) -> (gateway: GatewayID, topic: GatewayTopic)? {
        guard topic.hasPrefix(root) else { return nil }
        let levels = topic.dropFirst(root.count)
            .split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard levels.count == 2, let gateway = GatewayID(String(levels[0])),
            let topic = GatewayTopic(path: String(levels[1]))
        else { return nil }
        return (gateway, topic)
    }

    // MARK: Publishing

    package func topic(of topic: GatewayTopic) -> String { root + topic.path }

    /// Topic of a stream's records.
    package func topic(of stream: StreamID) -> String { topic(of: .record(stream)) }

    /// Topic of an erg's live samples.
    package func live(_ station: StationID) -> String { topic(of: .live(station)) }

    /// Topic of a retained message.
    package func topic(of retained: RetainedTopic) -> String {
        guard case .homeAssistant(let station) = retained else {
            return topic(of: .retained(retained))
        }
        let name = Self.homeAssistantName(of: station, gateway: gateway)
        return "\(Self.homeAssistantDevices)\(name)/\(retained.place.level)"
    }

    /// Topic of a reply if the request has no response topic.
    package func response(from station: StationID?, verb: String) -> String {
        topic(of: .reply(from: station, verb: verb))
    }

    /// Whether a response topic is allowed. It must be valid for publishing. Of our own topics only
    /// those of replies are allowed, so that no request can overwrite our messages.
    package func mayReply(on topic: String) -> Bool {
        guard (1...Self.longestResponseTopic).contains(topic.utf8.count), !topic.hasPrefix("$"),
            topic.unicodeScalars.allSatisfy({ $0 != "+" && $0 != "#" && $0.value >= 0x20 })
        else { return false }
        return !topic.hasPrefix(root) || topic.contains("/\(GatewayTopic.Level.reply)/")
    }

    /// In bytes; the MQTT standard allows 64 KB.
    private static let longestResponseTopic = 512

    // MARK: Subscribing

    /// The gateway's subscriptions.
    package var subscriptions: [String] {
        [topic(of: .availability)] + GatewayTopic.commandFilters.map { root + $0 }
            + [Self.homeAssistantStatus]
    }

    /// Filters for the retained messages of all its ergs, one per kind.
    package var ergFilters: [String] {
        guard let any = StationID("any") else { preconditionFailure("\"any\" is a slug") }
        return RetainedTopic.all(of: any).map {
            "\(root)\(GatewayTopic.Level.erg)/+/\($0.place.level)"
        }
    }

    /// Parses the topic of a received message; nil for an unexpected topic.
    package func incoming(_ topic: String) -> IncomingTopic? {
        if topic == Self.homeAssistantStatus { return .homeAssistantStatus }
        if topic.hasPrefix(Self.homeAssistantDevices) { return .homeAssistantDevice }
        guard let (gateway, topic) = Self.read(topic), gateway == self.gateway else { return nil }
        switch topic {
        case .command(let target, let verb): return .command(target: target, verb: verb)
        case .retained(.availability): return .availability
        case .retained(let retained): return retained.place.station.map { .retained($0) }
        default: return nil
        }
    }
}
