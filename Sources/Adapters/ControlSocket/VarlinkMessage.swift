/// The JSON objects of the Varlink protocol (https://varlink.org/Method-Call), without the final NUL
/// of the wire format.
enum VarlinkMessage {
    /// Fields of every request besides its parameters.
    struct RequestHead: Decodable {
        var method: String
        /// The client accepts more than one reply.
        var more: Bool?
        /// The client wants no reply.
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
        try JSONCoding.encode(
            Request(method: method, parameters: parameters, more: more ? true : nil))
    }

    static func requestHead(_ message: [UInt8]) throws -> RequestHead {
        try JSONCoding.decode(RequestHead.self, message)
    }

    /// The parameters of a request; an absent object counts as an empty one.
    static func parameters<Parameters: Codable>(
        _ type: Parameters.Type, of message: [UInt8]
    ) throws -> Parameters {
        if let parameters = try JSONCoding.decode(Request<Parameters>.self, message).parameters {
            return parameters
        }
        return try JSONCoding.decode(Parameters.self, Array("{}".utf8))
    }

    // MARK: - Replies

    static func reply<Parameters: Codable>(
        _ parameters: Parameters, continues: Bool
    ) throws -> [UInt8] {
        try JSONCoding.encode(Reply(parameters: parameters, continues: continues ? true : nil))
    }

    static func reply(failure: ControlFailure) throws -> [UInt8] {
        try JSONCoding.encode(Reply(parameters: failure.parameters, error: failure.name))
    }

    /// The parameters of a reply and whether more replies follow; throws the peer's
    /// `ControlFailure` if it sent one.
    static func parseReply<Parameters: Codable>(
        _ type: Parameters.Type, _ message: [UInt8]
    ) throws -> (parameters: Parameters, continues: Bool) {
        if let name = try JSONCoding.decode(Reply<Empty>.self, message).error {
            // Only text details are kept; the error name is enough otherwise.
            let details = try? JSONCoding.decode(Reply<[String: String]>.self, message).parameters
            throw ControlFailure(name, parameters: details ?? [:])
        }
        let reply = try JSONCoding.decode(Reply<Parameters>.self, message)
        let parameters =
            try reply.parameters ?? JSONCoding.decode(Parameters.self, Array("{}".utf8))
        return (parameters, reply.continues ?? false)
    }
}
