/// What a topic of any gateway carries, as far as a proof is concerned.
package enum GatewayTopic: Equatable {
    case record(StreamID)
    case birth
    case health
    case marks(StationID)
    /// A reply to a replay that was asked for.
    case replayReply

    /// The gateway's slug and the content; nil for what proves nothing.
    package static func read(_ topic: String) -> (gateway: String, content: GatewayTopic)? {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard levels.count >= 4, levels[0] == "rowgate", levels[1] == "v1",
            let content = read(levels[3...])
        else { return nil }
        return (levels[2], content)
    }

    /// The levels behind the gateway's.
    private static func read(_ levels: ArraySlice<String>) -> GatewayTopic? {
        switch Array(levels) {
        case ["birth"]: return .birth
        case ["health"]: return .health
        case ["event"]: return .record(StreamID(station: nil, kind: .event))
        case ["rsp", "replay"]: return .replayReply
        default: break
        }
        guard levels.count == 3, levels.first == "erg",
            let station = StationID(levels[levels.startIndex + 1]), let last = levels.last
        else { return nil }
        if last == "marks" { return .marks(station) }
        return StreamKind(topicName: last).map { .record(StreamID(station: station, kind: $0)) }
    }
}

extension StreamKind {
    package init?(topicName: String) {
        guard let kind = Self.allCases.first(where: { $0.topicName == topicName }) else {
            return nil
        }
        self = kind
    }
}

extension StreamID {
    /// From the topic below a gateway, `erg/3/stroke`: the reverse of `path`.
    package init?(path: String) {
        guard case .record(let stream)? = GatewayTopic.read("rowgate/v1/-/" + path)?.content else {
            return nil
        }
        self = stream
    }
}
