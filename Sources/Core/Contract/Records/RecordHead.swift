import Bytes
import Timeline

/// The first fields of every durable record: identity and time.
///
/// (`epoch`, `erg`, `kind`, `seq`) identifies a record permanently.
package struct RecordHead: Sendable {
    /// Version of the contract, `v`.
    package static let version = 1

    /// The gateway that recorded it.
    package var gateway: GatewayID
    /// The stream that numbers it.
    package var stream: StreamID
    /// ULID of the ring that the numbers belong to.
    package var epoch: String
    /// 1, 2, 3, ... per stream.
    package var sequence: UInt64
    /// Strictly increasing per stream; the caller is responsible.
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

/// A value that is published as a durable record.
package protocol RecordBody {
    static var recordKind: StreamKind { get }
    func write(into json: inout JSONWriter, context: RecordContext)
}

/// Context of a record at the time of writing.
package struct RecordContext: Sendable {
    /// Opaque slug of the assigned athlete; nil if none.
    package var athlete: String?
    /// Nine digits; nil before a monitor was seen.
    package var monitorSerial: String?
    /// Converts the instants of an event to wall time.
    package var clock: WallClock

    package init(athlete: String? = nil, monitorSerial: String? = nil, clock: WallClock) {
        self.athlete = athlete
        self.monitorSerial = monitorSerial
        self.clock = clock
    }
}
