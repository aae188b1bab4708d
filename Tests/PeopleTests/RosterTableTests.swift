import TestSupport
import Testing

@testable import People

@Suite struct RosterTableTests {
    private func entries(_ text: String, used: Set<String> = []) throws(PeopleFault) -> [RosterTable.Entry] {
        try RosterTable.entries(in: Array(text.utf8), isUsed: used.contains)
    }

    private func fault(_ text: String) -> String? {
        do throws(PeopleFault) {
            _ = try entries(text)
            return nil
        } catch { return "\(error)" }
    }

    @Test func readsTableOfSpreadsheet() throws {
        let found = try entries(
            "\u{FEFF}Name;birth_year;weight_kg;groups\r\nAnna Müller;2006;57,5;Juniors; \r\n;;;\r\n"
                .replacing("Juniors; ", with: "\"Juniors; U23\""))
        #expect(found.count == 1)
        let anna = try #require(found.first)
        #expect(anna.profile.id == "anna-muller" && anna.profile.birthYear == 2006)
        #expect(anna.profile.weight == 575 && anna.groups == ["Juniors", "U23"])
    }

    @Test func givesEachAthleteItsOwnID() throws {
        let found = try entries("name,athlete_id\nAnna,\nAnna,\nBen,a-17\n", used: ["anna"])
        #expect(found.map(\.profile.id) == ["anna-2", "anna-3", "a-17"])
        #expect(found.map(\.groups) == [nil, nil, nil])
    }

    @Test func readsWhatItWrites() throws {
        var anna = try AthleteProfile(id: "anna", name: "=SUM(A1)")
        anna.note = "two\nlines, \"quoted\"; and more"
        anna.isArchived = true
        let ben = try AthleteProfile(id: "ben", name: "'-Ben")
        let written = [RosterTable.Entry(anna, groups: ["Juniors"]), RosterTable.Entry(ben, groups: [])]
        let rows = RosterTable.rows(of: written)
        // A spreadsheet must not calculate a name.
        #expect(rows[1].contains("'=SUM(A1)"))
        let text = rows.map { row in
            row.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }.joined(separator: ",") + "\r\n"
        }.joined()
        let read = try entries(text)
        #expect(read.first == written.first)
        #expect(read.map(\.profile.isArchived) == [true, false])
    }

    @Test(arguments: [
        ("", "the file is empty; begin with the header"),
        ("id,name\n", "line 1: unknown column \"id\"; use the columns athlete_id,name,"),
        ("name,name\n", "line 1: the column name appears twice; remove one"),
        ("birth_year\n2006\n", "line 1: the column name is missing"),
        ("name,birth_year\nAnna,94\n", "line 2 (birth_year): \"94\" is not valid; use a whole number"),
        ("name\nAnna,2006\n", "line 2: there are 2 cells but 1 columns; quote a text"),
        ("name\n\"Anna\n", "line 2: the text has no closing quote; write a quote"),
        ("name,athlete_id\nAnna,a\n\nBen,a\n", "line 4 (athlete_id): two lines have the id a; change"),
        ("name,athlete_id\nAnna,a b\n", "line 2 (athlete_id): \"a b\" is not a valid id; use 1 to 64"),
    ])
    func namesTheWrongLine(_ text: String, _ expected: String) throws {
        let found = try #require(fault(text))
        #expect(found.hasPrefix(expected), "\(found)")
    }

    @Test func refusesOtherEncodingsAndSizes() {
        #expect(throws: PeopleFault("the text is not UTF-8", "save the file as CSV UTF-8")) {
            try RosterTable.entries(in: [0x6E, 0xE4]) { _ in false }
        }
        #expect(throws: PeopleFault.self) {
            try RosterTable.entries(in: Array(repeating: 0x61, count: 1 << 21)) { _ in false }
        }
    }
}
