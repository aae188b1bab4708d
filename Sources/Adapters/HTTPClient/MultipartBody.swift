/// Several values in one body: `multipart/form-data` (RFC 7578), as a form with a file sends it.
package struct MultipartBody: Equatable, Sendable {
    /// One value.
    package struct Part: Equatable, Sendable {
        /// The name of the form's field.
        package let name: String
        /// For a file; nil for a simple value.
        package let fileName: String?
        /// Without control characters; nil for a simple text in UTF-8.
        package let contentType: String?
        package let bytes: [UInt8]

        package init(
            _ name: String, fileName: String? = nil, contentType: String? = nil, bytes: [UInt8]
        ) {
            self.name = name
            self.fileName = fileName
            self.contentType = contentType
            self.bytes = bytes
        }

        /// A simple value.
        package init(_ name: String, text: String) { self.init(name, bytes: Array(text.utf8)) }
    }

    package let parts: [Part]
    /// The line between parts.
    package let boundary: String

    /// - Parameter boundary: 1 to 70 letters, digits or `-`, which do not occur in a part.
    package init(_ parts: [Part], boundary: String) {
        precondition(
            (1...70).contains(boundary.utf8.count) && boundary.utf8.allSatisfy(Self.isBoundaryByte),
            "a boundary has 1 to 70 letters, digits or hyphens")
        self.parts = parts
        self.boundary = boundary
    }

    /// With a random boundary of 128 bits, which therefore does not occur in a part.
    package init(_ parts: [Part], using generator: inout some RandomNumberGenerator) {
        let numbers = [generator.next(), generator.next()] as [UInt64]
        self.init(parts, boundary: "rowgate-" + numbers.map { String($0, radix: 36) }.joined(separator: "-"))
    }

    /// With a random boundary of the system.
    package init(_ parts: [Part]) {
        var generator = SystemRandomNumberGenerator()
        self.init(parts, using: &generator)
    }

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// All parts, and the end.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            bytes += "--\(boundary)\r\n\(Self.header(of: part))\r\n".utf8
            bytes += part.bytes
            bytes += "\r\n".utf8
        }
        bytes += "--\(boundary)--\r\n".utf8
        return bytes
    }

    private static func header(of part: Part) -> String {
        var text = "Content-Disposition: form-data; name=\"\(escaped(part.name))\""
        if let fileName = part.fileName { text += "; filename=\"\(escaped(fileName))\"" }
        text += "\r\n"
        if let contentType = part.contentType {
            precondition(
                contentType.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F },
                "the content type of a part has a control character")
            text += "Content-Type: \(contentType)\r\n"
        }
        return text
    }

    /// Escapes what would end the text, as browsers do (WHATWG HTML, 4.10.21.8).
    private static func escaped(_ name: String) -> String {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": escaped += "%22"
            case "\r": escaped += "%0D"
            case "\n": escaped += "%0A"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func isBoundaryByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
