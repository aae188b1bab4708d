import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Results that coaches added to group pieces, on each kind of store.
@Suite struct PieceAdditionStoreTests {
    private static let gateway = GatewayID("boathouse")!
    private static let day: Int64 = 86_400_000

    private func addition(
        _ id: String, _ result: StoredPieceAddition.Result = .time(tenths: 4312), at started: Int64 = 0,
        day: String? = "2026-11-28", note: String = "Erg 3 failed", by name: String? = "Jörg"
    ) -> StoredPieceAddition {
        StoredPieceAddition(
            id: id, gateway: Self.gateway,
            sessions: ["01J7ZK3Q5XQ4W8G9T2V6B0C1DE", "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"], pieceStartedAt: started,
            athlete: "anna", result: result, day: day, note: note, addedAt: 7, by: name)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func storesEachKindOfResultUntilItIsRemoved(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let recorder = try place.open(.recording)
        let (editor, reader) = (try place.open(.editing), try place.open(.readOnly))
        let session = SessionName(gateway: Self.gateway, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1DG")
        let all = [
            addition("a"), addition("b", .distance(metres: 8012), note: "", by: nil),
            addition("c", .session(session), day: nil),
        ]
        for addition in all.reversed() { try editor.pieceAdditions.add(addition) }
        #expect(try reader.pieceAdditions.all() == all)
        #expect(all[0].sessionNames.map(\.session) == all[0].sessions)
        #expect(throws: StoreFailure.self) { try editor.pieceAdditions.add(all[0]) }
        #expect(throws: StoreFailure.self) { try reader.pieceAdditions.add(addition("d")) }
        #expect(try editor.pieceAdditions.remove("b") && !editor.pieceAdditions.remove("b"))
        for store in [editor, reader, recorder] { store.close() }
        let reopened = try place.open(.recording)
        #expect(try reopened.pieceAdditions.all() == [all[0], all[2]])
        reopened.close()
    }

    @Test(arguments: StoreUnderTest.allCases)
    func findsAdditionsByGatewayAndTime(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        for (id, day) in [("a", 0), ("b", 2), ("c", 3)] as [(String, Int64)] {
            try store.pieceAdditions.add(addition(id, at: day * Self.day))
        }
        let table = store.pieceAdditions
        #expect(try table.additions(of: Self.gateway, near: 0).map(\.id) == ["a", "b"])
        #expect(try table.additions(of: Self.gateway, near: 4 * Self.day).map(\.id) == ["b", "c"])
        #expect(try table.additions(of: GatewayID("shed")!, near: 0) == [])
        store.close()
    }
}
