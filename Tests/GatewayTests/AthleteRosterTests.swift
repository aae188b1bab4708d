import TestSupport
import Testing

@testable import Gateway

@Suite struct AthleteRosterTests {
    private func load(_ text: String, ergs: Set<String>? = ["erg-1"]) throws -> AthleteRoster {
        let folder = try TemporaryFolder()
        let path = folder.path("roster.toml")
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return try AthleteRoster.load(from: path, ergs: ergs)
    }

    @Test func isRead() throws {
        // Goal: ids, names and places as they stand in the file. Method: by example.
        let roster = try load(
            """
            [[athlete]]
            id = "a-1"
            name = "Bow"
            erg = "erg-1"
            [[athlete]]
            id = "a-2"
            """)
        #expect(roster.ids == ["a-1", "a-2"] && roster.names == ["a-1": "Bow"])
        #expect(roster.athletes.map(\.erg) == ["erg-1", nil])
    }

    static let mistakes: [(text: String, says: String)] = [
        ("[[athlete]]\nname = \"Bow\"", "roster.toml:1:1: athlete[1].id: is missing"),
        ("[[athlete]]\nid = \"Anna B\"", "is not a slug"),
        ("[[athlete]]\nid = \"a\"\n[[athlete]]\nid = \"a\"", "is taken already"),
        ("[[athlete]]\nid = \"a\"\nerg = \"erg-9\"", "is no [[erg]] of the configuration"),
        ("[[athlete]]\nid = \"a\"\nweight = 70", "unknown key"),
        ("[[athlet]]\nid = \"a\"", "did you mean athlete?"),
    ]

    @Test(arguments: mistakes)
    func mistakesAreTold(text: String, says: String) {
        // Goal: what is wrong is told with its place, as for the configuration. Method: by example.
        #expect {
            try load(text)
        } throws: { error in
            "\(error)".contains(says)
        }
    }

    @Test func allIsNoErg() throws {
        // Goal: no erg can hide behind the whole room's name. Method: an erg of that slug.
        #expect {
            try configuration("[[erg]]\nslug = \"all\"\nserial = \"430000001\"")
        } throws: { error in
            "\(error)".contains("means the whole room")
        }
    }
}
