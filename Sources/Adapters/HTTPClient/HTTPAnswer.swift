/// The answer of a web server, whatever its status.
package struct HTTPAnswer: Equatable, Sendable {
    /// For example 200. Redirections (3xx) are not followed.
    package let status: Int
    /// In the order of the answer; a name may occur twice.
    package let headers: [HTTPField]
    package let body: [UInt8]

    package init(status: Int, headers: [HTTPField] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Whether the server accepted the request: 200 to 299.
    package var isSuccess: Bool { (200..<300).contains(status) }

    /// Returns the value of the first header with this name in any case; nil if there is none.
    package func header(_ name: String) -> String? {
        let lowercase = name.lowercased()
        return headers.first { $0.name.lowercased() == lowercase }?.value
    }

    /// The body as text; invalid UTF-8 is replaced.
    package var text: String { String(decoding: body, as: UTF8.self) }
}
