/// The permitted imports, derived from the folders: Sources/{Layer}/{Target}.
///
/// A target may import the layers below its own, and no others. The few further
/// dependencies are listed with their reason; a new one is a decision.
struct ImportRule {
    /// The layers below each layer, besides the compiler's own library.
    private static let layers: [String: (below: [String], outside: Set<String>)] = [
        // Values in, values out: no clock, no I/O, no queue.
        "Core": (["Core"], []),
        // One outside thing each, blind to each other.
        "Adapters": (["Core"], machine.union(["HostRuntime"])),
        "Services": (["Core", "Adapters"], machine),
        "Tools": (["Core", "Adapters"], machine.union(["CommandLineText"])),
        "Programs": (["Core", "Adapters", "Services", "Tools"], machine.union(["ArgumentParser"])),
    ]

    /// Modules of the compiler and the C library. Foundation is not among them: its essentials add
    /// five megabytes to each program, its whole fifty.
    private static let machine: Set = ["Glibc", "Synchronization", "Dispatch"]

    private static let further: [String: Set<String>] = [
        "HostRuntime": ["CSystemd", "CCrypto"],
        "SDBus": ["CSystemd"],
        // BlueZ is spoken to over D-Bus and sockets of the kernel.
        "BlueZLink": ["SDBus", "CBluetooth"],
        // avahi-daemon is spoken to over D-Bus.
        "AvahiClient": ["SDBus"],
        "MQTTClient": ["CMosquitto", "CCrypto"],
        "WebServer": ["CMicroHTTPD"],
        "QRCodes": ["CQREncode"],
        "HTTPClient": ["CCurl"],
        "LogbookStores": ["CSQLite", "CPostgreSQL", "CZstd"],
        "Settings": ["CTOML"],
        // The files of the pages, embedded by the assembler, and their compression.
        "WebPages": ["CPageFiles", "CZlib"],
        // The simulator rows the history of the demo.
        "DemoClub": ["PM5Simulator"],
        // The composition roots put the other services together.
        "Gateway": ["Recording", "Publishing", "Settings"],
        "Logbook": ["Settings", "Uploads", "WebPages"],
        // Encryption and signatures.
        "Uploads": ["CCrypto"],
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
