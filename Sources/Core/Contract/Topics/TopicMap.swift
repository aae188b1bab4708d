/// The slug that names a gateway in topics: `[a-z0-9-]{1,32}`.
package struct GatewayID: Hashable, Sendable, CustomStringConvertible {
    /// One level of a topic.
    package let slug: String

    /// nil unless `slug` is one.
    package init?(_ slug: String) {
        guard StationID.isSlug(slug) else { return nil }
        self.slug = slug
    }

    package var description: String { slug }
}

/// One numbered stream of durable records: a kind, of one erg or of the gateway itself.
package struct StreamID: Hashable, Sendable {
    /// nil for the gateway's own stream, `event`.
    package let station: StationID?
    /// What its records are.
    package let kind: StreamKind

    package init(station: StationID?, kind: StreamKind) {
        self.station = station
        self.kind = kind
    }

    /// The stream's topic below the gateway, `erg/3/stroke`: its name in `birth` too.
    package var path: String {
        station.map { "erg/\($0)/\(kind.topicName)" } ?? kind.topicName
    }
}

/// A topic whose last message the broker keeps for whoever subscribes later.
package enum RetainedTopic: Hashable, Sendable {
    case availability
    case birth
    case health
    case clock
    case stationAvailability(StationID)
    case info(StationID)
    case state(StationID)
    case lastSummary(StationID)
    case marks(StationID)
    /// Home Assistant's, outside of our own topics.
    case homeAssistant(StationID)

    /// All of ours that is about one erg.
    package static func all(of station: StationID) -> [RetainedTopic] {
        [
            .stationAvailability(station), .info(station), .state(station), .lastSummary(station),
            .marks(station),
        ]
    }

    /// Availability is plain text.
    package var isJSON: Bool {
        switch self {
        case .availability, .stationAvailability: false
        default: true
        }
    }

    /// When the broker forgets the message; nil for never. Health that is not renewed is no health.
    package var expirySeconds: UInt32? { self == .health ? 90 : nil }
}

/// Whom a command is for.
package enum CommandTarget: Hashable, Sendable {
    case gateway
    case station(StationID)
    /// The whole room: `erg/all`, one reply per erg.
    case everyStation
}

/// What a message on one of our subscriptions is about.
package enum IncomingTopic: Hashable, Sendable {
    case command(target: CommandTarget, verb: String)
    /// Our own availability, which somebody else may have overwritten.
    case availability
    /// Home Assistant announces itself.
    case homeAssistantStatus
}

/// Every topic of one gateway, out and in: `rowgate/v1/{gw}/...`.
package struct TopicMap: Sendable {
    /// Where Home Assistant says that it has started.
    package static let homeAssistantStatus = "homeassistant/status"

    /// What an erg is called in Home Assistant.
    static func homeAssistantName(of station: StationID, gateway: GatewayID) -> String {
        "rowgate-\(gateway)-\(station)"
    }

    /// Whose topics.
    package let gateway: GatewayID
    /// With the slash.
    private let root: String

    package init(gateway: GatewayID) {
        self.gateway = gateway
        root = "rowgate/v1/\(gateway)/"
    }

    /// Where the records of a stream go.
    package func topic(of stream: StreamID) -> String { root + stream.path }

    /// Where samples go that nobody keeps.
    package func live(_ station: StationID) -> String { root + "erg/\(station)/live" }

    /// Where a retained message stands.
    package func topic(of retained: RetainedTopic) -> String {
        switch retained {
        case .availability: root + "availability"
        case .birth: root + "birth"
        case .health: root + "health"
        case .clock: root + "clock"
        case .stationAvailability(let station): root + "erg/\(station)/availability"
        case .info(let station): root + "erg/\(station)/info"
        case .state(let station): root + "erg/\(station)/state"
        case .lastSummary(let station): root + "erg/\(station)/last_summary"
        case .marks(let station): root + "erg/\(station)/marks"
        case .homeAssistant(let station):
            "homeassistant/device/\(Self.homeAssistantName(of: station, gateway: gateway))/config"
        }
    }

    /// Where a reply goes when the request named no response topic.
    package func response(from station: StationID?, verb: String) -> String {
        station.map { root + "erg/\($0)/rsp/\(verb)" } ?? root + "rsp/\(verb)"
    }

    /// Whether a reply may go where a request wants it: a topic that one can publish to, and none
    /// of our own but those for replies, so that no request makes us overwrite what we say.
    package func mayAnswer(on topic: String) -> Bool {
        guard (1...Self.longestResponseTopic).contains(topic.utf8.count), !topic.hasPrefix("$"),
            topic.unicodeScalars.allSatisfy({ $0 != "+" && $0 != "#" && $0.value >= 0x20 })
        else { return false }
        return !topic.hasPrefix(root) || topic.contains("/rsp/")
    }

    /// A name and an id are long enough; the standard allows 64 KB.
    private static let longestResponseTopic = 512

    /// What the gateway subscribes to.
    package var subscriptions: [String] {
        [
            topic(of: .availability), root + "cmd/+", root + "erg/+/cmd/+",
            Self.homeAssistantStatus,
        ]
    }

    /// What a received message is about; nil for a topic that is none of ours.
    package func incoming(_ topic: String) -> IncomingTopic? {
        if topic == Self.homeAssistantStatus { return .homeAssistantStatus }
        guard topic.hasPrefix(root) else { return nil }
        let levels = topic.dropFirst(root.count)
            .split(separator: "/", omittingEmptySubsequences: false)
        if levels == ["availability"] { return .availability }
        if levels.count == 2, levels[0] == "cmd", !levels[1].isEmpty {
            return .command(target: .gateway, verb: String(levels[1]))
        }
        guard levels.count == 4, levels[0] == "erg", levels[2] == "cmd", !levels[3].isEmpty,
            let target = Self.target(String(levels[1]))
        else { return nil }
        return .command(target: target, verb: String(levels[3]))
    }

    private static func target(_ level: String) -> CommandTarget? {
        level == "all" ? .everyStation : StationID(level).map { .station($0) }
    }
}
