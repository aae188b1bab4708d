import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Links to the results of group pieces, on each kind of store.
@Suite struct PieceLinkStoreTests {
    private static let gateway = GatewayID("boathouse")!

    private func link(
        _ digest: String, createdAt time: Int64 = 1, expiresAt: Int64 = 10, by name: String? = "Jörg"
    ) -> StoredPieceLink {
        StoredPieceLink(
            digest: digest, gateway: Self.gateway,
            sessions: ["01J7ZK3Q5XQ4W8G9T2V6B0C1DE", "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"], createdAt: time, by: name,
            expiresAt: expiresAt)
    }

    @Test(arguments: StoreUnderTest.allCases)
    func storesLinksUntilTheyAreRevoked(_ kind: StoreUnderTest) async throws {
        let place = try await kind.place()
        let recorder = try place.open(.recording)
        let (editor, reader) = (try place.open(.editing), try place.open(.readOnly))
        let (first, second) = (link("first"), link("second", createdAt: 2, by: nil))
        for link in [second, first] { try editor.pieceLinks.add(link) }
        #expect(try reader.pieceLinks.all() == [first, second])
        #expect(throws: StoreFailure.self) { try editor.pieceLinks.add(first) }
        #expect(throws: StoreFailure.self) { try reader.pieceLinks.add(link("third")) }
        #expect(try editor.pieceLinks.remove("first") && !editor.pieceLinks.remove("first"))
        #expect(try reader.pieceLinks.link(with: "first", at: 5) == nil)
        for store in [editor, reader, recorder] { store.close() }
        let reopened = try place.open(.recording)
        #expect(try reopened.pieceLinks.all() == [second])
        reopened.close()
    }

    @Test(arguments: StoreUnderTest.allCases)
    func findsAndDeletesLinksByTheirExpiry(_ kind: StoreUnderTest) async throws {
        let store = try await kind.place().open(.recording)
        let (short, long) = (link("short", expiresAt: 10), link("long", expiresAt: 20))
        for link in [short, long] { try store.pieceLinks.add(link) }
        #expect(try store.pieceLinks.link(with: "short", at: 9) == short)
        #expect(try store.pieceLinks.link(with: "short", at: 10) == nil)
        #expect(try store.pieceLinks.link(with: "unknown", at: 5) == nil)
        #expect(try !store.pieceLinks.hasExpired(at: 9) && store.pieceLinks.hasExpired(at: 10))
        try store.pieceLinks.removeExpired(at: 10)
        #expect(try store.pieceLinks.all() == [long] && !store.pieceLinks.hasExpired(at: 10))
        store.close()
    }
}
