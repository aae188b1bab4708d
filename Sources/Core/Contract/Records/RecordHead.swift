import Bytes
import Timeline

/// What every durable record opens with: its identity and its time.
///
/// (`epoch`, `erg`, `kind`, `seq`) names one record for ever.
package struct RecordHead: Sendable {
    /// The version of the payload rules, `v`.
    package static let version = 1

    /// Who recorded it.
    package var gateway: GatewayID
    /// Where it is numbered.
    package var stream: StreamID
    /// ULID of the ring that the numbers belong to.
    package var epoch: String
    /// 1, 2, 3, ... per stream.
    package var sequence: UInt64
    /// Strictly increasing per stream; the caller sees to it.
    package var time: TimeStamp

    package init(
        gateway: GatewayID, stream: StreamID, epoch: String, sequence: UInt64, time: TimeStamp
    ) {
        self.gateway = gateway
        self.stream = stream
        self.epoch = epoch
        self.sequence = sequence
        self.time = time
    }

    package func write(into json: inout JSONWriter) {
        json.field("v", Self.version)
        json.field("kind", stream.kind.topicName)
        json.field("gw", gateway.slug)
        json.field("erg", stream.station?.slug)
        json.field("epoch", epoch)
        json.field("seq", sequence)
        time.write(into: &json)
    }
}

/// Something that is published as a durable record: it knows its kind and its own fields.
package protocol RecordBody {
    static var recordKind: StreamKind { get }
    func write(into json: inout JSONWriter, context: RecordContext)
}

/// What a record says beside the event itself, frozen into it when it is written.
package struct RecordContext: Sendable {
    /// Opaque slug of who sits there; nil when nobody was assigned.
    package var athlete: String?
    /// Nine digits; nil before a monitor was seen.
    package var monitorSerial: String?
    /// Turns the instants inside an event into wall time.
    package var clock: WallClock

    package init(athlete: String? = nil, monitorSerial: String? = nil, clock: WallClock) {
        self.athlete = athlete
        self.monitorSerial = monitorSerial
        self.clock = clock
    }
}
