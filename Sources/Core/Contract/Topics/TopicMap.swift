import Bytes

/// What a message on one of our subscriptions is about.
package enum IncomingTopic: Hashable, Sendable {
    case command(target: CommandTarget, verb: String)
    /// Our own availability, which somebody else may have overwritten.
    case availability
    /// Home Assistant announces itself.
    case homeAssistantStatus
    /// A retained message of an erg, which the gateway itself or an earlier one published.
    case retained(StationID)
    /// A device that somebody described to Home Assistant.
    case homeAssistantDevice
}

/// Every topic of one gateway, out and in: the one place that knows what stands above them.
package struct TopicMap: Sendable {
    /// What all topics begin with; the number is that of the contract (`config/schema`).
    private static let root = "rowgate/v1/"
    /// Where Home Assistant says that it has started.
    package static let homeAssistantStatus = "homeassistant/status"

    /// Matches every device that is described to Home Assistant.
    package static let homeAssistantFilter = "\(homeAssistantDevices)+/config"
    private static let homeAssistantDevices = "homeassistant/device/"

    /// What an erg, or the gateway itself, is called in Home Assistant. No slug has an underscore, so
    /// that no erg has a gateway's name.
    static func homeAssistantName(of station: StationID?, gateway: GatewayID) -> String {
        station.map { "rowgate-\(gateway)-\($0)" } ?? "rowgate_\(gateway)"
    }

    /// Whose topics.
    package let gateway: GatewayID
    /// With the slash.
    private let root: String

    package init(gateway: GatewayID) {
        self.gateway = gateway
        root = "\(Self.root)\(gateway)/"
    }

    /// Matches the live samples of each of its ergs.
    package var liveFilter: String {
        "\(root)\(GatewayTopic.Level.erg)/+/\(GatewayTopic.Level.live)"
    }

    /// Matches its replies to commands, save those of its ergs.
    package var replyFilter: String { "\(root)\(GatewayTopic.Level.reply)/+" }

    // MARK: Of any gateway

    /// Matches everything of a gateway, or of all.
    package static func filter(of gateway: GatewayID?) -> String {
        "\(root)\(gateway?.slug ?? "+")/#"
    }

    /// Match each durable topic of all gateways, one each.
    package static let durableFilters =
        StreamKind.ofGateway.map { "\(root)+/\($0.level)" }
        + StreamKind.ofStation.map { "\(root)+/\(GatewayTopic.Level.erg)/+/\($0.level)" }

    /// Match each reply to a command, of all gateways.
    package static let replyFilters = ["", "\(GatewayTopic.Level.erg)/+/"].map {
        "\(root)+/\($0)\(GatewayTopic.Level.reply)/+"
    }

    /// Match everything else that gateways publish, one filter each.
    package static let otherFilters: [String] = {
        guard let any = StationID("any") else { preconditionFailure("\"any\" is a slug") }
        let live = GatewayTopic.Level.live
        let ofRoom = [GatewayTopic.roomLive.path, "\(GatewayTopic.Level.crew)/+/\(live)"]
        let ofGateway = RetainedTopic.all(of: nil).map(\.place.level) + ofRoom
        let ofStation = RetainedTopic.all(of: any).map(\.place.level) + [live]
        return ofGateway.map { "\(root)+/\($0)" }
            + ofStation.map { "\(root)+/\(GatewayTopic.Level.erg)/+/\($0)" }
    }()

    /// Whose topic it is, and which; nil for one that is not rowgate's.
    package static func read(_ topic: String) -> (gateway: GatewayID, topic: GatewayTopic)? {
        guard topic.hasPrefix(root) else { return nil }
        let levels = topic.dropFirst(root.count)
            .split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard levels.count == 2, let gateway = GatewayID(String(levels[0])),
            let topic = GatewayTopic(path: String(levels[1]))
        else { return nil }
        return (gateway, topic)
    }

    // MARK: Out

    package func topic(of topic: GatewayTopic) -> String { root + topic.path }

    /// Where the records of a stream go.
    package func topic(of stream: StreamID) -> String { topic(of: .record(stream)) }

    /// Where samples go that nobody keeps.
    package func live(_ station: StationID) -> String { topic(of: .live(station)) }

    /// Where a retained message stands.
    package func topic(of retained: RetainedTopic) -> String {
        guard case .homeAssistant(let station) = retained else {
            return topic(of: .retained(retained))
        }
        let name = Self.homeAssistantName(of: station, gateway: gateway)
        return "\(Self.homeAssistantDevices)\(name)/\(retained.place.level)"
    }

    /// Where a reply goes when the request named no response topic.
    package func response(from station: StationID?, verb: String) -> String {
        topic(of: .reply(from: station, verb: verb))
    }

    /// Whether a reply may go where a request wants it: a topic that one can publish to, and none
    /// of our own but those for replies, so that no request makes us overwrite what we say.
    package func mayAnswer(on topic: String) -> Bool {
        guard (1...Self.longestResponseTopic).contains(topic.utf8.count), !topic.hasPrefix("$"),
            topic.unicodeScalars.allSatisfy({ $0 != "+" && $0 != "#" && $0.value >= 0x20 })
        else { return false }
        return !topic.hasPrefix(root) || topic.contains("/\(GatewayTopic.Level.reply)/")
    }

    /// A name and an id are long enough; the standard allows 64 KB.
    private static let longestResponseTopic = 512

    // MARK: In

    /// What the gateway subscribes to.
    package var subscriptions: [String] {
        [topic(of: .availability)] + GatewayTopic.commandFilters.map { root + $0 }
            + [Self.homeAssistantStatus]
    }

    /// Match the retained messages of each of its ergs, one filter each.
    package var ergFilters: [String] {
        guard let any = StationID("any") else { preconditionFailure("\"any\" is a slug") }
        return RetainedTopic.all(of: any).map {
            "\(root)\(GatewayTopic.Level.erg)/+/\($0.place.level)"
        }
    }

    /// What a received message is about; nil for a topic that we did not ask for.
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
