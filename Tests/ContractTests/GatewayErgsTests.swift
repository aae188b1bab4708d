import Bytes
import Testing

@testable import Contract

/// Which ergs a gateway may have, by its configuration and by its birth.
struct GatewayErgsTests {
    private func station(_ slug: String) throws -> StationID { try #require(StationID(slug)) }

    @Test func listedErgsAreAllThatThereAre() throws {
        let ergs = GatewayErgs([try station("bow")], serials: ["430000001"])
        #expect(ergs.contains(try station("bow")))
        #expect(!ergs.contains(try station("stern")))
        #expect(!ergs.contains(try station("pm5-430000002")))
    }

    @Test func anyMonitorWithoutANameMayBeFound() throws {
        let ergs = GatewayErgs([try station("bow")], discovery: .any, serials: ["430000001"])
        #expect(ergs.contains(try station("pm5-430000002")))
        #expect(!ergs.contains(try station("pm5-430000001")), "it has a name")
        #expect(!ergs.contains(try station("stern")))
        #expect(!ergs.contains(try station("pm5-43000000")))
    }

    @Test func birthIsReadBack() throws {
        func ergs(_ birth: Birth) throws -> GatewayErgs? {
            let text = Sample.retained(birth, of: nil)
            return Birth.ergs(in: try #require(try JSONObject(parsing: Array(text.utf8))))
        }
        #expect(try ergs(Sample.birth) == GatewayErgs([Sample.seat]))
        var old = Sample.birth
        old.discovery = nil
        #expect(try ergs(old) == nil)
    }
}
