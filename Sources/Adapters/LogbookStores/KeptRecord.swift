import Bytes
import Contract
import DeliveryProof
import Timeline

/// A durable message that is what the contract says: what is kept of it, and what it tells. Many may
/// wait for a store, so it holds nothing else.
package struct KeptRecord: Sendable {
    /// Where its number belongs.
    package let stream: StoredStream
    /// Its number there, from 1.
    package let sequence: UInt64
    /// When it happened: `ts_ms`.
    package let unixMilliseconds: Int64
    /// As published, without `historical`.
    package private(set) var stored: [UInt8]
    /// The gateway says that it was sent before, or that it is from before the connection.
    package let isHistorical: Bool
    /// The session that it names; nil for a gateway's event.
    package let session: SessionName?
    /// What a gateway's event declares about numbers.
    package let declarations: [Declaration]
    /// What a manifest claims; nil in any other kind.
    package let claim: ManifestClaim?
    /// In the order of the table's columns.
    private(set) var values: [ReadValue]

    /// What a record may have, and some for the property that is added to it.
    package static let maximumBytes = 17 * 1024

    /// Reads a message of a durable topic and checks it against the contract. Throws what is wrong with
    /// it, as the end of a sentence that begins with "refused, because"; with its number, if it has one.
    package init(
        _ payload: [UInt8], of stream: StreamID, from gateway: GatewayID
    ) throws(RecordDefect) {
        guard payload.count <= Self.maximumBytes else {
            throw RecordDefect(words: "it has more than \(Self.maximumBytes) bytes")
        }
        let record = try ReceivedRecord(payload, of: stream)
        do throws(RecordDefect) { self = try Self(record, of: stream, from: gateway) } catch {
            guard Self.isEpoch(record.epoch) else { throw error }
            throw RecordDefect(
                words: error.words,
                number: RecordNumber(epoch: record.epoch, sequence: record.sequence))
        }
    }

    private init(
        _ record: ReceivedRecord, of stream: StreamID, from gateway: GatewayID
    ) throws(RecordDefect) {
        let fields = record.fields
        guard fields.number("v") == UInt64(RecordHead.version) else {
            throw RecordDefect(words: "it is of another version of the contract")
        }
        // A gateway that was renamed sends older records as they are; whose they are the topic says,
        // which the broker guards.
        guard fields.text("gw").flatMap(GatewayID.init) != nil else {
            throw RecordDefect(words: "it names no gateway")
        }
        guard Self.isEpoch(record.epoch) else {
            throw RecordDefect(words: "its epoch is no ULID")
        }
        try RecordRules.of(stream.kind).check(fields)
        guard case .whole(let time) = try Self.time.value(in: fields) else {
            throw RecordDefect(words: "it has no time")
        }
        var values: [ReadValue] = []
        for column in ReadingTable.of(stream.kind).columns {
            values.append(try column.value(in: fields))
        }
        self.stream = StoredStream(gateway: gateway, epoch: record.epoch, stream: stream)
        sequence = record.sequence
        unixMilliseconds = time
        stored = record.stored
        isHistorical = fields["historical"] == .flag(true)
        session =
            stream.station == nil
            ? nil
            : fields.text("session_id").map { SessionName(gateway: gateway, session: $0) }
        declarations = stream.kind == .gatewayEvent ? Declaration.all(in: record) : []
        claim =
            stream.kind == .manifest
            ? stream.station.flatMap { ManifestClaim(record, of: $0) } : nil
        self.values = values
        if stream.kind == .manifest, claim == nil {
            throw RecordDefect(words: "its counts cannot be")
        }
    }

    /// What a column of the record's table gets.
    func value(_ column: String) -> ReadValue {
        let columns = ReadingTable.of(stream.stream.kind).columns
        return columns.firstIndex { $0.name == column }.map { values[$0] } ?? .null
    }

    /// The same alert without the name of who has seen it.
    func withoutAcknowledger(_ name: String) -> KeptRecord {
        let columns = ReadingTable.of(stream.stream.kind).columns
        guard let stored = StoredRecord.withoutAcknowledger(name, in: stored),
            let index = columns.firstIndex(where: { $0.name == "acknowledged_by" })
        else { return self }
        var record = self
        record.stored = stored
        record.values[index] = .null
        return record
    }

    /// Whether a text can name an epoch.
    package static func isEpoch(_ text: String) -> Bool { ULID.isValid(text) }

    private static let time = ReadingColumn("ts_ms", .signed, isRequired: true)
}
