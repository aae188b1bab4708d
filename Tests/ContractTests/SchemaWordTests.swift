import Foundation
import PM5Codec
import Testing

@testable import Contract

/// The words of the monitor's enumerations against those that the JSON Schemas allow.
@Suite struct SchemaWordTests {
    /// What a schema lists for a field.
    private static func values(of field: String, in kind: String) throws -> Set<String> {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(
            contentsOf: root.appendingPathComponent("config/schema/v1/\(kind).json"))
        let schema = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let properties = schema?["properties"] as? [String: [String: Any]]
        let property = try #require(properties?[field])
        let open = (property["anyOf"] as? [[String: Any]])?.first?["enum"]
        return Set(try #require((open ?? property["enum"]) as? [String]))
    }

    /// The words of every number that the wire has room for, unknown ones left out.
    private static func words(_ word: (UInt8) -> String?) -> Set<String> {
        Set((0...UInt8.max).compactMap(word).filter { !$0.hasPrefix("unrecognized_") })
    }

    @Test func everyWordIsInTheSchemas() throws {
        // Goal: no monitor can make us publish what the schemas refuse, and they promise no word
        // that never comes. Method: all 256 numbers of each enumeration, both ways.
        #expect(
            try Self.values(of: "workout", in: "session")
                == Self.words { WorkoutType(rawValue: $0).word })
        #expect(
            try Self.values(of: "session_type", in: "summary")
                == Self.words { WorkoutType(rawValue: $0).sessionType })
        #expect(
            try Self.values(of: "type", in: "split")
                == Self.words { IntervalType(rawValue: $0).word })
        #expect(
            try Self.values(of: "machine_type", in: "info")
                == Self.words { ErgMachineType(rawValue: $0).word })
        #expect(
            try Self.values(of: "stroke_phase", in: "live")
                == Self.words { StrokeState(rawValue: $0).word })
    }
}
