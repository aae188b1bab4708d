import Contract
import Foundation
import RingLog
import TestSupport
import Testing

@testable import LogInspection

@Suite struct SummaryTests {
    private static let place = "/var/lib/rowgate/ring.log"

    @Test func summarizesTheRing() throws {
        // Four messages are acknowledged.
        let ring = try SampleRing()
        try ring.appendPiece()
        var scan = try LogScan(ring.file)
        var seen = 0
        while let item = try scan.next() {
            guard case .entry(.message, let position) = item else { continue }
            seen += 1
            if seen == 5 { ring.writer.consumed = position }
        }
        try ring.writer.commit(cursor: true)
        var shown: [Double] = []
        let summary = try LogSummary(of: ring.file) { shown.append($0) }
        #expect(shown == [1])
        let text = summary.lines.rendered(inColour: false)
            .replacingOccurrences(of: ring.path, with: Self.place)
        #expect(text == (try goldenText("info.txt", for: text)))
        let json = String(decoding: summary.json, as: UTF8.self)
            .replacingOccurrences(of: ring.path, with: Self.place)
        #expect(json == (try goldenText("info.json", for: json)))
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(object?["unpublished_messages"] as? Int == 8)
    }

    @Test func emptyRingIsNoProblem() throws {
        let ring = try SampleRing()
        let summary = try LogSummary(of: ring.file) { _ in }
        #expect(summary.messages == 0 && summary.times == nil && summary.unpublished == 0)
        let verification = try LogVerification(of: ring.file) { _ in }
        #expect(verification.isIntact && verification.records == 0)
        let newest = try NewestRecords(10, of: ring.file, filter: RecordFilter())
        #expect(newest.messages == [])
        #expect(try ring.file.exported(.init(), .jsonLines) == "")
    }

    @Test func unreadableFilesStateTheRemedy() throws {
        // No file, another file, and two kinds of missing permission (tests may run as root).
        let folder = try TemporaryFolder()
        let absent = folder.path("absent.log")
        let other = folder.path("other")
        try Data(repeating: 7, count: 9000).write(to: URL(fileURLWithPath: other))
        func problem(_ path: String) -> String? {
            do throws(LogFileProblem) {
                _ = try LogFile(path: path)
                return nil
            } catch { return error.description }
        }
        #expect(
            problem(absent) == "\(absent): open: No such file or directory; "
                + "--ring takes the path that [ring] in rowgate.toml names")
        #expect(problem(other)?.hasPrefix("\(other): not a ring log") == true)
        let denied = RingLogError(.open, code: EACCES, path: Self.place)
        #expect(
            LogFileProblem(denied, group: "rowgate").description == "\(Self.place): open: "
                + "Permission denied; read it with sudo, or as a member of the group rowgate")
        #expect(
            LogFileProblem(denied, group: nil).description == "\(Self.place): open: "
                + "Permission denied; read it with sudo")
        // Its folder's group is named, unless that is root's.
        let group = LogFileProblem(denied, path: absent).group
        #expect((group == nil) == (getgid() == 0), "\(group ?? "no group")")
    }
}

@Suite struct VerificationTests {
    /// Changes a byte of the file behind the ring's back.
    private func spoil(_ path: String, at offset: UInt64) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seek(toOffset: offset)
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: Data([byte ^ 0x40]))
        try handle.close()
    }

    private func text(_ verification: LogVerification, _ ring: SampleRing) -> String {
        verification.lines.rendered(inColour: false)
            .replacingOccurrences(of: ring.path, with: "/var/lib/rowgate/ring.log")
    }

    @Test func intactRingPasses() throws {
        let ring = try SampleRing()
        try ring.appendPiece()
        let verification = try LogVerification(of: ring.file) { _ in }
        #expect(verification.isIntact)
        #expect(
            text(verification, ring)
                == "/var/lib/rowgate/ring.log: 22 records in 1 segment, intact\n")
    }

    @Test func reportsEachDamagedRange() throws {
        // A byte is flipped in the second and in the fourth segment.
        let ring = try SampleRing()
        for number in 1...600 {
            try ring.add(SampleRing.stroke(number), at: number * 2500)
            if number.isMultiple(of: 10) { try ring.writer.commit() }
        }
        try ring.writer.commit()
        let before = try LogVerification(of: ring.file) { _ in }
        #expect(before.isIntact)
        let page = UInt64(LogFormat.pageSize)
        for segment in [1, 3] as [UInt64] {
            try spoil(ring.path, at: page + segment * 8 * page + 6000)
        }
        let verification = try LogVerification(of: ring.file) { _ in }
        #expect(!verification.isIntact)
        #expect(verification.damage.map(\.segment) == [1, 3])
        #expect(verification.records >= before.records - 4)
        #expect(verification.numberGaps.count == 2, "the numbers that are gone")
        let text = text(verification, ring)
        #expect(text == (try goldenText("verify-damaged.txt", for: text)))
        let json = String(decoding: verification.json, as: UTF8.self)
            .replacingOccurrences(of: ring.path, with: "/var/lib/rowgate/ring.log")
        #expect(json == (try goldenText("verify-damaged.json", for: json)))
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(object?["intact"] as? Bool == false)
        let summary = try LogSummary(of: ring.file) { _ in }
        #expect(summary.damage == verification.damage)
    }

    @Test func tornEndIsNotDamage() throws {
        // A byte of the last record is flipped.
        let ring = try SampleRing()
        try ring.appendPiece()
        let intact = try LogVerification(of: ring.file) { _ in }
        #expect(!intact.hasTornEnd)
        let page = UInt64(LogFormat.pageSize)
        try ring.add(SampleRing.stroke(4), at: 30_000)
        try spoil(ring.path, at: page + ring.writer.end.rawValue - 20)
        let verification = try LogVerification(of: ring.file) { _ in }
        #expect(verification.hasTornEnd && verification.isIntact)
        #expect(verification.records == intact.records)
        #expect(
            text(verification, ring).hasPrefix(
                "the newest record is incomplete: its write was interrupted\n"))
    }

    @Test func duplicateNumbersFailVerification() throws {
        // Stroke 2 twice, then stroke 9; and a record that no version can have written. A gap may
        // be correct.
        let ring = try SampleRing()
        for sequence in [1, 2, 2, 3, 9] as [UInt64] {
            try ring.add(SampleRing.stroke(Int(sequence)), at: 1000, sequence: sequence)
        }
        let stroke = StreamID(station: SampleRing.station("seat-3"), kind: .stroke)
        let first = try LogVerification(of: ring.file) { _ in }
        #expect(first.repeated == [stroke: 1])
        #expect(first.numberGaps == [.init(stream: stroke, sequences: 4...8)])
        #expect(!first.isIntact)
        try ring.writer.append(kind: RingRecordKind.entry, bytes: [1, 200])
        try ring.writer.append(kind: 77, bytes: [1])
        try ring.writer.flush()
        let second = try LogVerification(of: ring.file) { _ in }
        #expect(second.malformed == 1 && second.unknown == 1)
    }

    @Test func concurrentWriterIsNotDamage() throws {
        // At each progress report the writer fills the whole ring, twice.
        let ring = try SampleRing(segments: 64, pagesPerSegment: 8)
        func appendStrokes(_ count: Int) throws {
            for number in 1...count { try ring.add(SampleRing.stroke(number), at: number) }
            try ring.writer.commit()
        }
        try appendStrokes(5000)
        var turns = 0
        var failure: (any Error)?
        let verification = try LogVerification(of: ring.file) { _ in
            guard turns < 2 else { return }
            turns += 1
            do { try appendStrokes(6000) } catch { failure = error }
        }
        #expect(failure == nil)
        #expect(turns == 2)
        #expect(verification.damage.isEmpty && verification.malformed == 0)
        #expect(verification.repeated.isEmpty)
    }
}
