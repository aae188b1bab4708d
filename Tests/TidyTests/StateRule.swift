/// Rule for shared state: a file that extends a type, such as `Room+Planning.swift`, lists above the
/// extension the type's fields that it changes, or that it changes "every field".
///
/// It reads text and no types: it sees an assignment, an `&`, and the calls by which collections
/// change.
enum StateRule {
    /// - Parameter files: of all of Sources, so that the file of each extended type is among them.
    static func violations(in files: [SourceFile]) -> [String] {
        let byPath = Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0) })
        return files.flatMap { file -> [String] in
            guard let plus = file.path.firstIndex(of: "+"),
                let extended = byPath[file.path[..<plus] + ".swift"],
                let type = extended.path.split(separator: "/").last?.dropLast(".swift".count)
            else { return [] }
            let opening = file.lines.firstIndex { $0.contains("extension \(type)") } ?? 0
            let comment = file.lines[..<opening].reversed().prefix { $0.hasPrefix("///") }.joined()
            guard !comment.contains("every field") else { return [] }
            return fields(of: type, in: extended)
                .filter { !comment.contains("`\($0)`") && isChanged($0, in: file.code) }
                .map { file.violation(opening, "changes \($0) of \(type) and does not name it") }
        }
    }

    /// The stored properties that files beside the type's own may change.
    private static func fields(of type: Substring, in file: SourceFile) -> [String] {
        let field = /^    (?:package |nonisolated\(unsafe\) |weak )*var (\w+)(?:[:= ].*[^{]|)$/
        let opening = file.code.firstIndex {
            $0.wholeMatch(of: /(?:[@\w]+ )*(?:class|actor|struct) (\w+)\b.*/)?.1 == type
        }
        guard let opening else { return [] }
        return file.code[opening...].prefix { $0 != "}" }.compactMap { line in
            guard let match = line.wholeMatch(of: field), !line.hasSuffix("}") else { return nil }
            return String(match.1)
        }
    }

    private static func isChanged(_ field: String, in code: [String]) -> Bool {
        let parts = #"(?:[?!]?\.\w+|\[[^\]]*\])*[?!]?"#
        let patterns = [
            #"^\s*(?:self\.)?\#(field)\#(parts)\s*(?:[-+*/|&]|<<|>>|\?\?)?=(?!=).*"#,
            #".*&(?:self\.)?\#(field)\b.*"#,
            #"^\s*(?:self\.)?\#(field)\#(parts)\.(?:append|insert|remove\w*|toggle)\(.*"#,
        ]
        return patterns.contains { pattern in
            guard let expression = try? Regex(pattern) else { return true }
            return code.contains { $0.wholeMatch(of: expression) != nil }
        }
    }
}
