import Foundation

/// Returns the content of a file in `Golden` next to the calling test: the expected `text`.
///
/// With `ROWGATE_UPDATE_GOLDEN` in the environment the file is updated first; read the
/// difference before committing it.
package func goldenText(
    _ name: String, for text: String, beside test: String = #filePath
) throws -> String {
    let file = URL(fileURLWithPath: test).deletingLastPathComponent()
        .appending(path: "Golden/\(name)")
    return try storedText(at: file, for: text)
}

/// The text of a file of the project that is generated from the code; `path` begins at the project's folder.
///
/// `ROWGATE_UPDATE_GOLDEN=1` writes it first.
package func generatedText(_ path: String, for text: String, file: String = #filePath) throws -> String {
    let root = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    return try storedText(at: root.appending(path: path), for: text)
}

private func storedText(at file: URL, for text: String) throws -> String {
    if ProcessInfo.processInfo.environment["ROWGATE_UPDATE_GOLDEN"] != nil {
        try text.write(to: file, atomically: true, encoding: .utf8)
    }
    return try String(contentsOf: file, encoding: .utf8)
}
