import Bytes
import Contract
import Rowing
import Timeline

/// The board as events of a stream (text/event-stream, HTML Living Standard 9.2.6). Changes nothing.
extension LiveBoard {
    /// What a reader that has seen the board at `seen` does not know yet; 0 for one that has seen
    /// nothing, or shall begin anew.
    ///
    /// - Parameters:
    ///   - gateway: of it and its ergs alone; nil for a wall of all gateways.
    ///   - hasBeat: whether a sign of life is due.
    ///   - version: of this program.
    func events(
        since seen: UInt64, of gateway: GatewayID? = nil, hasBeat: Bool, at now: BootInstant,
        clock: WallClock, version: String
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        let sent = clock.unixMilliseconds(at: now)
        if seen < thinned {
            Self.append("room", to: &bytes) {
                write(room: &$0, of: gateway, sent, version, at: now)
            }
            return bytes
        }
        if broker.changed > seen {
            Self.append("broker", to: &bytes) { write(broker: &$0, at: now) }
        }
        for place in kept.keys.sorted() {
            guard let kept = kept[place], kept.changed > seen, shows(place, to: gateway) else {
                continue
            }
            Self.append(place.kind.event, to: &bytes) {
                Self.write(place, kept, to: &$0, at: now)
            }
        }
        for best in freshBests(of: gateway, at: now) where best.changed > seen {
            Self.append("best", to: &bytes) { Self.write(best, to: &$0, at: now) }
        }
        if hasBeat {
            Self.append("beat", to: &bytes) { $0.field("sent_ms", sent) }
        }
        return bytes
    }

    private func write(
        room writer: inout JSONWriter, of gateway: GatewayID?, _ sent: Int64, _ version: String,
        at now: BootInstant
    ) {
        writer.field("sent_ms", sent)
        writer.field("version", version)
        writer.object("broker") { write(broker: &$0, at: now) }
        let bests = freshBests(of: gateway, at: now)
        if !bests.isEmpty { writer.list("bests", of: bests) { Self.write($1, to: &$0, at: now) } }
        let places = kept.filter { shows($0.key, to: gateway) }.sorted { $0.key < $1.key }
        for kind in PlaceKind.allCases {
            let found = places.filter { $0.key.kind == kind }
            // Most rooms have none.
            if kind == .crew, found.isEmpty { continue }
            writer.list(kind.list, of: found) { Self.write($1.key, $1.value, to: &$0, at: now) }
        }
        let more = withoutSeat.count
        if gateway == nil, more > 0 { writer.field("more_ergs", more) }
    }

    private func freshBests(of gateway: GatewayID?, at now: BootInstant) -> [Best] {
        bests.filter { best in
            best.since.duration(to: now) < Self.bestStays
                && (gateway == nil || best.gateway == gateway)
        }
    }

    private static func write(_ best: Best, to writer: inout JSONWriter, at now: BootInstant) {
        writer.field("age_ms", best.since.duration(to: now).wholeMilliseconds)
        writer.key("payload")
        writer.value(json: best.payload)
    }

    private func write(broker writer: inout JSONWriter, at now: BootInstant) {
        writer.field("connected", broker.isConnected)
        writer.field("since_ms_ago", broker.since.duration(to: now).wholeMilliseconds)
    }

    private static func write(
        _ place: Place, _ kept: Kept, to writer: inout JSONWriter, at now: BootInstant
    ) {
        writer.field("gw", place.gateway.slug)
        writer.field("erg", place.erg?.slug)
        writer.field("crew", place.crew?.slug)
        writer.object("messages") { writer in
            for kind in Kind.allCases {
                guard let message = kept.messages[kind] else { continue }
                writer.key(kind.rawValue)
                writer.object { writer in
                    writer.field("age_ms", message.since.duration(to: now).wholeMilliseconds)
                    writer.key("payload")
                    writer.value(json: message.payload)
                }
            }
        }
    }

    private static func append(
        _ event: String, to bytes: inout [UInt8], _ write: (inout JSONWriter) -> Void
    ) {
        bytes.append(contentsOf: "event: \(event)\ndata: ".utf8)
        bytes.append(contentsOf: JSONWriter.object(write))
        bytes.append(contentsOf: "\n\n".utf8)
    }
}

extension LiveBoard.PlaceKind {
    fileprivate var event: String {
        switch self {
        case .gateway: "gateway"
        case .erg: "erg"
        case .crew: "crew"
        }
    }

    /// Of all of them, in the event that tells the room.
    fileprivate var list: StaticString {
        switch self {
        case .gateway: "gateways"
        case .erg: "ergs"
        case .crew: "crews"
        }
    }
}
