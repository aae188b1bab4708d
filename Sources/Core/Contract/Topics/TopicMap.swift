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

/// The first levels of all topics, as `[broker] topic_prefix` sets them: `rowgate` unless it is set.
///
/// Rooms with different prefixes share a broker without seeing each other. The value knows the topics of all
/// gateways below the prefix; `TopicMap` has those of one gateway, and `LogbookTopicMap` those of a logbook.
package struct TopicPrefix: Hashable, Sendable, CustomStringConvertible {
    /// The default.
    package static let standard = TopicPrefix(valid: "rowgate")
    /// In bytes. AWS IoT Core allows 256 bytes for a topic, and ours need up to 110 after the prefix.
    package static let maximumLength = 64

    /// Version of the contract, a level of every topic.
    package static let contractVersion = "v1"

    /// One or more levels without a slash at either end.
    package let text: String
    /// Prefix of the gateways' topics, with the version of the contract (`config/schema`) and a slash.
    let root: String
    /// The same of the logbooks' topics (`config/schema/logbook.toml`). It differs from `root`, so that no
    /// wildcard matches both.
    package let logbookRoot: String

    private init(valid text: String) {
        self.text = text
        root = "\(text)/\(Self.contractVersion)/"
        logbookRoot = "\(text)-logbook/\(Self.contractVersion)/"
    }

    package var description: String { text }

    // MARK: Topics of all gateways

    /// Filter for all topics of a gateway, or of all gateways if nil.
    package func filter(of gateway: GatewayID?) -> String { "\(root)\(gateway?.slug ?? "+")/#" }

    /// Filter for the commands to all gateways, without those to their ergs.
    package var commandFilter: String { "\(root)+/\(GatewayTopic.Level.command)/#" }

    /// Filter for the commands to the ergs of all gateways.
    package var ergCommandFilter: String {
        "\(root)+/\(GatewayTopic.Level.erg)/+/\(GatewayTopic.Level.command)/#"
    }

    /// Filters for the durable topics of all gateways, one per stream kind.
    package var durableFilters: [String] {
        StreamKind.ofGateway.map { "\(root)+/\($0.level)" }
            + StreamKind.ofStation.map { "\(root)+/\(GatewayTopic.Level.erg)/+/\($0.level)" }
    }

    /// Filters for replies to commands, of all gateways.
    package var replyFilters: [String] {
        ["", "\(GatewayTopic.Level.erg)/+/"].map { "\(root)+/\($0)\(GatewayTopic.Level.reply)/+" }
    }

    /// Filters for everything else that gateways publish, one per kind.
    package var otherFilters: [String] {
        guard let any = StationID("any") else { preconditionFailure("\"any\" is a slug") }
        let live = GatewayTopic.Level.live
        let ofRoom = [GatewayTopic.roomLive.path, "\(GatewayTopic.Level.crew)/+/\(live)"]
        let ofGateway = RetainedTopic.all(of: nil).map(\.place.level) + ofRoom
        let ofStation = RetainedTopic.all(of: any).map(\.place.level) + [live]
        return ofGateway.map { "\(root)+/\($0)" }
            + ofStation.map { "\(root)+/\(GatewayTopic.Level.erg)/+/\($0)" }
    }

    /// Parses a topic; nil if it is not a topic of a gateway below this prefix. Compares bytes, as brokers do.
    package func parse(_ topic: String) -> (gateway: GatewayID, topic: GatewayTopic)? {
        let bytes = topic.utf8
        guard bytes.starts(with: root.utf8) else { return nil }
        let levels = topic[bytes.index(bytes.startIndex, offsetBy: root.utf8.count)...]
            .split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard levels.count == 2, let gateway = GatewayID(String(levels[0])),
            let topic = GatewayTopic(path: String(levels[1]))
        else { return nil }
        return (gateway, topic)
    }

    // MARK: Names

    /// The prefix in one level of letters, digits and `_`, for names in Home Assistant. Different prefixes
    /// have different names: `_X` and a number replace other characters.
    var identifier: String {
        text.unicodeScalars.map { scalar in
            let isPlain =
                scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            return isPlain ? String(scalar) : "_X" + String(scalar.value, radix: 16, uppercase: true)
        }.joined()
    }

    /// The prefix in one level, for a client id: some access lists refuse slashes there.
    package var clientName: String { String(text.map { $0 == "/" ? "-" : $0 }) }
}

extension TopicPrefix {
    /// Why a text cannot be a prefix, and what to do.
    package struct Fault: Error, Equatable {
        package let reason: String
        package let remedy: String
    }

    /// Checks a configured prefix.
    package init(_ text: String) throws(Fault) {
        let example = "write one or more names with / between them: \"club/north\""
        func refuse(_ reason: String, _ remedy: String? = nil) -> Fault {
            Fault(reason: reason, remedy: remedy ?? example)
        }
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        if text.isEmpty { throw refuse("is empty", "remove the line, or " + example) }
        guard text.unicodeScalars.allSatisfy(Self.isAllowed) else {
            throw refuse("contains a NUL or another character that MQTT does not allow")
        }
        if text.contains("#") || text.contains("+") {
            throw refuse("\"\(text)\" contains # or +, which are wildcards in MQTT")
        }
        if text.hasPrefix("$") {
            throw refuse(
                "\"\(text)\" begins with $, which brokers reserve for their own topics",
                "begin it with another character")
        }
        if levels.first?.isEmpty == true || levels.last?.isEmpty == true {
            throw refuse(
                "\"\(text)\" begins or ends with /",
                "remove the / at the start and at the end; rowgate adds the one after the prefix")
        }
        if levels.contains(where: \.isEmpty) {
            throw refuse("\"\(text)\" contains //", "remove one /")
        }
        if text.utf8.count > Self.maximumLength {
            throw refuse(
                "has \(text.utf8.count) bytes; a topic prefix has at most \(Self.maximumLength)",
                "shorten it")
        }
        if text.hasSuffix("-logbook") {
            throw refuse(
                "\"\(text)\" ends with -logbook, as the topics of logbooks do", "choose another name")
        }
        if levels.first == "homeassistant" {
            throw refuse(
                "\"\(text)\" begins with homeassistant, where Home Assistant has its own topics",
                "choose another name")
        }
        self.init(valid: text)
    }

    /// Whether a topic may contain the character: mosquitto disconnects clients that send control characters
    /// or code points that Unicode reserves (MQTT 5.0, 1.5.4).
    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
        return !isControl && !scalar.properties.isNoncharacterCodePoint
    }
}
