import Bytes

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
        let escaped = { HTTPSyntax.percentEncoded($0, keepsSlashes: true) }
        let parameters = query.map { parameter in
            let name = escaped(parameter.name)
            return parameter.value.isEmpty ? name : "\(name)=\(escaped(parameter.value))"
        }
        let end = parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")
        return escaped(path) + end
    }
}
