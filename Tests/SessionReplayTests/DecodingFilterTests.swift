import Foundation
import PM5Codec
import TestSupport
import Testing

@testable import Bytes
@testable import SessionReplay

/// The whole filter over `recording`, in pieces of `pieceLength`.
private func decode(
    _ recording: [UInt8], pieceLength: Int = .max
) -> (output: [UInt8], remarks: [String], syntaxErrors: Int) {
    var filter = DecodingFilter()
    var output: [UInt8] = []
    var rest = recording[...]
    while !rest.isEmpty {
        filter.consume(rest.prefix(pieceLength), into: &output)
        rest = rest.dropFirst(pieceLength)
    }
    let remarks = filter.finish(into: &output)
    return (output, remarks, filter.syntaxErrors)
}

private func decode(_ text: String) -> [String] {
    lines(decode(Array(text.utf8)).output)
}

@Suite struct DecodingFilterTests {
    @Test func matchesGoldenFile() throws {
        // One line of each kind of value and error.
        let (output, remarks, syntaxErrors) = decode(try GoldenFile("decode.in.jsonl").bytes)
        try GoldenFile("decode.out.jsonl").expect(output)
        #expect(remarks == ["0x21: the recording ends 3 bytes into a frame"])
        #expect(syntaxErrors == 9)
    }

    @Test(arguments: [1, 2, 7, 4096])
    func outputDoesNotDependOnPieces(pieceLength: Int) throws {
        let recording = try GoldenFile("decode.in.jsonl").bytes
        #expect(decode(recording, pieceLength: pieceLength) == decode(recording))
    }

    @Test func decodingTwiceChangesNothing() throws {
        let once = decode(try GoldenFile("decode.in.jsonl").bytes).output
        let objects = lines(once).filter { !$0.hasPrefix(#"{"line""#) }.joined(separator: "\n")
        #expect(decode(objects) == lines(Array(objects.utf8)))
    }

    @Test func decodesCodecVectors() throws {
        let folder = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "PM5CodecTests/Vectors")
        let vectors = Array(try Data(contentsOf: folder.appending(path: "notify.jsonl")))
        let decoded = lines(decode(vectors).output)
        #expect(decoded.count > 300)
        for line in decoded {
            let object = try JSONObject(line: .whole(Array(line.utf8)))
            let value = try RecordedValue(line: object)
            guard case .characteristic(let id, _) = value.source else {
                Issue.record("\(line)")
                continue
            }
            let expected = value.bytes.withUnsafeBytes { bytes in
                try? Notification(characteristic: id, bytes: bytes).payload.fields
            }
            if let expected {
                let text = FieldValue.object(expected).json
                #expect(object["fields"] == (try JSONValue(parsing: Array(text.utf8))))
                #expect(object["error"] == nil)
            } else {
                #expect(object["fields"] == nil)
                #expect(object["error"] != nil)
            }
        }
    }

    @Test(arguments: [1, 2] as [UInt64])
    func randomInputLosesOnlyItsLines(seed: UInt64) throws {
        // The golden input with random bytes overwritten, then one valid line.
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let recording = try GoldenFile("decode.in.jsonl").bytes
        let good = "\n{\"characteristic\":\"0x34\",\"hex\":\"01\"}\n"
        for _ in 0..<20 {
            var damaged = recording
            for _ in 0..<200 {
                let index = Int.random(in: damaged.indices, using: &generator)
                damaged[index] = .random(in: 0...255, using: &generator)
            }
            let count = damaged.split(separator: UInt8(ascii: "\n")).count { line in
                !line.allSatisfy { $0 == 0x20 || $0 == 0x0D }
            }
            let output = decode(damaged + Array(good.utf8)).output
            let found = output.split(separator: UInt8(ascii: "\n"))
            #expect(found.count == count + 1)
            #expect(
                found.last.map { String(decoding: $0, as: UTF8.self) }
                    == #"{"characteristic":"0x34","hex":"01","fields":{"sample_rate_raw":1}}"#)
        }
    }

    @Test func acceptsBlankLinesAndCarriageReturns() {
        let expected = #"{"characteristic":"0x34","hex":"00","fields":{"sample_rate_raw":0}}"#
        let line = #"{"characteristic":"0x34","hex":"00"}"#
        #expect(decode("\r\n  \n\(line)\r\n\n\(line)") == [expected, expected])
        #expect(decode("\u{FEFF}\(line)\r\n\(line)\r\n") == [expected, expected])
        #expect(decode("") == [])
    }

    @Test func reportsAndDropsTooLongLine() {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: LineSplitter.maximumLength + 1)
        let line = Array("\n{\"characteristic\":\"0x34\",\"hex\":\"00\"}\n".utf8)
        let found = lines(decode(long + line, pieceLength: 65_536).output)
        #expect(found.first == #"{"line":1,"error":"not JSON: longer than 1048576 bytes"}"#)
        #expect(found.count == 2)
    }
}
