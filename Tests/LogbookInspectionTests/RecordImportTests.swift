import Bytes
import LogbookStores
import TestSupport
import Testing

@testable import CommandLineText
@testable import Contract
@testable import LogbookInspection

/// Records imported from files.
@Suite struct RecordImportTests {
    private static let session = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
    private var traffic = Traffic()
    private let folder: TemporaryFolder
    private let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(folder.path("logbook.db"), for: .recording)
    }

    private func importLines(_ lines: [[UInt8]]) throws -> RecordImport {
        var found = RecordImport()
        var splitter = LineSplitter()
        for line in lines {
            for whole in splitter.consume(line + [UInt8(ascii: "\n")]) {
                try found.add(whole, into: store, at: 1)
            }
        }
        try found.flush(into: store, at: 1)
        return found
    }

    private func captured(_ message: Traffic.Message) -> [UInt8] {
        Array((message.topic + " ").utf8) + message.payload
    }

    @Test mutating func importsCapturesAndRecordsAlike() throws {
        // Imports a capture among other messages, then bare records with and without `historical`.
        let messages = traffic.session(Self.session, strokes: 1200)
        let other = Array("rowgate/v1/boathouse/erg/erg-1/live {\"v\":1}".utf8)
        let first = try importLines(messages.prefix(1000).map(captured) + [other])
        #expect((first.added, first.repeats, first.others) == (1000, 0, 1))
        let second = try importLines(
            messages.map(\.payload)
                + messages.suffix(100).map { message in
                    RecordEncoder.stored(message.payload) ?? []
                })
        #expect((second.added, second.repeats) == (messages.count - 1000, 1100))
        #expect(first.isWhole && second.isWhole)
        let name = SessionName(gateway: traffic.gateway, session: Self.session)
        let evidence = try #require(try store.evidence(of: name))
        #expect(
            evidence.claim.proof(
                strokes: evidence.strokes, received: evidence.counts) == .proven)
    }

    @Test mutating func refusesInvalidLinesWithReasons() throws {
        // One invalid line of each kind, and a record with different content.
        let messages = traffic.session(Self.session, strokes: 3)
        let altered = String(decoding: messages[1].payload, as: UTF8.self)
            .split(separator: #""stroke":1"#, omittingEmptySubsequences: false)
            .joined(separator: #""stroke":7"#)
        let found = try importLines(
            messages.map(captured) + [
                Array("".utf8), Array("nothing".utf8), Array("home/lamp on".utf8),
                Array("{\"gw\":".utf8), Array("{\"kind\":\"stroke\"}".utf8),
                Array((messages[0].topic + " {}").utf8), Array(altered.utf8),
                captured(messages[2]).dropLast(5) + [],
            ])
        #expect((found.added, found.conflicts, found.refused.values.reduce(0, +)) == (9, 1, 6))
        #expect(!found.isWhole)
        #expect(try store.size().records == messages.count)
        let text = found.lines.rendered(inColour: false)
        let golden = try goldenText("import.txt", for: text)
        #expect(text == golden, "\(text)")
    }

    @Test(arguments: ["\n", "\r\n"], ["", "\u{FEFF}"])
    mutating func acceptsCapturesOfOtherPrograms(_ end: String, _ mark: String) throws {
        let messages = traffic.session(Self.session, strokes: 40)
        var text = Array(mark.utf8)
        for message in messages { text += captured(message) + Array(end.utf8) }
        var found = RecordImport()
        var splitter = LineSplitter()
        for start in stride(from: 0, to: text.count, by: 1000) {
            for line in splitter.consume(text[start..<min(start + 1000, text.count)]) {
                try found.add(line, into: store, at: 1)
            }
        }
        if let last = splitter.finish() { try found.add(last, into: store, at: 1) }
        try found.flush(into: store, at: 1)
        #expect((found.added, found.refused) == (messages.count, [:]))
    }

    @Test mutating func validatesImportedRecords() throws {
        let messages = traffic.session(Self.session, strokes: 2)
        let stroke = String(decoding: messages[1].payload, as: UTF8.self)
        let spoiled = [
            stroke.replacing(#""elapsed_s":1.00,"#, with: ""),
            stroke.replacing(#""elapsed_s":1.00"#, with: #""elapsed_s":-1"#),
            stroke.replacing(#""ts_ms":1"#, with: #""ts_ms":-1"#),
            stroke.replacing(#""epoch":"01J0"#, with: #""epoch":"81J0"#),
        ]
        let found = try importLines(spoiled.map { Array($0.utf8) })
        #expect((found.added, found.refused.values.reduce(0, +)) == (0, 4), "\(found.refused)")
        #expect(found.refused["it has no elapsed_s"] == 1)
    }
}
