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
