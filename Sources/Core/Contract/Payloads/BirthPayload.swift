import Bytes
import Timeline

/// `birth`: who the gateway is and where its streams stand, ahead of all data of a connection.
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
    /// The ergs of the configuration.
    package var stations: [StationID]
    /// Every stream that may have records.
    package var streams: [StreamID: Position]

    package init(
        version: String, epoch: String, stations: [StationID], streams: [StreamID: Position]
    ) {
        self.version = version
        self.epoch = epoch
        self.stations = stations
        self.streams = streams
    }

    /// `next_seq` and `oldest_seq` are objects by stream (`erg/3/stroke`), as payloads that are flat
    /// otherwise have them where keys are not known beforehand.
    package func write(into json: inout JSONWriter) {
        json.field("version", version)
        json.field("epoch", epoch)
        json.key("ergs")
        json.beginArray()
        for station in stations { json.value(station.slug) }
        json.endArray()
        let ordered = streams.map { (path: $0.key.path, position: $0.value) }
            .sorted { $0.path < $1.path }
        json.key("next_seq")
        json.beginObject()
        for stream in ordered {
            json.key(stream.path)
            json.value(stream.position.next)
        }
        json.endObject()
        json.key("oldest_seq")
        json.beginObject()
        for stream in ordered {
            json.key(stream.path)
            json.value(stream.position.oldest)
        }
        json.endObject()
    }

    /// Reads `epoch` and `next_seq` back; streams of which this version knows nothing are left out.
    package static func nextSequences(
        in fields: JSONObject
    ) -> (epoch: String, next: [StreamID: UInt64])? {
        guard let epoch = fields.text("epoch"), case .object(let next)? = fields["next_seq"] else {
            return nil
        }
        let numbers = next.members.compactMap { member in
            StreamID(path: member.name).flatMap { stream in
                next.number(member.name).map { (stream, $0) }
            }
        }
        return (epoch, Dictionary(numbers) { _, last in last })
    }
}

extension BirthNotice {
    package init(_ birth: Birth, gateway: GatewayID, at now: BootInstant, clock: WallClock) {
        self.init(
            payload: birth.payload(gateway: gateway, at: now, clock: clock),
            nextSequences: birth.streams.mapValues(\.next))
    }
}
