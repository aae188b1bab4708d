import Bytes

/// A name with its value: a header, or a field of a form.
package struct HTTPField: Equatable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}

/// A request to a web server.
package struct HTTPRequest: Equatable, Sendable {
    /// What the server is to do.
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    /// The content of the request.
    package enum Body: Equatable, Sendable {
        case none
        case bytes([UInt8], contentType: String)
        /// `application/x-www-form-urlencoded`, in this order.
        case form([HTTPField])
        case multipart(MultipartBody)
    }

    /// A user name with its password, for basic authentication (RFC 7617).
    package struct Credentials: Equatable, Sendable {
        /// Without a colon.
        package let user: String
        package let password: String

        package init(user: String, password: String) { (self.user, self.password) = (user, password) }
    }

    package var method: Method
    /// `https://server:port/path?query` of ASCII characters, without user and password.
    ///
    /// `HTTPSyntax.percentEncoded` encodes other characters in path and query. An international host name is
    /// written in its ASCII form, `xn--...`.
    package var address: String
    /// Further headers. Not those that follow from the other properties: `Authorization` of `credentials`,
    /// `Content-Type` and `Content-Length` of `body`, `Host` and `User-Agent`.
    package var headers: [HTTPField]
    package var body: Body
    /// For basic authentication; nil for none.
    package var credentials: Credentials?

    package init(
        _ method: Method = .get, _ address: String, headers: [HTTPField] = [], body: Body = .none,
        credentials: Credentials? = nil
    ) {
        self.method = method
        self.address = address
        self.headers = headers
        self.body = body
        self.credentials = credentials
    }
}

extension HTTPRequest: CustomStringConvertible {
    /// The method only: all other parts may contain passwords and tokens, which a log line must not show.
    package var description: String { "\(method.rawValue) request" }
}

extension HTTPRequest.Body {
    /// The bytes with their type; nil if there is no body.
    var encoded: (bytes: [UInt8], contentType: String)? {
        switch self {
        case .none: nil
        case .bytes(let bytes, let contentType): (bytes, contentType)
        case .form(let fields): (Self.encode(fields), "application/x-www-form-urlencoded")
        case .multipart(let body): (body.encoded, body.contentType)
        }
    }

    /// A space is `%20`, which every server decodes, and not `+`.
    private static func encode(_ fields: [HTTPField]) -> [UInt8] {
        let pairs = fields.map { field in
            "\(HTTPSyntax.percentEncoded(field.name))=\(HTTPSyntax.percentEncoded(field.value))"
        }
        return Array(pairs.joined(separator: "&").utf8)
    }
}

extension HTTPRequest {
    /// All headers that libcurl does not make, or the reason why one is invalid. An invalid one could end the
    /// header section and begin another request.
    func checkedHeaders() -> Result<[HTTPField], InvalidReason> {
        var all = headers
        if let body = body.encoded { all.append(HTTPField("Content-Type", body.contentType)) }
        for header in all {
            guard !header.name.isEmpty, header.name.utf8.allSatisfy(HTTPSyntax.isTokenByte) else {
                return .failure(InvalidReason("the name of a header is invalid"))
            }
            guard header.value.utf8.allSatisfy(HTTPSyntax.isFieldByte) else {
                return .failure(
                    InvalidReason("the value of the header \(header.name) has a control character"))
            }
        }
        if let credentials {
            let texts = [credentials.user, credentials.password]
            guard texts.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }) else {
                return .failure(InvalidReason("the user name or the password has a control character"))
            }
            guard !credentials.user.utf8.contains(UInt8(ascii: ":")) else {
                return .failure(InvalidReason("the user name has a colon"))
            }
        }
        return .success(all)
    }

    /// Why a request cannot be sent.
    struct InvalidReason: Error, Equatable {
        let text: String

        init(_ text: String) { self.text = text }
    }
}
