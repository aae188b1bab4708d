/// What may import what, read from the folders: Sources/{Layer}/{Target}.
///
/// A target may import the layers that its own stands on, and nothing beside it. The few arrows that
/// the folders do not give are listed with their reason; a new one is a decision.
struct ImportRule {
    /// What each layer stands on, besides the compiler's own library.
    private static let layers: [String: (below: [String], outside: Set<String>)] = [
        // Values in, values out: no clock, no I/O, no queue.
        "Core": (["Core"], []),
        // One outside thing each, blind to each other.
        "Adapters": (["Core"], machine.union(["HostRuntime"])),
        "Services": (["Core", "Adapters"], machine),
        "Tools": (["Core", "Adapters"], machine.union(["CommandLineText"])),
        "Programs": (["Core", "Adapters", "Services", "Tools"], machine.union(["ArgumentParser"])),
    ]

    /// What comes with the compiler and the C library.
    private static let machine: Set = ["Glibc", "Synchronization", "Dispatch"]
    /// For JSON of `Codable` types, off the hot path.
    private static let foundation: Set = ["FoundationEssentials", "Foundation"]

    private static let further: [String: Set<String>] = [
        "HostRuntime": ["CSystemd", "CCrypto"],
        "SDBus": ["CSystemd"],
        // BlueZ is spoken to over D-Bus and sockets of the kernel.
        "BlueZLink": ["SDBus", "CBluetooth"],
        "MQTTClient": ["CMosquitto", "CCrypto"],
        "ControlSocket": foundation,
        "Settings": ["CTOML"],
        // The composition root puts the other services together.
        "Gateway": ["Recording", "Publishing", "Settings"],
        "Diagnosis": foundation,
    ]

    /// The layer of each target, by its folder.
    private let layers: [String: String]

    /// - Parameter files: of all of Sources.
    init(_ files: [SourceFile]) {
        layers = Dictionary(
            files.map { ($0.target, $0.layer) }, uniquingKeysWith: { first, _ in first })
    }

    func violations(in file: SourceFile) -> [String] {
        guard let rule = Self.layers[file.layer] else {
            return [file.violation(0, "\(file.layer) is no layer")]
        }
        let further = Self.further[file.target] ?? []
        return file.lines.enumerated().compactMap { index, line in
            guard let module = Self.module(importedBy: line), !rule.outside.contains(module),
                !further.contains(module), !(layers[module].map(rule.below.contains) ?? false)
            else { return nil }
            return file.violation(index, "\(file.target) may not import \(module)")
        }
    }

    /// `Rowing` for `@testable import struct Rowing.Stroke`; nil for any other line.
    static func module(importedBy line: String) -> String? {
        guard line.contains("import ") else { return nil }
        let pattern =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?/
        let rest = line.trimmingPrefix(pattern)
        guard rest.hasPrefix("import ") else { return nil }
        var words = rest.split { $0 == " " || $0 == "\t" }.dropFirst()
        let kinds = ["struct", "class", "enum", "protocol", "func", "let", "var", "typealias"]
        if let first = words.first, kinds.contains(String(first)) { words = words.dropFirst() }
        return words.first.flatMap { $0.split { $0 == "." || $0 == ";" }.first }.map(String.init)
    }
}

/// Foundation's whole is 50 MB in a static binary; its essentials are 7.
enum FoundationRule {
    /// Each needs locales and with them ICU, or hides one.
    private static let formatting = [
        ".formatted(", "String(format:", "DateFormatter", "ISO8601DateFormatter", "NumberFormatter",
        "Locale(",
        "NSRegularExpression", "NSString", "Calendar(", "NSPredicate",
    ]

    static func violations(in file: SourceFile) -> [String] {
        var violations: [String] = []
        let code = file.code
        for (index, line) in code.enumerated() {
            if ImportRule.module(importedBy: line) == "Foundation", !isFallback(code[..<index]) {
                violations.append(
                    file.violation(
                        index, "import Foundation only where FoundationEssentials cannot be had"))
            }
            for word in formatting where line.containsWord(word) {
                violations.append(file.violation(index, "\(word) brings ICU into the binary"))
            }
        }
        return violations
    }

    /// Whether the lines end inside the `#else` of `#if canImport(FoundationEssentials)`.
    private static func isFallback(_ lines: ArraySlice<String>) -> Bool {
        let directives = lines.map { $0.trimmingPrefix(while: \.isWhitespace) }
            .filter { $0.hasPrefix("#") }
        return directives.suffix(2) == ["#if canImport(FoundationEssentials)", "#else"]
    }
}
