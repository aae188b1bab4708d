/// A topic below a gateway, built and parsed.
///
/// | path | case |
/// |---|---|
/// | `event`, `erg/{erg}/{kind}` | `record` |
/// | `health`, `erg/{erg}/state`, ... | `retained` |
/// | `erg/{erg}/live` | `live` |
/// | `cmd/{verb}`, `erg/{erg}/cmd/{verb}`, `erg/all/cmd/{verb}` | `command` |
/// | `rsp/{verb}`, `erg/{erg}/rsp/{verb}` | `reply` |
package enum GatewayTopic: Hashable, Sendable {
    case record(StreamID)
    /// Any but Home Assistant's, which is below no gateway.
    case retained(RetainedTopic)
    /// Samples that nobody keeps.
    case live(StationID)
    case command(CommandTarget, verb: String)
    case reply(from: StationID?, verb: String)

    /// The levels that are neither a name of ours nor a kind of message.
    enum Level {
        static let erg = "erg"
        static let everyErg = "all"
        static let command = "cmd"
        static let reply = "rsp"
        static let live = "live"
    }

    /// Matches every command, to the gateway and to its ergs.
    static let commandFilters = [
        path([Level.command, "+"]), path([Level.erg, "+", Level.command, "+"]),
    ]

    private static func path(_ levels: [String]) -> String { levels.joined(separator: "/") }

    /// The levels behind the gateway's, `erg/3/stroke`.
    package var path: String {
        switch self {
        case .record(let stream): Self.path(of: stream.station, stream.kind.topicName)
        case .retained(let topic): Self.path(of: topic.place.station, topic.place.level)
        case .live(let station): Self.path(of: station, Level.live)
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

    /// The topic that has this path; nil for a path of which this version knows nothing.
    ///
    /// What it can be is built and compared, so that nothing is read that would not be written.
    package init?(path: String) {
        let levels = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        var station: StationID?
        if levels.count > 2, levels[0] == Level.erg, levels[1] != Level.everyErg {
            station = StationID(levels[1])
        }
        var candidates = Self.published(of: station)
        if let verb = levels.last, !verb.isEmpty {
            candidates += [
                .command(station.map { .station($0) } ?? .gateway, verb: verb),
                .command(.everyStation, verb: verb), .reply(from: station, verb: verb),
            ]
        }
        guard let topic = candidates.first(where: { $0.path == path }) else { return nil }
        self = topic
    }

    /// Everything that is said of an erg, or of the gateway itself, unasked.
    private static func published(of station: StationID?) -> [GatewayTopic] {
        StreamKind.allCases.filter { $0.isOfGateway == (station == nil) }
            .map { .record(StreamID(station: station, kind: $0)) }
            + RetainedTopic.all(of: station).map { .retained($0) }
            + (station.map { [.live($0)] } ?? [])
    }
}

extension StreamID {
    /// The stream's topic below the gateway, `erg/3/stroke`: its name in `birth` too.
    package var path: String { GatewayTopic.record(self).path }

    /// The reverse of `path`.
    package init?(path: String) {
        guard case .record(let stream)? = GatewayTopic(path: path) else { return nil }
        self = stream
    }
}
