import Foundation
import TestSupport
import Testing

/// Commands of the real programs with their output and exit status, as a shell shows them. Tests compare it
/// with a file in Golden.
struct CommandTranscript {
    /// Placeholder for a text that differs from run to run, such as `FOLDER` for a path.
    typealias Mask = (text: String, name: String)

    private let masks: [Mask]
    private let environment: [String: String]
    private let prefix: [String]
    private(set) var text = ""

    /// - Parameters:
    ///   - masks: expanded in commands, applied to output.
    ///   - prefix: wrapper program and its arguments.
    init(masks: [Mask], environment: [String: String], prefix: [String] = []) {
        self.masks = masks
        // No terminal, and the width of the help texts.
        self.environment = environment.merging(["TERM": "dumb", "COLUMNS": "80"]) { $1 }
        self.prefix = prefix
    }

    /// Appends a comment about the next commands.
    mutating func remark(_ sentence: String) { text += "# \(sentence)\n" }

    /// Runs one command to its end.
    ///
    /// - Parameters:
    ///   - line: program and arguments, with the names of masks.
    ///   - hiding: removes other varying text from the output.
    mutating func run(
        _ line: [String], hiding mask: (String) -> String = { $0 }
    ) async throws {
        let (process, status) = try await ChildProcess.retryingTimeouts { try start(line) }
        let end = try #require(status, "\(line) does not end")
        record(line, process.text, "[status \(end)]", mask)
    }

    /// Runs a command until it prints `end`, interrupts it, and records the output before `end`.
    mutating func run(
        _ line: [String], upTo end: String, hiding mask: (String) -> String = { $0 }
    ) async throws {
        let process = try start(line)
        #expect(await eventually { process.text.contains(end) }, "\(line): \(process.text)")
        process.signal(SIGINT)
        let status = try #require(await process.waitForExit(), "\(line) does not end")
        let shown = process.text.components(separatedBy: end)[0]
        record(line, shown, "...\n[status \(status)]", mask)
    }

    private func start(_ line: [String]) throws -> ChildProcess {
        let arguments = line.dropFirst().map { argument in
            masks.reduce(argument) { $0.replacingOccurrences(of: $1.name, with: $1.text) }
        }
        let words = prefix + [SimulatedRoom.program(line[0])] + arguments
        return try ChildProcess(words[0], Array(words.dropFirst()), environment: environment)
    }

    private mutating func record(
        _ line: [String], _ output: String, _ end: String, _ mask: (String) -> String
    ) {
        let masked = masks.reduce(output) { $0.replacingOccurrences(of: $1.text, with: $1.name) }
        text += "$ \(line.joined(separator: " "))\n\(mask(masked))\(end)\n\n"
    }
}

extension String {
    /// Replaces each number with N and each run of spaces with two spaces.
    var withoutNumbers: String {
        replacing(/-?\d+(\.\d+)?( d \d+ h| h \d+ min)?/, with: "N").replacing(/\ {2,}/, with: "  ")
    }
}
