import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Records of many sessions in one call.
@Suite struct SessionRecordStoreTests {
    @Test(arguments: StoreUnderTest.allCases)
    func readsTheRecordsOfManySessionsAtOnce(_ kind: StoreUnderTest) async throws {
        // More sessions than one query reads. Each gateway has sessions with the same ids; one session has no end.
        let store = try await kind.place().open(.recording)
        let ids = ["01J7ZK3Q5XQ4W8G9T2V6B0C1DE", "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", "01J7ZK3Q5XQ4W8G9T2V6B0C1DG"]
        var names: [SessionName] = []
        for gateway in ["annex", "barn", "boathouse", "gym", "hall", "loft", "shed"] {
            var traffic = Traffic(gateway: gateway)
            for id in ids {
                let messages = traffic.session(id, strokes: 2, missesItsEnd: id == ids[1])
                let isOpen = gateway == "hall" && id == ids[2]
                _ = try store.commit(StoreBatch(isOpen ? Array(messages.prefix(1)) : messages))
                names.append(SessionName(gateway: traffic.gateway, session: id))
            }
        }
        let unknown = SessionName(gateway: names[0].gateway, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1DH")
        for kind in StreamKind.allCases where kind != .stroke && !kind.isGatewayOnly {
            for count in [0, 1, 15, 16, 17, names.count] {
                let some = names.suffix(count)
                var expected: [SessionName: [[UInt8]]] = [:]
                for name in some {
                    let records = try store.records(of: kind, in: name)
                    if !records.isEmpty { expected[name] = records }
                }
                #expect(try store.records(of: kind, in: some + [unknown]) == expected, "\(kind)")
            }
        }
        #expect(try store.records(of: .session, in: names).values.map(\.count).reduce(0, +) == 41)
    }

    @Test func findsTheRecordsOfSessionsByIndexes() async throws {
        // SQLite plans without knowing how many rows a table has, so that the plan is that of a large store.
        let store = try #require(try await StoreUnderTest.sqlite.place().open(.recording) as? SQLStore)
        let database = try #require(store.database as? SQLiteDatabase)
        let before = Set(database.preparedStatements)
        let name = SessionName(gateway: Traffic().gateway, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1DE")
        let cursor = SessionCursor(firstAt: 1, name: name)
        for kind in StreamKind.allCases where !kind.isGatewayOnly {
            _ = try store.records(of: kind, in: name)
            if kind != .stroke { _ = try store.records(of: kind, in: [name]) }
        }
        _ = try store.session(name)
        _ = try store.session(before: cursor, at: Traffic.erg)
        _ = try store.sessionMetrics.sessions(of: "anna", version: 1)
        _ = try store.sessionMetrics.body(of: name, version: 1)
        let statements = Set(database.preparedStatements).subtracting(before)
        #expect(statements.count > 12)
        // The names that were asked for, and rows that the statement has found.
        let small: Set = ["SCAN 16 CONSTANT ROWS", "SCAN name", "SCAN found"]
        for statement in statements {
            let plan = try database.rows("EXPLAIN QUERY PLAN \(statement)", []) { $0.text(3) ?? "" }
            let scans = plan.filter {
                $0.hasPrefix("SCAN ") && !small.contains($0)
            }
            #expect(scans == [], "\(statement)")
        }
    }
}
