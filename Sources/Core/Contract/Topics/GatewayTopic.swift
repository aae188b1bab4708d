/// A topic of a gateway: builds and parses its path.
///
/// | path | case |
/// |---|---|
/// | `event`, `alert`, `room/rollup`, `crew/rollup`, `erg/{erg}/{kind}` | `record` |
/// | `health`, `erg/{erg}/state`, ... | `retained` |
/// | `erg/{erg}/live` | `live` |
/// | `room/live`, `crew/{crew}/live` | `roomLive`, `crewLive` |
/// | `cmd/{verb}`, `erg/{erg}/cmd/{verb}`, `erg/all/cmd/{verb}` | `command` |
/// | `rsp/{verb}`, `erg/{erg}/rsp/{verb}` | `reply` |
package enum GatewayTopic: Hashable, Sendable {
    case record(StreamID)
    /// Any except Home Assistant's, whose topics are not below the gateway's.
    case retained(RetainedTopic)
    /// Samples, not stored.
    case live(StationID)
    case roomLive
    case crewLive(CrewID)
    case command(CommandTarget, verb: String)
    case reply(from: StationID?, verb: String)

    /// The fixed levels of a topic; the others are slugs, verbs and kinds of messages.
    enum Level {
        static let erg = "erg"
        static let room = "room"
        static let crew = "crew"
        static let everyErg = "all"
        static let command = "cmd"
        static let reply = "rsp"
        static let live = "live"
    }

    /// Filters for all commands to the gateway and to its ergs.
    static let commandFilters = [
        path([Level.command, "+"]), path([Level.erg, "+", Level.command, "+"]),
    ]

    private static func path(_ levels: [String]) -> String { levels.joined(separator: "/") }

    /// The levels after the gateway's, `erg/3/stroke`.
    package var path: String {
        switch self {
        case .record(let stream): Self.path(of: stream.station, stream.kind.level)
        case .retained(let topic): Self.path(of: topic.place.station, topic.place.level)
        case .live(let station): Self.path(of: station, Level.live)
        case .roomLive: Self.path([Level.room, Level.live])
        case .crewLive(let crew): Self.path([Level.crew, crew.slug, Level.live])
        case .command(.gateway, let verb): Self.path(of: nil, Level.command, verb)
        case .command(.station(let station), let verb):
            Self.path(of: station, Level.command, verb)
        case .command(.everyStation, let verb):
            Self.path([Level.erg, Level.everyErg, Level.command, verb])
        case .reply(let station, let verb): Self.path(of: station, Level.reply, verb)
        }
    }

    private static func path(of station: StationID?, _ levels: String...) -> String {
        path((station.map { [Level.erg, $0.slug] } ?? []) + levels)
    }

    /// Returns nil for an unknown path.
    package init?(path: String) {
        if let topic = Self.gatewayStreamOrGroupLive(path) {
            self = topic
            return
        }
        var levels = path.split(separator: "/", omittingEmptySubsequences: false)[...]
        var station: StationID?
        var isOfEveryErg = false
        if levels.count > 2, levels[0] == Level.erg {
            isOfEveryErg = levels[1] == Level.everyErg
            station = isOfEveryErg ? nil : StationID(String(levels[1]))
            guard isOfEveryErg || station != nil else { return nil }
            levels.removeFirst(2)
        }
        guard levels.count <= 2, let level = levels.popFirst() else { return nil }
        let topic: GatewayTopic? =
            switch (String(level), levels.first.map(String.init)) {
            case (_, ""): nil
            case (Level.command, let verb?):
                .command(
                    isOfEveryErg ? .everyStation : station.map { .station($0) } ?? .gateway,
                    verb: verb)
            case (_, _) where isOfEveryErg: nil
            case (Level.reply, let verb?): .reply(from: station, verb: verb)
            case (let level, nil): Self.published(level, of: station)
            default: nil
            }
        guard let topic else { return nil }
        self = topic
    }

    /// Parses the topic of a stream of records of the gateway itself, or of live values of the room or of a
    /// crew.
    private static func gatewayStreamOrGroupLive(_ path: String) -> GatewayTopic? {
        if let kind = StreamKind.ofGateway.first(where: { $0.level == path }) {
            return .record(StreamID(station: nil, kind: kind))
        }
        let levels = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard levels.last == Level.live else { return nil }
        if levels.count == 2, levels[0] == Level.room { return .roomLive }
        guard levels.count == 3, levels[0] == Level.crew else { return nil }
        return CrewID(levels[1]).map { .crewLive($0) }
    }

    /// A topic that an erg or the gateway publishes to, except replies.
    private static func published(_ level: String, of station: StationID?) -> GatewayTopic? {
        if let station, level == Level.live { return .live(station) }
        if let station, let kind = StreamKind.ofStation.first(where: { $0.level == level }) {
            return .record(StreamID(station: station, kind: kind))
        }
        return RetainedTopic.all(of: station).first { $0.place.level == level }
            .map { .retained($0) }
    }
}

extension StreamID {
    /// The stream's topic below the gateway, `erg/3/stroke`; also its name in `birth`.
    package var path: String { GatewayTopic.record(self).path }

    /// Parses `path`; nil if it is not a stream.
    package init?(path: String) {
        guard case .record(let stream)? = GatewayTopic(path: path) else { return nil }
        self = stream
    }
}

/// A topic of retained messages.
package enum RetainedTopic: Hashable, Sendable {
    case availability
    case birth
    case health
    case clock
    /// The named workouts.
    case workouts
    /// Which athletes may be assigned.
    case roster
    /// The relays to phones.
    case relays
    case stationAvailability(StationID)
    case info(StationID)
    case state(StationID)
    case lastSummary(StationID)
    case marks(StationID)
    /// Active alerts of an erg; of the gateway if nil.
    case alerts(StationID?)
    /// Home Assistant's discovery topic of an erg; of the gateway if nil. It is not below our topics.
    case homeAssistant(StationID?)

    /// All retained topics of an erg, or of the gateway if nil, except Home Assistant's.
    package static func all(of station: StationID?) -> [RetainedTopic] {
        guard let station else {
            return [.availability, .birth, .health, .clock, .workouts, .roster, .relays, .alerts(nil)]
        }
        return [
            .stationAvailability(station), .info(station), .state(station), .lastSummary(station),
            .marks(station), .alerts(station),
        ]
    }

    /// The erg, nil for the gateway, and the last level of the topic.
    var place: (station: StationID?, level: String) {
        switch self {
        case .availability: (nil, "availability")
        case .birth: (nil, "birth")
        case .health: (nil, "health")
        case .clock: (nil, "clock")
        case .workouts: (nil, "workouts")
        case .roster: (nil, "roster")
        case .relays: (nil, "relays")
        case .stationAvailability(let station): (station, "availability")
        case .info(let station): (station, "info")
        case .state(let station): (station, "state")
        case .lastSummary(let station): (station, "last_summary")
        case .marks(let station): (station, "marks")
        case .alerts(let station): (station, "alerts")
        case .homeAssistant(let station): (station, "config")
        }
    }

    /// Whether the payload is JSON; availability is plain text.
    package var isJSON: Bool {
        switch self {
        case .availability, .stationAvailability: false
        default: true
        }
    }

    /// Interval at which `health` is published at least.
    package static let healthPeriodSeconds: UInt32 = 30

    /// Message expiry interval; nil for none. `health` expires after three missed intervals.
    package var expirySeconds: UInt32? { self == .health ? 3 * Self.healthPeriodSeconds : nil }
}
