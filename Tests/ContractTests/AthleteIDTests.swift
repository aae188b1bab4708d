import Foundation
import TestSupport
import Testing

@testable import Bytes
@testable import Contract

/// Compares the rule for athlete ids in code, schemas and interface.
@Suite struct AthleteIDTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test func acceptsAndRejectsTheListedIDs() {
        for id in AthleteIDs.valid { #expect(AthleteID.isValid(id), "\(id)") }
        for id in AthleteIDs.invalid { #expect(!AthleteID.isValid(id), "\(id)") }
    }

    @Test(arguments: [
        "v1/stroke.json", "v1/session.json", "v1/state.json", "v1/cmd_assign.json",
        "v1/cmd_forget.json", "v1/rsp.json", "logbook/v1/best.json", "logbook/v1/suggestion.json",
        "logbook/v1/training.json", "logbook/v1/cmd_suggestion.json",
    ])
    func schemasHaveTheSameRule(_ name: String) throws {
        let data = try Data(contentsOf: Self.root.appending(path: "config/schema/\(name)"))
        let schema = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let properties = schema?["properties"] as? [String: [String: Any]]
        let pattern = try #require(properties?["athlete_id"]?["pattern"] as? String)
        try expectTheTable(pattern)
    }

    @Test func interfaceHasTheSameRule() throws {
        let data = try Data(contentsOf: Self.root.appending(path: "config/schema/openapi.json"))
        let document = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let components = document?["components"] as? [String: [String: Any]]
        for name in ["athlete_id", "athlete"] {
            let parameter = components?["parameters"]?[name] as? [String: Any]
            let schema = try #require(parameter?["schema"] as? [String: Any])
            try expectTheTable(try #require(schema["pattern"] as? String))
        }
        let session = components?["schemas"]?["Session"] as? [String: Any]
        let properties = session?["properties"] as? [String: [String: Any]]
        try expectTheTable(try #require(properties?["athlete_id"]?["pattern"] as? String))
    }

    private func expectTheTable(_ pattern: String) throws {
        let expression = try NSRegularExpression(pattern: pattern)
        func matches(_ text: String) -> Bool {
            let range = NSRange(text.startIndex..., in: text)
            return expression.firstMatch(in: text, range: range)?.range == range
        }
        for id in AthleteIDs.valid { #expect(matches(id), "\(id) and \(pattern)") }
        for id in AthleteIDs.invalid { #expect(!matches(id), "\(id) and \(pattern)") }
    }

    @Test func commandsHaveTheSameRule() throws {
        func athlete(_ verb: CommandVerb, _ id: String) throws -> String? {
            let payload = JSONWriter.object { $0.field("athlete_id", id) }
            var fields = CommandFields(try #require(try JSONObject(parsing: payload)))
            switch try ParsedCommand(verb, &fields) {
            case .assign(let athlete, _): return athlete
            case .forget(let athlete): return athlete
            default: return nil
            }
        }
        for verb in [CommandVerb.assign, .forget] {
            for id in AthleteIDs.valid { #expect(try athlete(verb, id) == id) }
            for id in AthleteIDs.invalid {
                #expect(throws: CommandFault.self, "\(id)") { try athlete(verb, id) }
            }
        }
    }
}
