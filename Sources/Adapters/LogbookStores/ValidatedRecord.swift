import Bytes
import Contract
import DeliveryProof
import Timeline

/// A durable message that fulfils the contract, with its stored form and its parsed values. Many of these
/// may wait for the store, so it contains nothing else.
package struct ValidatedRecord: Sendable {
    /// The stream of its sequence number.
    package let stream: StoredStream
    /// Its sequence number in the stream, from 1.
    package let sequence: UInt64
    /// Time of the event: `ts_ms`.
    package let unixMilliseconds: Int64
    /// As published, without `historical`.
    package private(set) var stored: [UInt8]
    /// Whether the gateway marked it as a repetition or as older than the connection.
    package let isHistorical: Bool
    /// The session that it names; nil for a gateway's event.
    package let session: SessionName?
    /// Sequence numbers that a gateway's event declares lost.
    package let declarations: [Declaration]
    /// The claims of a manifest; nil for any other kind.
    package let claim: ManifestClaim?
    /// In the order of the table's columns.
    private(set) var values: [SQLValue]

    /// Maximum size of a record in bytes, plus some for the property that the logbook adds.
    package static let maximumBytes = 17 * 1024

    /// Parses a message of a durable topic and checks it against the contract. Throws the defect, with the
    /// record's number if it has one. The text of the defect completes "refused, because".
    ///
    /// - Parameter fields: The parsed payload; nil to parse it here.
    package init(
        _ payload: [UInt8], parsed fields: JSONObject? = nil, of stream: StreamID, from gateway: GatewayID
    ) throws(RecordDefect) {
        guard payload.count <= Self.maximumBytes else {
            throw RecordDefect(reason: "it has more than \(Self.maximumBytes) bytes")
        }
        let record = try ReceivedRecord(payload, parsed: fields, of: stream)
        do throws(RecordDefect) { self = try Self(record, of: stream, from: gateway) } catch {
            guard Self.isEpoch(record.epoch) else { throw error }
            throw RecordDefect(
                reason: error.reason,
                number: RecordNumber(epoch: record.epoch, sequence: record.sequence))
        }
    }

    private init(
        _ record: ReceivedRecord, of stream: StreamID, from gateway: GatewayID
    ) throws(RecordDefect) {
        let fields = record.fields
        guard fields.number("v") == UInt64(RecordHead.version) else {
            throw RecordDefect(reason: "it has another version of the contract")
        }
        // A renamed gateway sends older records unchanged. The topic names the gateway, and the broker
        // controls who publishes there.
        guard fields.text("gw").flatMap(GatewayID.init) != nil else {
            throw RecordDefect(reason: "its gw is not a valid gateway id")
        }
        guard Self.isEpoch(record.epoch) else {
            throw RecordDefect(reason: "its epoch is not a ULID")
        }
        try RecordRules.of(stream.kind).check(fields)
        guard case .whole(let time) = try Self.time.value(in: fields) else {
            throw RecordDefect(reason: "it has no ts_ms")
        }
        var values: [SQLValue] = []
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
            throw RecordDefect(reason: "its counts of records contradict each other")
        }
    }

    /// Parses a stored record; nil for one from an earlier version that this one does not accept.
    init?(stored: [UInt8], of stream: StoredStream) {
        let payload = RecordEncoder.published(stored, historical: true)
        do throws(RecordDefect) {
            try self.init(payload, of: stream.stream, from: stream.gateway)
        } catch { return nil }
    }

    /// Returns the value for a column of the record's table.
    func value(_ column: String) -> SQLValue {
        let columns = ReadingTable.of(stream.stream.kind).columns
        return columns.firstIndex { $0.name == column }.map { values[$0] } ?? .null
    }

    /// Returns the same alert without the name of the person who acknowledged it.
    func withoutAcknowledger(_ name: String) -> ValidatedRecord {
        let columns = ReadingTable.of(stream.stream.kind).columns
        guard let stored = StoredRecord.withoutAcknowledger(name, in: stored),
            let index = columns.firstIndex(where: { $0.name == "acknowledged_by" })
        else { return self }
        var record = self
        record.stored = stored
        record.values[index] = .null
        return record
    }

    /// Whether a text is a valid epoch.
    package static func isEpoch(_ text: String) -> Bool { ULID.isValid(text) }

    private static let time = ReadingColumn("ts_ms", .signed, isRequired: true)
}
