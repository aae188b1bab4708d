import TestSupport
import Testing

@testable import RingLog

@Suite struct ScrubbingTests {
    private static let old = Array("left from an earlier turn".utf8)
    private static let secret = Array("snapshot with a secret".utf8)
    private static let blank = [UInt8](repeating: 0x20, count: secret.count)

    /// Space that a writer skips after a power cut: LogFormat.md, Opening.
    private static let geometry = LogGeometry(segmentSize: 32 * 4096, segmentCount: 3)

    private func open(_ device: CrashingBlockDevice) throws -> (LogWriter, RecoveryReport) {
        let opened = try LogWriter.open(device: device, geometry: Self.geometry, newEpoch: epoch)
        opened.0.snapshot = { Self.secret }
        return opened
    }

    /// A ring that has come round, by a page for each commit, with a death of the process on the
    /// way: the skipped space still holds the earlier bytes.
    private func turned(_ device: CrashingBlockDevice) throws -> LogWriter {
        var writer = try open(device).0
        for _ in 0..<400 {
            try writer.append(kind: 1, bytes: Array(repeatElement(Self.old, count: 40).joined()))
        }
        for number in 0..<90 {
            if number == 50 { writer = try open(device).0 }
            try writer.append(kind: 1, bytes: payload(number, count: 600))
            try writer.commit()
        }
        return writer
    }

    private func scrub(_ writer: LogWriter) throws {
        for segment in writer.segments {
            let view = writer.view
            let isDone = try writer.scrub(
                segment: segment, view.remains(in: segment), seenIn: view
            ) { $0 == Self.secret ? Self.blank : nil }
            #expect(isDone)
        }
    }

    private func contains(_ device: CrashingBlockDevice, _ bytes: [UInt8]) -> Bool {
        device.content.firstRange(of: bytes) != nil
    }

    @Test func scrubsUnreadableBytes() throws {
        // A ring after a full round; its bytes before and after. The readable records stay, also
        // for a new writer.
        let device = CrashingBlockDevice()
        let writer = try turned(device)
        let before = try readAll(device)
        #expect(!before.records.contains { $0.bytes.starts(with: Self.old) })
        #expect(contains(device, Self.old) && contains(device, Self.secret))
        try scrub(writer)
        #expect(!contains(device, Self.old) && !contains(device, Self.secret))
        #expect(try readAll(device) == before)
        try writer.append(kind: 1, bytes: [7])
        try writer.close()
        let (next, report) = try open(device)
        #expect(report.wasClosed && report.gaps.isEmpty && report.snapshot == Self.blank)
        #expect(try readAll(device).records.map(\.bytes) == before.records.map(\.bytes) + [[7]])
        #expect(try next.append(kind: 1, bytes: [8]) > writer.end)
    }

    @Test func scrubKeepsRecordsAddedMeanwhile() throws {
        // One record per page, up to the next segment, between the search and the scrubbing of the
        // newest segment.
        let device = CrashingBlockDevice()
        let writer = try turned(device)
        var isDone = true
        for number in 100..<140 where isDone {
            let (newest, view) = (writer.segments.upperBound, writer.view)
            let remains = try view.remains(in: newest)
            try writer.append(kind: 1, bytes: payload(number, count: 600))
            try writer.commit()
            let before = try readAll(device)
            isDone = try writer.scrub(segment: newest, remains, seenIn: view) { _ in nil }
            #expect(try readAll(device) == before, "record \(number)")
        }
        #expect(!isDone, "it was the newest segment, and is not any more")
    }

    @Test func scrubKeepsRecordsBehindDamage() throws {
        // The header of each segment and some other pages lose a byte at the front and one in the
        // middle.
        let intact = CrashingBlockDevice()
        _ = try turned(intact)
        for page in [1, 33, 65] + Array(stride(from: 2, to: 96, by: 11)) {
            var content = intact.content
            content[page * 4096 + 1000] ^= 1
            content[page * 4096 + 3] ^= 1
            let device = CrashingBlockDevice(content)
            let (writer, _) = try open(device)
            try writer.append(kind: 1, bytes: [7])
            try writer.commit()
            // Without the newest header a reader treats remains of an earlier round as the oldest
            // segment.
            let before = try readAll(device).records.filter { $0.position >= writer.oldest }
            try scrub(writer)
            #expect(try readAll(device).records == before, "page \(page)")
        }
    }

    @Test(arguments: CrashingBlockDevice.Loss.allCases)
    func powerCutDuringScrubLosesNoRecord(loss: CrashingBlockDevice.Loss) throws {
        let clean = CrashingBlockDevice()
        let before = try turned(clean)
        let records = try readAll(clean).records
        let start = clean.operations
        try scrub(before)
        #expect(clean.operations > start + 6)
        for stop in stride(from: start + 1, through: clean.operations, by: 2) {
            let device = CrashingBlockDevice()
            device.stopsAt = stop
            let writer = try turned(device)
            #expect(throws: RingLogError.self) { try scrub(writer) }
            var random = SeededGenerator(seed: UInt64(stop))
            let cut = CrashingBlockDevice(device.content(after: loss, using: &random))
            let (next, _) = try open(cut)
            #expect(try readAll(cut).records == records, "stop \(stop)")
            #expect(try next.append(kind: 1, bytes: [7]) >= writer.end, "stop \(stop)")
        }
    }
}
