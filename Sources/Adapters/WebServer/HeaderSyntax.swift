import Bytes

/// Checks the header fields of one request, as RFC 9112 requires.
///
/// Refuses ambiguous requests, because a proxy in front may have parsed them differently.
struct HeaderSyntax {
    private var hosts = 0
    private var lengths = 0
    private var encodings = 0
    private var fieldFault: String?

    /// - Parameter isFolded: whether the field continues on a second line.
    mutating func check(
        name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, isFolded: Bool
    ) {
        if isFolded {
            fieldFault = "a header must not be continued on a second line"
        } else if name.isEmpty || !name.allSatisfy(HTTPSyntax.isTokenByte) {
            fieldFault = "the name of a header must be a token, directly followed by a colon"
        } else if !value.allSatisfy(HTTPSyntax.isFieldByte) {
            fieldFault = "the value of a header must not contain control characters"
        }
        hosts += Self.isEqual(name, "host") ? 1 : 0
        lengths += Self.isEqual(name, "content-length") ? 1 : 0
        encodings += Self.isEqual(name, "transfer-encoding") ? 1 : 0
    }

    /// The first fault of the checked fields, as a sentence; nil if there is none.
    var fault: String? {
        if let fieldFault { return fieldFault }
        if hosts > 1 { return "the request has more than one Host header" }
        if lengths > 1 { return "the request has more than one Content-Length header" }
        if lengths > 0, encodings > 0 {
            return "the request has both Content-Length and Transfer-Encoding"
        }
        return nil
    }

    /// - Parameter lowercase: in lower case.
    private static func isEqual(_ name: UnsafeRawBufferPointer, _ lowercase: String) -> Bool {
        name.count == lowercase.utf8.count
            && zip(name, lowercase.utf8).allSatisfy { $0 == $1 || ($0 | 0x20) == $1 }
    }
}
