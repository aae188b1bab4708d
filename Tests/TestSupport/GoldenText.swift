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
    if ProcessInfo.processInfo.environment["ROWGATE_UPDATE_GOLDEN"] != nil {
        try text.write(to: file, atomically: true, encoding: .utf8)
    }
    return try String(contentsOf: file, encoding: .utf8)
}
