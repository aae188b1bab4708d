import Foundation

/// What a file in `Golden`, beside the test that asks, says that `text` should be.
///
/// With `ROWGATE_UPDATE_GOLDEN` in the environment the file is written anew first; read the
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
