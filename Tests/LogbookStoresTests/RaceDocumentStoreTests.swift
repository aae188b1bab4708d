import TestSupport
import Testing

@testable import LogbookStores

/// Races and regattas, on each kind of store.
@Suite struct RaceDocumentStoreTests {
    private func document(
        _ id: String, _ kind: StoredRaceDocument.Kind, body: String = "{}", former: String? = nil
    ) -> StoredRaceDocument {
        StoredRaceDocument(
            id: id, kind: kind, changedAt: 5, body: Array(body.utf8),
            formerBody: former.map { Array($0.utf8) })
    }

    @Test(arguments: StoreUnderTest.allCases)
    func storesReplacesAndRemovesDocuments(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let recorder = try place.open(.recording)
        let (editor, reader) = (try place.open(.editing), try place.open(.readOnly))
        try editor.raceDocuments.save(document("a", .regatta))
        let changed = document("a", .regatta, body: #"{"x":1}"#, former: "{}")
        try editor.raceDocuments.save(changed)
        #expect(try reader.raceDocuments.document("a", .regatta) == changed)
        #expect(try reader.raceDocuments.document("a", .race) == nil)
        #expect(throws: StoreFailure.self) { try reader.raceDocuments.save(changed) }
        #expect(try !editor.raceDocuments.remove("a", .race) && editor.raceDocuments.remove("a", .regatta))
        #expect(try reader.raceDocuments.all() == [])
        for store in [editor, reader, recorder] { store.close() }
    }

    @Test(arguments: StoreUnderTest.allCases)
    func listsTheNewestOfSomeKinds(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        for (id, kind) in [("a", .race), ("b", .heat), ("c", .regatta), ("d", .race)]
            as [(String, StoredRaceDocument.Kind)]
        { try store.raceDocuments.save(document(id, kind)) }
        let table = store.raceDocuments
        #expect(try table.newest([.race, .regatta], before: nil, limit: 2).map(\.id) == ["d", "c"])
        #expect(try table.newest([.race, .regatta], before: "c", limit: 9).map(\.id) == ["a"])
        #expect(try table.newest([.heat], before: nil, limit: 9).map(\.id) == ["b"])
        store.close()
    }
}
