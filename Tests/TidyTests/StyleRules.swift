/// Style rules for every file.
enum StyleRules {
    static let maximumLines = 700

    /// Of the product: crashes only by `precondition`, with its reason.
    private static let forbidden = [
        ("try!", "handle the error, or let it be thrown"),
        ("as!", "handle the other type"),
        ("fatalError(", "a broken invariant is a precondition with words"),
    ]

    static func violationsInProduct(_ file: SourceFile) -> [String] {
        let code = file.code
        var violations: [String] = []
        for (index, line) in code.enumerated() {
            for (word, advice) in forbidden where line.containsWord(word) {
                violations.append(file.violation(index, "\(word): \(advice)"))
            }
            if isLibrary(file), line.containsWord("print("), !line.contains(".print(") {
                violations.append(file.violation(index, "print(: libraries use the journal"))
            }
        }
        return violations + undocumented(file) + unexplained(file)
    }

    static func violationsAnywhere(_ file: SourceFile) -> [String] {
        var violations: [String] = []
        if file.lines.count > maximumLines {
            violations.append(file.violation(maximumLines, "more than \(maximumLines) lines"))
        }
        for (index, line) in file.lines.enumerated() {
            for mark in ["TODO", "FIXME", "XXX", "HACK"] where line.contains("// " + mark) {
                violations.append(file.violation(index, "finish it, or open an issue"))
            }
        }
        return violations + testableImports(file)
    }

    /// A release build refuses `@testable`, so only targets that `swift build -c release` omits use it.
    private static func testableImports(_ file: SourceFile) -> [String] {
        if file.path.hasPrefix("Tests/"), file.layer.hasSuffix("Tests") { return [] }
        return file.code.enumerated().filter { $1.contains("@testable") }.map { index, _ in
            file.violation(index, "@testable: swift build -c release fails; declare what is used as package")
        }
    }

    /// Programs are called as the user calls them, libraries as types are.
    private static func isLibrary(_ file: SourceFile) -> Bool {
        file.target.first?.isUppercase ?? false
    }

    /// A type that other targets use has a doc comment.
    private static func undocumented(_ file: SourceFile) -> [String] {
        let types = /^package (?:final |indirect )*(?:struct|enum|class|actor|protocol) (\w+)/
        return file.lines.enumerated().compactMap { index, line in
            guard line.hasPrefix("package "), let match = line.firstMatch(of: types) else {
                return nil
            }
            let above = file.lines[..<index].last { !$0.hasPrefix("@") } ?? ""
            return above.hasPrefix("///")
                ? nil : file.violation(index, "\(match.1) has no doc comment")
        }
    }

    /// An unchecked conformance has a comment with its justification.
    private static func unexplained(_ file: SourceFile) -> [String] {
        file.code.enumerated().compactMap { index, line in
            guard line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)")
            else { return nil }
            let above = index > 0 ? file.lines[index - 1] : ""
            return file.lines[index].contains("//") || above.contains("//")
                ? nil : file.violation(index, "name the queue, lock or lifetime in a comment")
        }
    }
}
