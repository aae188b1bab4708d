import Foundation
import LogbookStores
import Suggestions
import Testing
import Training
import TrainingFiles

@testable import Contract
@testable import Logbook
@testable import WebServer

/// The document at `/api/v1/openapi.json` matches the code.
@Suite struct InterfaceDocumentTests {
    private typealias Object = [String: Any]
    private let paths: Object
    private let components: Object

    init() throws {
        let content = Data(LogbookRouter.document.bytes)
        let document = try #require(try JSONSerialization.jsonObject(with: content) as? Object)
        paths = try #require(document["paths"] as? Object)
        components = try #require(document["components"] as? Object)
    }

    /// Resolves `$ref`.
    private func resolved(_ value: Any?) -> Object {
        guard let object = value as? Object else { return [:] }
        guard let reference = object["$ref"] as? String else { return object }
        let parts = reference.split(separator: "/").map(String.init)
        #expect(parts.count == 4 && parts[..<2] == ["#", "components"], "\(reference)")
        return resolved((components[parts[2]] as? Object)?[parts[3]])
    }

    private func parameters(_ holder: Object) -> [Object] {
        (holder["parameters"] as? [Any] ?? []).map(resolved)
    }

    private func schema(_ parameter: String) -> Object {
        let all = components["parameters"] as? Object ?? [:]
        let found = all.values.map(resolved).first { $0["name"] as? String == parameter }
        return resolved(found?["schema"])
    }

    private func words(_ schema: Any?) -> [String] { resolved(schema)["enum"] as? [String] ?? [] }

    private func property(_ name: String, of schema: String) -> Object {
        let found = resolved(["$ref": "#/components/schemas/\(schema)"])
        return resolved((found["properties"] as? Object)?[name])
    }

    @Test func documentDescribesExactlyTheEndpoints() throws {
        let routes = Endpoint.allCases.map(\.route)
        #expect(Set(paths.keys) == Set(routes.map(\.path)))
        for endpoint in Endpoint.allCases {
            let (route, role) = (endpoint.route, endpoint.route.role)
            let path = resolved(paths[route.path])
            let methods = routes.filter { $0.path == route.path }.map { $0.method.rawValue.lowercased() }
            #expect(Set(path.keys).subtracting(["parameters"]) == Set(methods), "\(endpoint)")
            let operation = resolved(path[route.method.rawValue.lowercased()])
            #expect((operation["deprecated"] as? Bool ?? false) == (route.successor != nil), "\(endpoint)")
            #expect(operation["operationId"] as? String == "\(endpoint)")
            #expect(operation["x-role"] as? String == role?.rawValue, "\(endpoint)")
            let names = parameters(operation).map { $0["name"] as? String }
            #expect(names == endpoint.parameters.map(\.rawValue), "\(endpoint)")
            let parts = route.path.matches(of: /\{(\w+)\}/).map { String($0.1) }
            #expect(parameters(path).map { $0["name"] as? String } == parts, "\(endpoint)")
            let security = operation["security"] as? [Object] ?? []
            #expect(security.contains { $0["token"] != nil } == (role != nil))
            #expect(security.contains(where: \.isEmpty) == (role == .wall))
        }
    }

    @Test func documentedValuesMatchCode() {
        #expect(words(schema("format")) == SessionFileFormat.allCases.map(\.rawValue))
        #expect(words(schema("kind")) == StreamKind.ofStation.map(\.topicName))
        #expect(words(schema("state")) == SessionState.allCases.map(\.rawValue))
        let limit = schema("limit")
        #expect(limit["minimum"] as? Int == QueryParameters.limits.lowerBound)
        #expect(limit["maximum"] as? Int == QueryParameters.limits.upperBound)
        #expect(limit["default"] as? Int == QueryParameters.defaultLimit)
        #expect(words(property("kind", of: "Stream")) == StreamKind.allCases.map(\.topicName))
        let missing = property("missing", of: "Stream")
        #expect(missing["maxItems"] as? Int == RecordRequestHandler.missingRanges)
        let causes = (resolved(missing["items"])["properties"] as? Object)?["cause"]
        let reasons = GatewayEvent.DropReason.allCases.map(\.rawValue)
        #expect(words(causes) == ["unknown", "gone", "refused"] + reasons)
        #expect(words(property("role", of: "Guest")) == Role.allCases.map(\.rawValue))
        let verbs = RequestedCommand.verbs.map(\.rawValue)
        #expect(Set(words(property("verb", of: "Command"))) == Set(verbs))
        #expect(
            words(property("reason", of: "Lack")) == MissingReason.Kind.allCases.map(\.rawValue))
        let places = property("to", of: "Command")
        #expect(
            words(property("state", of: "StandingSuggestion"))
                == AthleteSuggestions.State.allCases.map(\.rawValue))
        let past = property("past", of: "Suggestions")
        #expect(past["maxItems"] as? Int == AthleteSuggestions.mostPast)
        #expect(
            words(property("rule", of: "Suggestion")) == SuggestionRule.allCases.map(\.rawValue))
        #expect(
            words(property("confidence", of: "Suggestion")) == Confidence.allCases.map(\.rawValue))
        #expect(
            words(property("finding", of: "SuggestionReason"))
                == SuggestionReason.Finding.allCases.map(\.rawValue))
        #expect(
            words(property("verdict", of: "SuggestionOutcome"))
                == SuggestionOutcome.Verdict.allCases.map(\.rawValue))
        #expect(
            words(property("say", of: "SuggestionAnswer"))
                == SuggestionAnswer.Verb.allCases.map(\.rawValue))
        let why = property("why", of: "SuggestionAnswer")
        #expect(why["maxLength"] as? Int == SuggestionAnswer.maximumReasonLength)
        #expect(places["maxItems"] as? Int == RequestedCommand.maximumPlaces)
    }

    @Test func everyReferenceResolves() throws {
        let text = String(decoding: LogbookRouter.document.bytes, as: UTF8.self)
        let references = text.matches(of: /"\$ref":"([^"]+)"/).map { String($0.1) }
        #expect(references.count > 50)
        for reference in Set(references) {
            #expect(!resolved(["$ref": reference]).isEmpty, "\(reference)")
        }
    }
}
