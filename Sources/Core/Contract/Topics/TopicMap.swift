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
    /// Topic of Home Assistant's status.
    package static let homeAssistantStatus = "homeassistant/status"

    /// Filter for all discovery messages of devices.
    package static let homeAssistantFilter = "\(homeAssistantDevices)+/config"
    private static let homeAssistantDevices = "homeassistant/device/"

    package let gateway: GatewayID
    package let prefix: TopicPrefix
    /// Prefix of the gateway's topics, with the slash.
    private let root: String

    package init(gateway: GatewayID, below prefix: TopicPrefix) {
        self.gateway = gateway
        self.prefix = prefix
        root = "\(prefix.root)\(gateway)/"
    }

    /// Identifier of an erg, or of the gateway if nil, in Home Assistant. Slugs have no underscore, so
    /// an erg cannot have a gateway's identifier.
    func homeAssistantName(of station: StationID?) -> String {
        let prefix = prefix.identifier
        return station.map { "\(prefix)-\(gateway)-\($0)" } ?? "\(prefix)_\(gateway)"
    }

    /// Whether the topic may be that of an erg's discovery message. The name alone is ambiguous:
    /// `rowgate-a-b-c` may be erg `c` of gateway `a-b`.
    package func mayDescribeErg(_ topic: String) -> Bool {
        topic.hasPrefix("\(Self.homeAssistantDevices)\(prefix.identifier)-\(gateway)-")
    }

    /// Filter for all topics of the gateway.
    package var filter: String { prefix.filter(of: gateway) }

    /// Filter for the live samples of all its ergs.
    package var liveFilter: String {
        "\(root)\(GatewayTopic.Level.erg)/+/\(GatewayTopic.Level.live)"
    }

    /// Filter for the gateway's replies to commands, without those of its ergs.
    package var replyFilter: String { "\(root)\(GatewayTopic.Level.reply)/+" }

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
        return "\(Self.homeAssistantDevices)\(homeAssistantName(of: station))/\(retained.place.level)"
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
        guard topic.utf8.starts(with: root.utf8) else { return true }
        return "/\(topic.dropFirst(root.count))".contains("/\(GatewayTopic.Level.reply)/")
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
        guard let (gateway, topic) = prefix.parse(topic), gateway == self.gateway else { return nil }
        switch topic {
        case .command(let target, let verb): return .command(target: target, verb: verb)
        case .retained(.availability): return .availability
        case .retained(let retained): return retained.place.station.map { .retained($0) }
        default: return nil
        }
    }
}
