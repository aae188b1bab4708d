import TestSupport
import Testing

@testable import RingLog

/// Impossible content with valid checksums: no content of a disk makes the log trap. Broken invariants of
/// the log's own code and its callers end the process, with a message.
@Suite struct InvariantTests {
    private static let seed = Superblock(epoch: epoch, geometry: smallGeometry).seed

    /// A log of one segment with twenty records, committed.
    private func content() throws -> (bytes: [UInt8], records: [LogRecord], end: LogPosition) {
        let device = CrashingBlockDevice()
        let (writer, _) = try openSmall(device)
        for number in 0..<20 { try writer.append(kind: 1, bytes: payload(number, count: 50)) }
        try writer.commit()
        return (device.content, try readAll(device).records, writer.end)
    }

    /// The same with another head of its only segment, whose checksum is right.
    private func content(
        sequence: UInt64, previousEnd: UInt64, consumed: UInt64
    ) throws -> [UInt8] {
        var bytes = try content().bytes
        let page = PageBuffer(count: LogFormat.pageSize)
        SegmentHeader(
            sequence: sequence, previousEnd: LogPosition(rawValue: previousEnd),
            consumed: LogPosition(rawValue: consumed), snapshot: []
        ).write(page.bytes, seed: Self.seed)
        bytes.replaceSubrange(4096..<8192, with: page.readOnly)
        return bytes
    }

    @Test(arguments: [(0, 1, 0), (0, 0, 1), (0, .max, .max)] as [(UInt64, UInt64, UInt64)])
    func impossibleHeadersAreDamage(sequence: UInt64, previousEnd: UInt64, consumed: UInt64) throws {
        let damaged = try content(
            sequence: sequence, previousEnd: previousEnd, consumed: consumed)
        let (_, records, _) = try content()
        #expect(try readAll(CrashingBlockDevice(damaged)).records == records)
        // Without a head there is no newest segment, although blocks show one.
        #expect(throws: RingLogError.self) { _ = try openSmall(CrashingBlockDevice(damaged)) }
    }

    @Test(arguments: [UInt64.max, UInt64.max - 3, UInt64.max / 16384, UInt64.max / 16384 - 3])
    func impossibleSequenceNumbersAreDamage(sequence: UInt64) throws {
        let damaged = try content(
            sequence: sequence / 4 * 4, previousEnd: 0, consumed: 0)
        #expect(try readAll(CrashingBlockDevice(damaged)).records.count == 20)
        #expect(throws: RingLogError.self) { _ = try openSmall(CrashingBlockDevice(damaged)) }
    }

    @Test func cursorAheadOfItsRecordIsDamage() throws {
        var (bytes, records, end) = try content()
        let position = LogPosition(rawValue: end.rawValue - 14)
        let offset = Int(smallGeometry.fileOffset(of: position))
        bytes.withUnsafeMutableBytes { content in
            withUnsafeBytes(of: UInt64.max.littleEndian) { cursor in
                _ = RecordFrame.write(
                    kind: LogFormat.consumedKind, payload: cursor, at: position, seed: Self.seed,
                    into: content.part(offset..<offset + 14))
            }
        }
        let device = CrashingBlockDevice(bytes)
        let (writer, _) = try openSmall(device)
        #expect(writer.consumed == .zero)
        let next = try writer.append(kind: 1, bytes: [1])
        try writer.commit()
        let found = try readAll(device).records
        #expect(found.dropLast() == records[...])
        #expect(found.last?.position == next)
    }

    @Test func overwriteStaysWithinTheRecord() throws {
        let device = CrashingBlockDevice()
        let (writer, _) = try openSmall(device)
        let position = try writer.append(kind: 1, bytes: payload(1, count: 50))
        try writer.commit()
        let before = device.content
        let lastPage = LogPosition(rawValue: 4 * 4096 - 10)
        for count in [0, 49, 51, 4096, 16383, 16384, 1 << 17] {
            let bytes = payload(2, count: count)
            #expect(try writer.overwrite([(position, bytes), (lastPage, bytes)]) == 0)
        }
        #expect(device.content == before)
    }

    #if compiler(>=6.2)
    @Test func writerTrapsInsideItsCallbacks() async {
        await #expect(processExitsWith: .failure) {
            let (writer, _) = try openSmall(CrashingBlockDevice())
            writer.snapshot = {
                _ = try? writer.append(kind: 1, bytes: [1])
                return []
            }
            try writer.append(kind: 1, bytes: [2])
        }
    }

    @Test func closedLogTrapsOnAppend() async {
        await #expect(processExitsWith: .failure) {
            let (writer, _) = try openSmall(CrashingBlockDevice())
            try writer.append(kind: 1, bytes: [1])
            try writer.close()
            try writer.append(kind: 1, bytes: [2])
        }
    }

    @Test func writesMustBeWholePages() async {
        await #expect(processExitsWith: .failure) {
            let ring = RingFile(
                device: CrashingBlockDevice(),
                superblock: Superblock(epoch: epoch, geometry: smallGeometry))
            let page = PageBuffer(count: LogFormat.pageSize)
            try ring.write(at: LogPosition(rawValue: 12), bytes: page.readOnly)
        }
    }

    @Test func writesMustStayInOneSegment() async {
        await #expect(processExitsWith: .failure) {
            let ring = RingFile(
                device: CrashingBlockDevice(),
                superblock: Superblock(epoch: epoch, geometry: smallGeometry))
            let pages = PageBuffer(count: 2 * LogFormat.pageSize)
            try ring.write(at: LogPosition(rawValue: 3 * 4096), bytes: pages.readOnly)
        }
    }
    #endif
}
