import Foundation
import PM5Codec
import Testing

@testable import Contract

/// Compares wire names of the monitor's enumerations with the JSON Schemas.
@Suite struct WireNameSchemaTests {
    /// The values of a field in a schema.
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

    /// Wire names of all 256 numbers, without unknown ones.
    private static func wireNames(_ name: (UInt8) -> String?) -> Set<String> {
        Set((0...UInt8.max).compactMap(name).filter { !$0.hasPrefix("unrecognized_") })
    }

    @Test func wireNamesMatchTheSchemas() throws {
        // Compares all 256 numbers of each enumeration in both directions.
        #expect(
            try Self.values(of: "workout", in: "session")
                == Self.wireNames { WorkoutType(rawValue: $0).wireName })
        #expect(
            try Self.values(of: "session_type", in: "summary")
                == Self.wireNames { WorkoutType(rawValue: $0).sessionType })
        #expect(
            try Self.values(of: "type", in: "split")
                == Self.wireNames { IntervalType(rawValue: $0).wireName })
        #expect(
            try Self.values(of: "machine_type", in: "info")
                == Self.wireNames { ErgMachineType(rawValue: $0).wireName })
        #expect(
            try Self.values(of: "stroke_phase", in: "live")
                == Self.wireNames { StrokeState(rawValue: $0).wireName })
    }
}
