import Bytes
import Rowing
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

/// An event of the gateway itself.
package enum GatewayEvent: Equatable, Sendable, RecordBody {
    package static let recordKind = StreamKind.gatewayEvent

    case gatewayStarted(version: String)
    case configurationReloaded
    /// A Bluetooth adapter was switched off and on.
    case adapterReset(adapter: String, reason: String)
    /// Numbers whose records, if any, can no longer be read from the ring.
    case ringDropped(stream: StreamID, sequences: ClosedRange<UInt64>, reason: DropReason)
    /// A new epoch began. Each stream continues with its number here; lower numbers belong to earlier
    /// epochs.
    case epochBegan(reason: String, firstSequences: [StreamID: UInt64])
    /// Bytes at the end of the ring were lost in a power cut.
    case ringRecovered(droppedBytes: UInt64, reason: String)
    /// The wall clock was set by this difference.
    case clockStepped(milliseconds: Int64)

    /// Why a range of numbers is missing.
    package enum DropReason: String, CaseIterable, Sendable {
        /// The ring was full of unpublished records and overwrote the oldest.
        case overwritten
        /// Bytes of the ring do not verify.
        case unreadable
        /// The gateway crashed before these numbers were durable. They may have been assigned to records
        /// that are lost, and are not assigned again.
        case notDurable = "not_durable"
        /// They were assigned in the epoch before. Only earlier versions declare this, for each stream.
        case earlierEpoch = "earlier_epoch"
        /// The records were erased for an athlete before they were published.
        case erased
        /// The records exceed the broker's maximum packet size; they stay in the ring.
        case tooLong = "too_long"
    }

    package func write(into json: inout JSONWriter, context: RecordContext) {
        switch self {
        case .gatewayStarted(let version):
            json.field("event", "started")
            json.field("version", version)
        case .configurationReloaded:
            json.field("event", "config_reloaded")
        case .adapterReset(let adapter, let reason):
            json.field("event", "adapter_reset")
            json.field("adapter", adapter)
            json.field("reason", reason)
        case .ringDropped(let stream, let sequences, let reason):
            json.field("event", "ring_dropped")
            json.field("stream", stream.path)
            json.field("from_seq", sequences.lowerBound)
            json.field("to_seq", sequences.upperBound)
            json.field("reason", reason.rawValue)
        case .epochBegan(let reason, let firstSequences):
            json.field("event", "epoch_began")
            json.field("reason", reason)
            let numbers = firstSequences.map { ($0.key.path, $0.value) }
            json.object("first_seq", of: numbers.sorted(by: <))
        case .ringRecovered(let droppedBytes, let reason):
            json.field("event", "ring_recovered")
            json.field("dropped_bytes", droppedBytes)
            json.field("reason", reason)
        case .clockStepped(let milliseconds):
            json.field("event", "clock_stepped")
            json.field("step_ms", milliseconds)
        }
    }
}
