/// Which target may import what: the layers, as arrows that point downwards only.
///
/// A new arrow is a decision. It is made here, with its reason in the commit.
enum ImportRule {
    /// The pure core: values in, values out; any layer above may import it.
    private static let core: Set = ["PM5Codec", "Rowing"]
    /// What comes with the compiler and the C library, below everything that meets the machine.
    private static let machine: Set = ["Glibc", "Synchronization", "Dispatch"]

    static let allowed: [String: Set<String>] = [
        "PM5Codec": [],
        "Rowing": ["PM5Codec"],

        "HostRuntime": machine.union(["CSystemd"]),
        "SDBus": machine.union(["HostRuntime", "CSystemd"]),

        "RingLog": ["Glibc", "Synchronization"],
        "BlueZLink": machine.union(core).union(["SDBus", "HostRuntime", "CBluetooth"]),
        "MQTTPublishing": machine.union(core).union(["HostRuntime", "CMosquitto", "CCrypto"]),
        "RowgateControl": machine.union(foundation).union(["HostRuntime"]),

        // Decision 0002: it writes messages with the daemon's own payload code.
        "SessionReplay": core.union(["MQTTPublishing", "Synchronization"]),

        // The ring, the messages in it, the recordings it becomes, and how people read all that.
        "LogInspection": core.union(["Glibc", "RingLog", "MQTTPublishing", "RowgateControl"]),
        // It looks at what the daemon needs, by the daemon's own means.
        "Diagnosis": machine.union(foundation).union([
            "HostRuntime", "SDBus", "Rowing", "MQTTPublishing", "RowgateControl",
        ]),
        // It reads messages as text like SessionReplay, and prints like RowgateControl.
        "DeliveryProof": ["Rowing", "MQTTPublishing", "RowgateControl", "SessionReplay"],

        "RowgateDaemon": machine.union(core).union([
            "HostRuntime", "SDBus", "RingLog", "BlueZLink", "MQTTPublishing", "RowgateControl",
            "CTOML",
        ]),
        "PM5Simulator": machine.union(["PM5Codec", "SDBus", "HostRuntime"]),

        "rowgate": machine.union(["RowgateDaemon", "HostRuntime", "ArgumentParser"]),
        "rowgatectl": machine.union(core).union([
            "RowgateControl", "LogInspection", "SessionReplay", "Diagnosis", "HostRuntime",
            "ArgumentParser",
            // `prove` listens to a broker for itself.
            "DeliveryProof", "MQTTPublishing",
        ]),
        "pm5sim": machine.union(["PM5Simulator", "HostRuntime", "ArgumentParser"]),
    ]

    private static let foundation: Set = ["FoundationEssentials", "Foundation"]

    static func violations(in file: SourceFile) -> [String] {
        guard let allowed = allowed[file.target] else {
            return [file.violation(0, "the target \(file.target) has no place among the layers")]
        }
        return file.lines.enumerated().compactMap { index, line in
            guard let module = module(importedBy: line), !allowed.contains(module) else {
                return nil
            }
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
