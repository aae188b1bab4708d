import Foundation
import Testing

/// A file in `Golden`, next to this one.
///
/// With `ROWGATE_UPDATE_GOLDEN` in the environment a comparison rewrites the file instead; read the
/// difference before committing it.
struct GoldenFile {
    let url: URL

    init(_ name: String) {
        url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden/\(name)")
    }

    var bytes: [UInt8] {
        get throws { Array(try Data(contentsOf: url)) }
    }

    /// Compares line by line, so that a failure names the line.
    func expect(_ actual: [UInt8]) throws {
        if ProcessInfo.processInfo.environment["ROWGATE_UPDATE_GOLDEN"] != nil {
            try Data(actual).write(to: url)
        }
        let expected = lines(try bytes)
        let found = lines(actual)
        for (number, pair) in zip(expected, found).enumerated() {
            #expect(pair.1 == pair.0, "\(url.lastPathComponent), line \(number + 1)")
        }
        #expect(found.count == expected.count, "lines of \(url.lastPathComponent)")
    }
}

func lines(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
}
