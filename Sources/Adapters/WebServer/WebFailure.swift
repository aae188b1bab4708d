/// An error for the HTML error page of a browser.
package struct WebFailure: Sendable {
    package let status: UInt32
    /// As in `WebAnswer.failure`.
    package let code: String
    /// In English.
    package let message: String
    /// The request, without method and body.
    package let request: WebRequest

    package init(status: UInt32, code: String, message: String, request: WebRequest) {
        self.status = status
        self.code = code
        self.message = message
        self.request = request
    }

    /// Renders the HTML error page.
    package typealias Page = @Sendable (WebFailure) -> [UInt8]
}

extension WebRequest {
    /// A percent-encoded path with query: `/coach?gw=boathouse`.
    package static func address(_ path: String, _ query: [WebParameter] = []) -> String {
        let parameters = query.map { parameter in
            let name = escaped(parameter.name)
            return parameter.value.isEmpty ? name : "\(name)=\(escaped(parameter.value))"
        }
        let end = parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")
        return escaped(path) + end
    }

    /// Percent-encodes everything but letters, digits and `-._~/` (RFC 3986, 2.1).
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
        return escaped
    }
}
