/// Searching in text, byte for byte.
///
/// Swift's own comes with its parser of regular expressions, which is a megabyte of each program; no
/// target imports that (`withoutExpressions` in Package.swift).
extension StringProtocol {
    /// Whether `part` stands somewhere in it; an empty one always does.
    package func contains(_ part: String) -> Bool {
        Array(utf8).range(of: part) != nil
    }

    /// With `replacement` in place of `part` wherever that stands, which is nowhere if it is empty.
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
