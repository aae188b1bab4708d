import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Behaviour specific to PostgreSQL: partitions, other writers, lost servers.
@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct PostgreSQLStoreTests {
    private static let session = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
    private var traffic = Traffic()

    private func database() async throws -> (address: PostgreSQLAddress, text: String) {
        let text = try await PrivatePostgreSQL.shared.value.makeDatabase()
        return (try PostgreSQLAddress(text), text)
    }

    private func ask(_ sql: String, _ database: String) async throws -> String {
        await (try await PrivatePostgreSQL.shared.value).ask(sql, of: database)
    }

    private func failure(
        _ address: PostgreSQLAddress, _ access: SQLStore.Access = .recording
    ) -> StoreFailure? {
        do throws(StoreFailure) {
            try PostgreSQLStore(address, for: access).close()
            return nil
        } catch { return error }
    }

    @Test func hasAColumnForEveryStoredField() async throws {
        let (address, _) = try await database()
        let store = try PostgreSQLStore(address, for: .recording)
        for kind in StreamKind.allCases {
            let table = ReadingTable.of(kind)
            let found = try store.database.rows(
                """
                SELECT column_name::text FROM information_schema.columns WHERE table_name = ?
                """, [.text(table.name)]
            ) { $0.text(0) ?? "" }
            let wanted = table.storedColumns.map(\.name).filter {
                kind.isGatewayOnly || !["session_id", "event"].contains($0)
            }
            #expect(wanted.filter { !found.contains($0) } == [], "\(table.name)")
        }
    }

    @Test mutating func createsPartitionsByMonth() async throws {
        // Records of 1970, of two months and of the far future; then the future month begins.
        let (address, text) = try await database()
        let store = try PostgreSQLStore(address, for: .recording)
        let now: Int64 = 1_793_000_000_000  // 2026-10-26
        let times: [Int64] = [5, 1_788_627_000_000, 1_791_000_000_000, 1_893_456_000_000]
        let strokes = try times.enumerated().map { try stroke(UInt64($0 + 1), at: $1) }
        _ = try store.commit(StoreBatch(records: strokes, now: now))
        let places = "SELECT string_agg(tableoid::regclass::text, ' ' ORDER BY seq) FROM record"
        #expect(
            try await ask(places, text)
                == "record_other record_2026_09 record_2026_10 record_other")
        #expect(try await ask("SELECT to_regclass('record_2026_11') IS NOT NULL", text) == "t")
        let late = try stroke(5, at: 1_893_456_000_001)
        _ = try store.commit(StoreBatch(records: [late] + strokes, now: 1_893_456_000_002))
        #expect(
            try await ask(places, text)
                == "record_other record_2026_09 record_2026_10 record_2030_01 record_2030_01")
        let state = try store.streams()[0]
        #expect((state.extent.received.count, state.repeats, state.conflicts) == (5, 4, 0))
        #expect(try store.faults() == [])
        let moved = try stroke(2, at: 1_791_000_000_001)
        #expect(try store.commit(StoreBatch(records: [moved], now: now)).conflicts == 1)
        #expect(try await ask("SELECT count(*) FROM record", text) == "5")
    }

    private func stroke(_ sequence: UInt64, at time: Int64) throws -> ValidatedRecord {
        try traffic.record(
            .stroke, sequence,
            #""session_id":"\#(Self.session)","stroke":\#(sequence),"power_w":180"#, at: time)
    }

    @Test func placesMonthsWithoutGaps() {
        for (time, name, first, end) in [
            (1_798_761_599_999, "record_2026_12", 1_796_083_200_000, 1_798_761_600_000),
            (1_798_761_600_000, "record_2027_01", 1_798_761_600_000, 1_801_440_000_000),
            (1_835_352_000_000, "record_2028_02", 1_832_976_000_000, 1_835_481_600_000),
        ] as [(Int64, String, Int64, Int64)] {
            let month = PostgreSQLPartitions.Month(of: time)
            #expect(month.partition == name && month.times == first..<end)
        }
    }

    @Test mutating func refusesASecondWriter() async throws {
        let (address, _) = try await database()
        let store = try PostgreSQLStore(address, for: .recording)
        let failure = failure(address)
        #expect(failure?.kind == .busy && failure?.isTransient == true)
        #expect(
            failure?.cause.hasPrefix(
                "another rowgate-logbook uses it (server process ") == true)
        #expect(self.failure(address, .readOnly) == nil)
        _ = try store.commit(StoreBatch(traffic.session(Self.session, strokes: 1)))
        store.close()
        #expect(self.failure(address) == nil)
    }

    @Test func refusesOtherDatabases() async throws {
        let (address, text) = try await database()
        #expect(failure(address, .readOnly)?.kind == .absent)
        _ = try await ask("CREATE TABLE theirs (a int)", text)
        #expect(failure(address)?.cause == "it belongs to another program")
        _ = try await ask("DROP TABLE theirs", text)
        #expect(failure(address) == nil)
        _ = try await ask("UPDATE rowgate_logbook SET version = version + 1", text)
        for access in [SQLStore.Access.recording, .readOnly] {
            #expect(failure(address, access)?.kind == .newer)
        }
        let lost = failure(try PostgreSQLAddress("host=/nowhere dbname=logbook"))
        #expect(lost?.kind == .unreachable && lost?.place == "postgresql:///logbook?host=/nowhere")
    }

    @Test func refusesPasswordsInAddresses() throws {
        for text in ["host=a password=geheim", "postgresql://anna:geheim@a/b"] {
            let fault = #expect(throws: PostgreSQLAddress.Fault.self) {
                try PostgreSQLAddress(text)
            }
            #expect(fault?.remedy.contains("password_file") == true)
            #expect(fault.map { !"\($0)".contains("geheim") } == true)
        }
        #expect(throws: PostgreSQLAddress.Fault.self) { try PostgreSQLAddress("what = ever=") }
        let places = try [
            "postgresql://anna@db.example.org:5433/logbook", "host=db dbname=logbook",
            "service=logbook",
        ].map { try PostgreSQLAddress($0).place }
        #expect(
            places == [
                "postgresql://db.example.org:5433/logbook", "postgresql://db/logbook",
                "postgresql:///?service=logbook",
            ])
    }

}
