import Bytes
import Timeline

/// Encodes durable records in their stored form.
///
/// The stored form is the whole JSON object without the key `historical`. The ring stores it, and
/// `stroke_sha256` is its digest. Publishing adds the key at the end, so that a replay differs from the
/// first message only in that key.
package struct RecordEncoder {
    private var json = JSONWriter()

    package init() {}

    /// Returns the stored form. `head` must have a stream of the body's kind.
    package mutating func encode(
        _ body: some RecordBody, head: RecordHead, context: RecordContext
    ) -> [UInt8] {
        precondition(
            head.stream.kind == type(of: body).recordKind, "a record goes to the stream of its kind"
        )
        json.reset()
        json.beginObject()
        head.write(into: &json)
        body.write(into: &json, context: context)
        json.endObject()
        return json.bytes
    }

    /// Returns the published form of a stored record.
    package static func published(_ stored: [UInt8], historical: Bool) -> [UInt8] {
        precondition(stored.last == UInt8(ascii: "}"), "a stored record is a whole JSON object")
        return stored.dropLast() + ending(historical: historical)
    }

    /// Returns the stored form of a published record; nil if it does not end with `historical`.
    static func stored(_ published: [UInt8]) -> [UInt8]? {
        for ending in [ending(historical: false), ending(historical: true)]
        where published.suffix(ending.count).elementsEqual(ending) {
            return published.dropLast(ending.count) + [UInt8(ascii: "}")]
        }
        return nil
    }

    private static func ending(historical: Bool) -> [UInt8] {
        Array((historical ? #","historical":true}"# : #","historical":false}"#).utf8)
    }
}

/// The number of a record within a stream.
package struct RecordNumber: Equatable, Sendable {
    /// A ULID.
    package let epoch: String
    /// From 1.
    package let sequence: UInt64

    package init(epoch: String, sequence: UInt64) {
        (self.epoch, self.sequence) = (epoch, sequence)
    }
}

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
