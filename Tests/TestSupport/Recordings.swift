import Foundation

/// Recorded connections: JSON Lines of `t_ms`, `dir`, `characteristic` and `hex`.
///
/// `Tests/Recordings` holds hand-written ones. `ROWGATE_RECORDINGS` may name a folder with more, for
/// example captures of real monitors: tests that look at every recording read those too.
package enum Recordings {
    private static let tests = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the path of a recording in `Tests/Recordings`.
    package static func path(_ name: String) -> String {
        tests.appending(path: "Recordings/\(name)").path
    }

    /// Returns the text of a recording in `Tests/Recordings`; throws when it cannot be read.
    package static func text(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// Returns all recordings of whole sessions: of this repository, then of `ROWGATE_RECORDINGS`.
    package static func sessions() throws -> [URL] {
        var folders = [
            (tests.appending(path: "Recordings"), ".jsonl"),
            (tests.appending(path: "SessionReplayTests/Golden"), ".in.jsonl"),
        ]
        if let more = ProcessInfo.processInfo.environment["ROWGATE_RECORDINGS"] {
            folders.append((URL(fileURLWithPath: more), ".jsonl"))
        }
        return try folders.flatMap { folder, suffix in
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
                .filter { $0.hasSuffix(suffix) && $0 != "decode.in.jsonl" }
                .map { folder.appending(path: $0) }
        }
    }
}
