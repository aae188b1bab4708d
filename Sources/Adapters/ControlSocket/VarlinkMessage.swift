#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The JSON objects of the Varlink protocol (https://varlink.org/Method-Call), without the NUL that
/// ends each on the wire.
enum VarlinkMessage {
    /// What every request says, whatever its parameters are.
    struct RequestHead: Decodable {
        var method: String
        /// The client takes more than one reply.
        var more: Bool?
        /// The client takes no reply at all.
        var oneway: Bool?
    }

    private struct Request<Parameters: Codable>: Codable {
        var method: String
        var parameters: Parameters?
        var more: Bool?
    }

    private struct Reply<Parameters: Codable>: Codable {
        var parameters: Parameters?
        var continues: Bool?
        var error: String?
    }

    private struct Empty: Codable {}

    // MARK: - Requests

    static func request<Parameters: Codable>(
        _ method: String, _ parameters: Parameters, more: Bool
    ) throws -> [UInt8] {
        try encode(Request(method: method, parameters: parameters, more: more ? true : nil))
    }

    static func requestHead(_ message: [UInt8]) throws -> RequestHead {
        try decode(RequestHead.self, message)
    }

    /// The parameters of a request; an absent object counts as an empty one.
    static func parameters<Parameters: Codable>(
        _ type: Parameters.Type, of message: [UInt8]
    ) throws -> Parameters {
        if let parameters = try decode(Request<Parameters>.self, message).parameters {
            return parameters
        }
        return try decode(Parameters.self, Array("{}".utf8))
    }

    // MARK: - Replies

    static func reply<Parameters: Codable>(
        _ parameters: Parameters, continues: Bool
    ) throws -> [UInt8] {
        try encode(Reply(parameters: parameters, continues: continues ? true : nil))
    }

    static func reply(failure: ControlFailure) throws -> [UInt8] {
        try encode(Reply(parameters: failure.parameters, error: failure.name))
    }

    /// The parameters of a reply and whether more replies follow; throws the peer's
    /// `ControlFailure` if it sent one.
    static func parseReply<Parameters: Codable>(
        _ type: Parameters.Type, _ message: [UInt8]
    ) throws -> (parameters: Parameters, continues: Bool) {
        if let name = try decode(Reply<Empty>.self, message).error {
            // Details of other kinds than text are not shown; the name says what happened.
            let details = try? decode(Reply<[String: String]>.self, message).parameters
            throw ControlFailure(name, parameters: details ?? [:])
        }
        let reply = try decode(Reply<Parameters>.self, message)
        let parameters = try reply.parameters ?? decode(Parameters.self, Array("{}".utf8))
        return (parameters, reply.continues ?? false)
    }

    // MARK: -

    /// Keys are sorted, so that equal values are equal bytes.
    static func encode(_ value: some Encodable, pretty: Bool = false) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if pretty { encoder.outputFormatting.insert(.prettyPrinted) }
        return Array(try encoder.encode(value))
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ message: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(message))
    }
}

/// An error reply: a qualified name, and what goes with it.
package struct ControlFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// Qualified: that of our interface, or one of org.varlink.service.
    package let name: String
    /// `message` is a sentence for a person; others name the culprit.
    package let parameters: [String: String]

    package init(_ name: String, parameters: [String: String] = [:]) {
        self.name = name
        self.parameters = parameters
    }

    /// An error of our own interface, with a sentence for the person who caused it.
    package init(rowgate name: String, message: String) {
        self.init(RowgateInterface.name + "." + name, parameters: ["message": message])
    }

    package var description: String {
        if let message = parameters["message"] { return message }
        let details = parameters.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return details.isEmpty ? name : "\(name): \(details.joined(separator: ", "))"
    }
}

extension ControlFailure {
    static func methodNotFound(_ method: String) -> ControlFailure {
        ControlFailure("org.varlink.service.MethodNotFound", parameters: ["method": method])
    }

    static func interfaceNotFound(_ interface: String) -> ControlFailure {
        ControlFailure(
            "org.varlink.service.InterfaceNotFound", parameters: ["interface": interface])
    }

    static func invalidParameter(_ parameter: String) -> ControlFailure {
        ControlFailure("org.varlink.service.InvalidParameter", parameters: ["parameter": parameter])
    }

    static let expectedMore = ControlFailure("org.varlink.service.ExpectedMore")

    static func malformedRequest(_ message: String) -> ControlFailure {
        ControlFailure(rowgate: "MalformedRequest", message: message)
    }

    static func requestTooLarge(limit: Int) -> ControlFailure {
        ControlFailure(
            rowgate: "RequestTooLarge",
            message: "a request has at most \(limit) bytes before its NUL")
    }

    static let tooManyClients = ControlFailure(
        rowgate: "TooManyClients", message: "every client slot is taken; try again in a moment")
}
