import Foundation

/// A text file of the project, line by line.
struct SourceFile: Sendable {
    /// From the project's root, `Sources/Core/Rowing/Stroke.swift`.
    let path: String
    let lines: [String]
    /// The lines without strings and comments, so that words there break no rule.
    let code: [String]

    init(path: String, text: String) {
        self.path = path
        lines = text.components(separatedBy: "\n")
        code = lines.map(Self.withoutQuotesAndComments)
    }

    /// `Core` for everything below `Sources/Core`.
    var layer: String { folder(1) }

    /// `Rowing` for everything below `Sources/Core/Rowing`.
    var target: String { folder(2) }

    private func folder(_ depth: Int) -> String {
        let parts = path.split(separator: "/")
        return parts.count > depth + 1 ? String(parts[depth]) : ""
    }

    /// A violation in the form `file:line: message`, which editors turn into a link.
    func violation(_ index: Int, _ rule: String) -> String { "\(path):\(index + 1): \(rule)" }

    private static func withoutQuotesAndComments(_ line: String) -> String {
        var code: [UInt8] = []
        var isQuoted = false
        var previous = UInt8(ascii: " ")
        for byte in line.utf8 {
            if byte == UInt8(ascii: "\""), previous != UInt8(ascii: "\\") {
                isQuoted.toggle()
            } else if !isQuoted {
                if byte == UInt8(ascii: "/"), previous == byte {
                    code.removeLast()
                    break
                }
                code.append(byte)
            }
            previous = byte
        }
        return String(decoding: code, as: UTF8.self)
    }
}

/// The files under the project's root, as they are now.
enum SourceTree {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every Swift file below `folder`.
    static func swiftFiles(in folder: String) throws -> [SourceFile] {
        let base = root.appendingPathComponent(folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: base.path).sorted()
        return try names.filter { $0.hasSuffix(".swift") }.map { name in
            let text = try String(contentsOf: base.appendingPathComponent(name), encoding: .utf8)
            return SourceFile(path: "\(folder)/\(name)", text: text)
        }
    }

    /// The names in the root, without hidden ones.
    static func topLevel() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.path).filter {
            !$0.hasPrefix(".")
        }
    }
}

extension String {
    /// Whether `word` occurs and is not the end of a longer one, as `print(` is of `footprint(`.
    func containsWord(_ word: String) -> Bool {
        guard let first = word.first, first.isLetter else { return contains(word) }
        var rest = self[...]
        while let range = rest.range(of: word) {
            let before = self[..<range.lowerBound].last ?? " "
            if !before.isLetter && !before.isNumber && before != "_" { return true }
            rest = self[range.upperBound...]
        }
        return false
    }
}
