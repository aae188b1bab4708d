import Bytes
import Foundation
import Testing

@testable import Contract

@Suite struct RetainedSchemaTests {
    @Test func acceptsAllValuesOfTheSchemas() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../config/schema/v1")
        for (kind, fields) in RetainedSchema.fields {
            let data = try Data(contentsOf: root.appendingPathComponent("\(kind).json"))
            let schema = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            let properties = try #require(schema?["properties"] as? [String: [String: Any]])
            for (name, value) in fields {
                let described = try #require(properties[name], "\(kind) \(name)")
                #expect(fits(value, described), "\(kind) \(name)")
            }
        }
    }

    private func fits(_ value: RetainedSchema.Value, _ schema: [String: Any]) -> Bool {
        switch value {
        case .text: schema["type"] as? String == "string"
        case .word(let words): schema["enum"] as? [String] == words
        case .flag: schema["type"] as? String == "boolean"
        case .texts:
            (schema["items"] as? [String: Any])?["type"] as? String == "string"
        case .number(let range): covers(range, schema)
        case .numbers(let range):
            covers(range, schema["additionalProperties"] as? [String: Any] ?? [:])
        case .textsByName:
            (schema["additionalProperties"] as? [String: Any])?["type"] as? String == "string"
        case .objects(let fields):
            fits(fields, (schema["items"] as? [String: Any])?["properties"])
        }
    }

    private func fits(_ fields: [String: RetainedSchema.Value], _ properties: Any?) -> Bool {
        let properties = properties as? [String: [String: Any]] ?? [:]
        return Set(properties.keys) == Set(fields.keys)
            && fields.allSatisfy { fits($1, properties[$0] ?? [:]) }
    }

    private func covers(_ range: ClosedRange<Double>, _ schema: [String: Any]) -> Bool {
        let least = schema["minimum"] as? Double ?? -.infinity
        let most = schema["maximum"] as? Double ?? 9_007_199_254_740_992
        return range.lowerBound <= least && range.upperBound >= most
            && ["integer", "number"].contains(schema["type"] as? String)
    }
}
