import CommandLineText
import ControlSocket

/// A support bundle ready to be written, and its description.
package struct PackedBundle: Sendable {
    struct File: Codable, Equatable, Sendable {
        /// With its folder.
        let name: String
        /// Size after the redaction.
        let bytes: Int
        /// Where it comes from.
        let about: String
    }

    /// A whole tar file.
    package let archive: [UInt8]
    /// In the order of the archive.
    let contents: [File]

    /// The contents, and how to inspect the file before sending it.
    ///
    /// - Parameter path: where it was written.
    package func lines(writtenTo path: String) -> [StyledLine] {
        var table = TextTable([("FILE", .leading), ("BYTES", .trailing), ("WHAT", .leading)])
        for file in contents {
            table.add([
                StyledLine(file.name), StyledLine("\(file.bytes)"), StyledLine(file.about),
            ])
        }
        return table.lines + [
            StyledLine(), StyledLine("Look at it before you send it: tar -xOf \(path)"),
        ]
    }

    /// With line breaks and a fixed order of keys.
    ///
    /// - Parameter path: where it was written.
    package func jsonText(writtenTo path: String) throws -> String {
        try JSONCoding.text(Listing(file: path, contents: contents))
    }

    private struct Listing: Encodable {
        var file: String
        var contents: [File]
    }
}
