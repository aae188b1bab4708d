import Foundation
import TestSupport
import Testing

/// Command lines of the real programs, with what they print and end with, as somebody at a shell
/// sees it. Held against a file in Golden.
struct CommandTranscript {
    /// What stands for something that differs from run to run: `FOLDER` for a path, say.
    typealias Mask = (text: String, name: String)

    private let masks: [Mask]
    private let environment: [String: String]
    private let prefix: [String]
    private(set) var text = ""

    /// - Parameters:
    ///   - masks: undone in command lines, applied to what is printed.
    ///   - prefix: a program that runs the programs, and its arguments.
    init(masks: [Mask], environment: [String: String], prefix: [String] = []) {
        self.masks = masks
        // Of no terminal, and as wide as help is written for.
        self.environment = environment.merging(["TERM": "dumb", "COLUMNS": "80"]) { $1 }
        self.prefix = prefix
    }

    /// Why the next commands are given.
    mutating func remark(_ sentence: String) { text += "# \(sentence)\n" }

    /// Runs one command to its end.
    ///
    /// - Parameters:
    ///   - line: program and arguments, with the names of masks.
    ///   - figures: takes out of the output what varies beyond the masks.
    mutating func run(
        _ line: [String], hiding figures: (String) -> String = { $0 }
    ) async throws {
        let (process, status) = try await ChildProcess.answered { try start(line) }
        let end = try #require(status, "\(line) does not end")
        record(line, process.text, "[status \(end)]", figures)
    }

    /// Runs a command that goes on until it is told to stop, and keeps what came before `end`.
    mutating func run(
        _ line: [String], upTo end: String, hiding figures: (String) -> String = { $0 }
    ) async throws {
        let process = try start(line)
        #expect(await eventually { process.text.contains(end) }, "\(line): \(process.text)")
        process.signal(SIGINT)
        let status = try #require(await process.waitForExit(), "\(line) does not end")
        let shown = process.text.components(separatedBy: end)[0]
        record(line, shown, "...\n[status \(status)]", figures)
    }

    private func start(_ line: [String]) throws -> ChildProcess {
        let arguments = line.dropFirst().map { argument in
            masks.reduce(argument) { $0.replacingOccurrences(of: $1.name, with: $1.text) }
        }
        let words = prefix + [SimulatedRoom.program(line[0])] + arguments
        return try ChildProcess(words[0], Array(words.dropFirst()), environment: environment)
    }

    private mutating func record(
        _ line: [String], _ output: String, _ end: String, _ hiding: (String) -> String
    ) {
        let masked = masks.reduce(output) { $0.replacingOccurrences(of: $1.text, with: $1.name) }
        text += "$ \(line.joined(separator: " "))\n\(hiding(masked))\(end)\n\n"
    }
}

extension String {
    /// Every number as N, and columns that its width moved two spaces apart: for lines about the
    /// moment, whose alignment is held by other golden files.
    var withoutFigures: String {
        replacing(/-?\d+(\.\d+)?( d \d+ h| h \d+ min)?/, with: "N").replacing(/\ {2,}/, with: "  ")
    }
}
