import CommandLineText
import ControlSocket

/// Files in the archive format of POSIX.1-1988 (ustar), which every tar reads.
struct TarArchive: Sendable {
    private static let block = 512

    private(set) var bytes: [UInt8] = []
    private let modified: Int

    /// - Parameter modified: seconds since 1970, for every file.
    init(modified: Int) { self.modified = modified }

    /// Adds a file that its owner may read.
    ///
    /// - Parameter name: up to 100 bytes, with folders.
    mutating func add(_ name: String, _ content: [UInt8]) {
        precondition(name.utf8.count <= 100, "the header has 100 bytes for a name")
        bytes += header(name, size: content.count)
        bytes += content
        bytes += [UInt8](
            repeating: 0, count: (Self.block - content.count % Self.block) % Self.block)
    }

    /// The whole archive, with the two empty blocks that end it.
    var finished: [UInt8] { bytes + [UInt8](repeating: 0, count: 2 * Self.block) }

    /// Offsets are those of the standard's table: name 0, mode 100, owner 108 and 116, size 124,
    /// time 136, checksum 148, type 156, magic 257, names of the owner 265 and 297.
    private func header(_ name: String, size: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: Self.block)
        func put(_ text: String, at offset: Int) {
            for (index, byte) in text.utf8.enumerated() { header[offset + index] = byte }
        }
        put(name, at: 0)
        put("0000600", at: 100)
        put("0000000", at: 108)
        put("0000000", at: 116)
        put(Self.octal(size, digits: 11), at: 124)
        put(Self.octal(modified, digits: 11), at: 136)
        put("        0", at: 148)
        put("ustar\u{0}00", at: 257)
        put("root", at: 265)
        put("root", at: 297)
        // The sum counts its own field as spaces.
        let sum = header.reduce(0) { $0 + Int($1) }
        put(Self.octal(sum, digits: 6) + "\u{0} ", at: 148)
        return header
    }

    private static func octal(_ number: Int, digits: Int) -> String {
        let text = String(max(0, number), radix: 8)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}

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
