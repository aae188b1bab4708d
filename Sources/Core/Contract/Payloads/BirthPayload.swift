import Bytes
import Timeline

/// `birth`: who the gateway is and where its streams stand, ahead of all data of a connection.
/// `Recorder.birth()` fills it in.
package struct Birth: Equatable, Sendable, RetainedBody {
    package static let name = "birth"
    package static let statesBootTime = true

    /// Where one stream stands.
    package struct Position: Equatable, Sendable {
        /// The number that the next record will get; a record below it is historical.
        package var next: UInt64
        /// The oldest record that can still be asked for; equals `next` when there is none.
        package var oldest: UInt64

        package init(next: UInt64, oldest: UInt64) {
            self.next = next
            self.oldest = oldest
        }
    }

    /// Of the program.
    package var version: String
    /// ULID of the ring that the numbers belong to.
    package var epoch: String
    /// The ergs of the configuration, and with `.any` the others that were met before.
    package var stations: [StationID]
    /// Whether ergs that are not in `stations` may still appear; nil of an earlier version.
    package var discovery: GatewayErgs.Discovery?
    /// Every stream that may have records.
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

    /// `next_seq` and `oldest_seq` are objects by stream (`erg/3/stroke`), as payloads that are flat
    /// otherwise have them where keys are not known beforehand.
    package func write(into json: inout JSONWriter) {
        json.field("version", version)
        json.field("epoch", epoch)
        json.field("ergs", stations.map(\.slug))
        json.field("discovery", discovery?.rawValue)
        let ordered = streams.map { ($0.key.path, $0.value) }.sorted { $0.0 < $1.0 }
        json.object("next_seq", of: ordered.map { ($0, $1.next) })
        json.object("oldest_seq", of: ordered.map { ($0, $1.oldest) })
    }

    /// Reads back which ergs the gateway may have; nil of an earlier version, whose list is not
    /// complete.
    package static func ergs(in fields: JSONObject) -> GatewayErgs? {
        guard let discovery = fields.text("discovery").flatMap(GatewayErgs.Discovery.init),
            case .list(let slugs)? = fields["ergs"]
        else { return nil }
        let stations = slugs.compactMap { slug -> StationID? in
            if case .text(let text) = slug { StationID(text) } else { nil }
        }
        return GatewayErgs(stations, discovery: discovery)
    }

    /// Reads `epoch` and where streams stand back; those of which this version knows nothing are left
    /// out. Of a stream whose oldest record is not told nothing can be asked for.
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
