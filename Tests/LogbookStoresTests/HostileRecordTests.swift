import HostRuntime
import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Hostile publishers can send arbitrary values. They must not stop the records of others.
@Suite struct HostileRecordTests {
    /// Invalid field values; `@` becomes a byte that is not UTF-8.
    private static let values =
        [
            "null", "true", "[]", "{}", #""""#, #""a""#, #""\u0000""#, #""\ud800""#, #""@""#,
            #""<script>alert(1)</script>""#, #""'; DROP TABLE record; --""#,
            "\"\u{202E}\u{1F6A3}\"",
            "-1", "0", "0.5", "1e308", "1e400", "-1e-400", "9007199254740991", "9007199254740992",
            "-9007199254740991", "9223372036854775807", "18446744073709551616",
            "[1e9,-1e9,0.04,1e-300]",
        ] + ["\"" + String(repeating: "x", count: 14_000) + "\"", Self.deep]
    private static let deep =
        String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    private static let session = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
    private let traffic = Traffic()

    /// A record with every field of its kind.
    private func fields(_ kind: StreamKind) -> [(name: String, value: String)] {
        ReadingTable.of(kind).columns.filter { $0.name != "erg" }.map { column in
            let value =
                switch column.kind {
                case .whole, .signed: "1"
                case .decimal: "1.50"
                case .flag: "true"
                case .ulid: "\"\(Self.session)\""
                case .slug, .athlete, .enumValue, .freeText: #""ok""#
                case .forces: "[1.5,2.5]"
                case .recordOnly: "[]"
                }
            let rule = RecordRules.of(kind).fields.first { $0.name == column.name }
            return (name: column.name, value: rule?.form.example ?? value)
        }
    }

    private func payload(
        _ kind: StreamKind, _ sequence: Int, _ fields: [(name: String, value: String)]
    ) -> [UInt8] {
        let place = kind.isGatewayOnly ? "" : #""erg":"erg-1","#
        let text =
            #"{"v":1,"kind":"\#(kind.topicName)","gw":"boathouse",\#(place)"#
            + #""epoch":"\#(traffic.epoch)","seq":\#(sequence),"ts_ms":\#(1_788_627_000_000 + sequence),"#
            + fields.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",")
        let whole =
            text + RecordRules.of(kind).required(besides: text) + #","historical":false}"#
        return whole.utf8.map { $0 == UInt8(ascii: "@") ? 0xFF : $0 }
    }

    /// The validated record; nil if it is refused.
    private func record(
        _ kind: StreamKind, _ sequence: Int, _ fields: [(name: String, value: String)]
    ) -> ValidatedRecord? {
        let stream = Traffic.stream(kind, of: kind.isGatewayOnly ? nil : Traffic.erg)
        return try? ValidatedRecord(payload(kind, sequence, fields), of: stream, from: traffic.gateway)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func storesEveryRecordThatPassesValidation(_ kind: StoreUnderTest) async throws {
        // Puts each hostile value into each field of a record of each kind, then random values into several
        // fields. Everything that passes validation must be storable and listable.
        var records: [ValidatedRecord] = []
        var (next, refused) = (0, 0)
        func add(_ kind: StreamKind, _ fields: [(name: String, value: String)]) {
            next += 1
            if let record = record(kind, next, fields) {
                records.append(record)
            } else {
                refused += 1
            }
        }
        let seed: UInt64 = 20
        var generator = SeededGenerator(seed: seed)
        for kind in StreamKind.allCases {
            let fields = fields(kind)
            #expect(record(kind, 1_000_000, fields) != nil, "\(kind)")
            add(kind, fields)
            for index in fields.indices {
                for value in Self.values {
                    var fields = fields
                    fields[index].value = value
                    add(kind, fields)
                }
            }
            // Fields of later versions may have any value.
            for value in Self.values { add(kind, fields + [(name: "later", value: value)]) }
            for _ in 0..<100 {
                var fields = fields
                for _ in 0..<3 {
                    let index = Int.random(in: fields.indices, using: &generator)
                    fields[index].value = Self.values.randomElement(using: &generator)!
                }
                add(kind, fields)
            }
        }
        #expect(
            records.count > 500 && refused > 1000,
            "seed \(seed): \(records.count) and \(refused)")
        try await expectStored(records, by: kind)
    }

    private func expectStored(_ records: [ValidatedRecord], by kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        defer { store.close() }
        for start in stride(from: 0, to: records.count, by: 100) {
            let batch = Array(records[start..<min(start + 100, records.count)])
            let report = try store.commit(StoreBatch(records: batch, now: 1_788_627_100_000))
            #expect((report.added, report.conflicts) == (batch.count, 0), "from \(start)")
        }
        #expect(try store.size().records == records.count)
        for record in records {
            let sequence = record.sequence
            let found = try store.records(of: record.stream, in: sequence...sequence, limit: 2)
            #expect(found.map(\.stored) == [record.stored], "\(record.stream.label) \(sequence)")
        }
        #expect(try store.faults() == [])
        _ = try (store.streams(), store.declarations(), store.athletes(after: nil, limit: 100))
        for session in try store.sessions(SessionFilter(limit: 1000)) {
            for kind in StreamKind.allCases {
                _ = try store.records(of: kind, in: session.name, after: nil, limit: 1000)
            }
            _ = try store.evidence(of: session.name)
        }
    }
}
