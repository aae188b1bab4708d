import Bytes
import Timeline

/// `birth`: the gateway's version, ergs and stream positions; the first message of a connection.
/// `Recorder.birth()` creates it.
package struct Birth: Equatable, Sendable, RetainedBody {
    package static let name = "birth"
    package static let statesBootTime = true

    /// Position of one stream.
    package struct Position: Equatable, Sendable {
        /// Number of the next record; records with lower numbers are historical.
        package var next: UInt64
        /// Number of the oldest record available for replay; equals `next` if there is none.
        package var oldest: UInt64

        package init(next: UInt64, oldest: UInt64) {
            self.next = next
            self.oldest = oldest
        }
    }

    /// Program version.
    package var version: String
    /// ULID of the ring that the numbers belong to.
    package var epoch: String
    /// The configured ergs, and with `.any` also those found before.
    package var stations: [StationID]
    /// Whether ergs that are not in `stations` may appear; nil from an earlier version.
    package var discovery: GatewayErgs.Discovery?
    /// All streams that may have records.
    package var streams: [StreamID: Position]

    package init(
        version: String, epoch: String, stations: [StationID],
        discovery: GatewayErgs.Discovery? = nil, streams: [StreamID: Position]
    ) {
        self.version = version
        self.epoch = epoch
        self.stations = stations
        self.discovery = discovery
        self.streams = streams
    }

    /// `next_seq` and `oldest_seq` are objects by stream (`erg/3/stroke`).
    package func write(into json: inout JSONWriter) {
        json.field("version", version)
        json.field("epoch", epoch)
        json.field("ergs", stations.map(\.slug))
        json.field("discovery", discovery?.rawValue)
        let ordered = streams.map { ($0.key.path, $0.value) }.sorted { $0.0 < $1.0 }
        json.object("next_seq", of: ordered.map { ($0, $1.next) })
        json.object("oldest_seq", of: ordered.map { ($0, $1.oldest) })
    }

    /// Parses the ergs that the gateway may have; nil from an earlier version, whose list is incomplete.
    package static func ergs(in fields: JSONObject) -> GatewayErgs? {
        guard let discovery = fields.text("discovery").flatMap(GatewayErgs.Discovery.init),
            case .list(let slugs)? = fields["ergs"]
        else { return nil }
        let stations = slugs.compactMap { slug -> StationID? in
            if case .text(let text) = slug { StationID(text) } else { nil }
        }
        return GatewayErgs(stations, discovery: discovery)
    }

    /// Parses `epoch` and the positions of known streams. If the oldest number of a stream is absent,
    /// it equals the next number.
    package static func positions(
        in fields: JSONObject
    ) -> (epoch: String, streams: [StreamID: Position])? {
        guard let epoch = fields.text("epoch"), case .object(let next)? = fields["next_seq"] else {
            return nil
        }
        var oldest: JSONObject?
        if case .object(let found)? = fields["oldest_seq"] { oldest = found }
        let positions = next.members.compactMap { member -> (StreamID, Position)? in
            guard let stream = StreamID(path: member.name), let number = next.number(member.name)
            else { return nil }
            let first = oldest?.number(member.name) ?? number
            return (stream, Position(next: number, oldest: first))
        }
        return (epoch, Dictionary(positions) { _, last in last })
    }
}

extension BirthNotice {
    package init(_ birth: Birth, gateway: GatewayID, at now: BootInstant, clock: WallClock) {
        self.init(
            payload: birth.payload(gateway: gateway, at: now, clock: clock),
            nextSequences: birth.streams.mapValues(\.next))
    }
}
