/// Byte-wise search in text.
///
/// Swift's own search would link its parser of regular expressions, a megabyte in each program. No target
/// imports that (`withoutExpressions` in Package.swift).
extension StringProtocol {
    /// Whether the text contains `part`; always true for an empty `part`.
    package func contains(_ part: String) -> Bool {
        Array(utf8).range(of: part) != nil
    }

    /// Returns the text with every `part` replaced; unchanged if `part` is empty.
    package func replacing(_ part: String, with replacement: some StringProtocol) -> String {
        guard !part.isEmpty else { return String(self) }
        var rest = Array(utf8)
        var bytes: [UInt8] = []
        while let found = rest.range(of: part) {
            bytes += rest[..<found.lowerBound]
            bytes += replacement.utf8
            rest.removeFirst(found.upperBound)
        }
        return String(decoding: bytes + rest, as: UTF8.self)
    }
}
