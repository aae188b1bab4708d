import Testing

@testable import Settings

/// A configuration with two keys.
private struct Kettle: Equatable {
    var liters: Int
    var name: String?
}

@Suite struct SectionTests {
    private func read(_ text: String) throws -> (kettle: Kettle, problems: [String]) {
        let file = try ConfigurationFile(parsing: Array(text.utf8), path: "kettle.toml")
        var reader = ConfigurationReader(file.table, mainFile: "kettle.toml")
        let kettle = reader.section("kettle") { section in
            Kettle(
                liters: section.integer("liters", in: 1...9, default: 2),
                name: section.optionalText("name", .slug))
        }
        return (kettle, reader.problems().map(\.description))
    }

    @Test func readsValuesAndDefaults() throws {
        let (kettle, problems) = try read("[kettle]\nname = \"tea\"")
        #expect(kettle == Kettle(liters: 2, name: "tea"))
        #expect(problems == [])
    }

    @Test func reportsAllProblemsWithPlaceAndSuggestion() throws {
        let (kettle, problems) = try read("[kettle]\nliters = 12\nnam = \"tea\"\n\n[pot]")
        #expect(kettle == Kettle(liters: 2, name: nil))
        #expect(
            problems == [
                "kettle.toml:2:1: kettle.liters: 12 is outside 1 to 9",
                "kettle.toml:3:1: kettle.nam: unknown key; did you mean name?",
                "kettle.toml:5:2: pot: unknown section",
            ])
    }
}
