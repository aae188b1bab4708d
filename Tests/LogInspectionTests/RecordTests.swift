import Bytes
import Contract
import Foundation
import RingLog
import Rowing
import TestSupport
import Testing

@testable import LogInspection
@testable import TrainingFiles

@Suite struct NewestRecordsTests {
    @Test func showsNewestRecords() throws {
        let ring = try SampleRing()
        try ring.appendPiece()
        let newest = try NewestRecords(100, of: ring.file, filter: RecordFilter())
        #expect(newest.messages.count == 12)
        let lines = [RecordLine.header] + newest.messages.map(RecordLine.line)
        let text = lines.rendered(inColour: false)
        #expect(text == (try goldenText("tail.txt", for: text)))
    }

    @Test(arguments: [0, 1, 7, 100, 5000])
    func newestRecordsMatchFullScan(count: Int) throws {
        // One erg in fifty, so that many segments are needed.
        let ring = try SampleRing(segments: 16)
        for number in 1...3000 {
            let erg = number.isMultiple(of: 50) ? "seat-4" : "seat-3"
            try ring.add(SampleRing.stroke(number), erg: erg, at: number)
        }
        try ring.writer.commit()
        for erg in [nil, "seat-4"] {
            var filter = RecordFilter()
            filter.ergs = Set(erg.map { [SampleRing.station($0)] } ?? [])
            let all = try ring.file.exported(filter, .jsonLines).split(separator: "\n")
            let newest = try NewestRecords(count, of: ring.file, filter: filter)
            let payloads = newest.messages.map { String(decoding: $0.payload, as: UTF8.self) }
            #expect(payloads == all.suffix(count).map(String.init))
        }
    }

    @Test func followsReplacedRing() throws {
        // The file is replaced by one with the same messages and three more, then deleted, then
        // created again.
        let ring = try SampleRing()
        try ring.appendPiece()
        var newest = try NewestRecords(2, of: ring.file, filter: RecordFilter())
        let larger = try SampleRing(segments: 16)
        try larger.appendPiece()
        for number in 4...6 { try larger.add(SampleRing.stroke(number), at: 30_000 + number) }
        try FileBlockDevice.rename(larger.path, to: ring.path)
        #expect(try newest.more().map(\.sequence) == [4, 5, 6])
        try larger.add(SampleRing.stroke(7), at: 30_007)
        #expect(try newest.more().map(\.sequence) == [7])
        try FileBlockDevice.remove(ring.path)
        try larger.add(SampleRing.stroke(8), at: 30_008)
        #expect(try newest.more().map(\.sequence) == [8])
        #expect(try newest.more() == [])
        let other = try SampleRing()
        for number in 1...2 { try other.add(SampleRing.stroke(number), at: 40_000 + number) }
        try FileBlockDevice.rename(other.path, to: ring.path)
        #expect(try newest.more().map(\.sequence) == [1, 2])
        #expect(try newest.more() == [])
    }

    @Test func followsNewRecords() throws {
        // Strokes in three batches, the last over several segments.
        let ring = try SampleRing()
        try ring.appendPiece()
        var newest = try NewestRecords(2, of: ring.file, filter: RecordFilter())
        #expect(try newest.more() == [])
        var number: UInt64 = 3
        for lot in [1, 5, 60] {
            for _ in 0..<lot {
                number += 1
                try ring.add(SampleRing.stroke(Int(number)), at: 30_000 + Int(number))
            }
            if lot == 5 { try ring.writer.commit() }
            let more = try newest.more()
            #expect(more.map(\.sequence) == Array(number - UInt64(lot) + 1...number))
        }
    }
}

@Suite struct ExportTests {
    private func filter(_ change: (inout RecordFilter) -> Void) -> RecordFilter {
        var filter = RecordFilter()
        change(&filter)
        return filter
    }

    @Test func jsonLinesMatchPublishedMessages() throws {
        let ring = try SampleRing()
        try ring.appendPiece()
        let text = try ring.file.exported(.init(), .jsonLines)
        #expect(text == (try goldenText("export.jsonl", for: text)))
    }

    @Test func filtersSelectRecords() throws {
        let ring = try SampleRing()
        try ring.appendPiece()
        let other = SessionID("01J7ZZZZZZZZZZZZZZZZZZZZZZ")
        try ring.add(SampleRing.stroke(1, of: other), at: 50_000)
        let file = try ring.file
        func count(_ change: (inout RecordFilter) -> Void) throws -> Int {
            try file.exported(filter(change), .jsonLines).split(separator: "\n").count
        }
        #expect(try count { _ in } == 13)
        #expect(try count { $0.ergs = [SampleRing.station("seat-4")] } == 3)
        #expect(try count { $0.kinds = [.stroke] } == 7)
        #expect(try count { $0.kinds = [.force, .gatewayEvent] } == 4)
        #expect(try count { $0.session = other } == 1)
        #expect(try count { $0.session = SampleRing.session } == 11)
        #expect(try count { $0.athlete = "ann" } == 5)
        #expect(try count { $0.athlete = "an" } == 0)
        #expect(try count { $0.since = SampleRing.unixAtBoot + 15_000 } == 8)
        #expect(try count { $0.until = SampleRing.unixAtBoot + 15_000 } == 5)
        #expect(
            try count {
                $0.ergs = [SampleRing.station("seat-3")]
                $0.kinds = [.stroke]
                $0.session = SampleRing.session
                $0.since = SampleRing.unixAtBoot + 15_000
                $0.until = SampleRing.unixAtBoot + 15_001
            } == 1)
    }

    @Test func findsRecordsThatNameAnAthlete() throws {
        // Another athlete's name has the same prefix.
        let ring = try SampleRing()
        try ring.appendPiece()
        try ring.add(SampleRing.stroke(9), at: 60_000, athlete: "anna")
        var filter = RecordFilter()
        filter.athlete = "ann"
        let found = try NewestRecords(100, of: ring.file, filter: filter).messages
        #expect(found.count == 5)
        for message in found {
            #expect(String(decoding: message.payload, as: UTF8.self).contains(#""ann""#))
        }
        filter.athlete = "bob"
        #expect(try NewestRecords(100, of: ring.file, filter: filter).messages.isEmpty)
    }

    @Test(arguments: [StreamKind.stroke, .force, .session, .gatewayEvent])
    func commaSeparatedValuesHaveFixedColumns(kind: StreamKind) throws {
        let ring = try SampleRing()
        try ring.appendPiece()
        let text = try ring.file.exported(.init(), .commaSeparated(kind))
        #expect(text == (try goldenText("\(kind.topicName).csv", for: text)))
        let columns = Set(text.split(separator: "\r\n").map { $0.filter { $0 == "," }.count })
        #expect(columns == [RecordColumns.all(of: kind).count - 1])
    }

    @Test(arguments: StreamKind.allCases)
    func columnsMatchTheSchema(kind: StreamKind) throws {
        // In the order of the schema; `historical` is not part of a record.
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../config/schema/v1/\(kind.topicName).json").standardizedFileURL
        guard case .object(let schema) = try JSONValue(parsing: Array(try Data(contentsOf: file))),
            case .object(let members)? = schema["properties"]
        else {
            Issue.record("no schema of \(kind)")
            return
        }
        let names = members.members.map(\.name).filter { $0 != "historical" }
        #expect(RecordColumns.all(of: kind) == names)
    }

    @Test func quotesSpecialCharacters() throws {
        // RFC 4180; and a field without a column.
        let ring = try SampleRing()
        try ring.add(
            GatewayEvent.adapterReset(adapter: "hci0", reason: "a \"b\", c\nd"), erg: nil, at: 1)
        let text = try ring.file.exported(.init(), .commaSeparated(.gatewayEvent))
        #expect(text.contains(#","a ""b"", c"# + "\n" + #"d","#))
        let payload = Array(#"{"kind":"event","event":"started","colour":"red"}"#.utf8)
        try ring.append(
            .message(
                DurableMessage(
                    kind: .gatewayEvent, station: nil, sequence: 2, unixMilliseconds: 1,
                    bootMilliseconds: 1, payload: payload)))
        var export = RecordExport(.init(), as: .commaSeparated(.gatewayEvent))
        try export.run(on: ring.file, progress: { _ in }, write: { $0.removeAll() })
        #expect(export.unknownMembers == ["colour"])
        #expect(export.written == 2)
    }

    @Test func exportUsesBoundedMemory() throws {
        let ring = try SampleRing(segments: 64, pagesPerSegment: 16)
        for number in 1...8000 { try ring.add(SampleRing.stroke(number), at: number) }
        try ring.writer.commit()
        var (largest, total) = (0, 0)
        var shown: [Double] = []
        var export = RecordExport(.init(), as: .jsonLines)
        try export.run(
            on: ring.file, progress: { shown.append($0) },
            write: { piece in
                largest = max(largest, piece.count)
                total += piece.count
                piece.removeAll(keepingCapacity: true)
            })
        #expect(total > 2 << 20)
        #expect(largest < 80 << 10)
        #expect(shown.count >= 2 && shown == shown.sorted() && shown.last == 1)
    }
}
