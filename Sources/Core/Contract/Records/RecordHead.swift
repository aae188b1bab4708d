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

extension RecordHead {
    /// The epoch of a record in its stored form: a ring can hold records of several.
    package static func epoch(of stored: [UInt8]) -> String {
        let key = Array(#""epoch":""#.utf8)
        // Before it stand only words of ours and slugs, none of which can hold the key.
        guard
            let start = stored.indices.first(where: { stored[$0...].starts(with: key) }),
            let end = stored[(start + key.count)...].firstIndex(of: UInt8(ascii: "\""))
        else { return "" }
        return String(decoding: stored[start + key.count..<end], as: UTF8.self)
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

/// Builds durable records in their stored form.
///
/// The stored form is the whole JSON object, the closing brace included, without the key
/// `historical`. It is what the ring keeps and what `stroke_sha256` is taken over. On the wire the
/// one key is added at the end, so a replay differs from the first message in that key alone.
package struct RecordEncoder {
    private var json = JSONWriter()

    package init() {}

    /// The stored form; `head` has to name the stream of the body's kind.
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

    /// The stored form as it is published.
    package static func published(_ stored: [UInt8], historical: Bool) -> [UInt8] {
        precondition(stored.last == UInt8(ascii: "}"), "a stored record is a whole JSON object")
        var bytes: [UInt8] = []
        bytes.reserveCapacity(stored.count + 20)
        bytes.append(contentsOf: stored.dropLast())
        bytes.append(
            contentsOf: (historical ? #","historical":true}"# : #","historical":false}"#).utf8)
        return bytes
    }
}
