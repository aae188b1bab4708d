import Bytes
import Testing

@testable import Contract

/// The ergs that a gateway may have, from its configuration and from its birth.
struct GatewayErgsTests {
    private func station(_ slug: String) throws -> StationID { try #require(StationID(slug)) }

    @Test func listedGatewayHasOnlyListedErgs() throws {
        let ergs = GatewayErgs([try station("bow")], serials: ["430000001"])
        #expect(ergs.contains(try station("bow")))
        #expect(!ergs.contains(try station("stern")))
        #expect(!ergs.contains(try station("pm5-430000002")))
    }

    @Test func discoveryAddsUnnamedMonitors() throws {
        let ergs = GatewayErgs([try station("bow")], discovery: .any, serials: ["430000001"])
        #expect(ergs.contains(try station("pm5-430000002")))
        #expect(!ergs.contains(try station("pm5-430000001")), "the monitor has a configured erg")
        #expect(!ergs.contains(try station("stern")))
        #expect(!ergs.contains(try station("pm5-43000000")))
    }

    @Test func parsesErgsOfBirth() throws {
        func ergs(_ birth: Birth) throws -> GatewayErgs? {
            let text = Sample.retained(birth, of: nil)
            return Birth.ergs(in: try #require(try JSONObject(parsing: Array(text.utf8))))
        }
        #expect(try ergs(Sample.birth) == GatewayErgs([Sample.erg]))
        var old = Sample.birth
        old.discovery = nil
        #expect(try ergs(old) == nil)
    }
}
