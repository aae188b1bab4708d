import TestSupport
import Testing

@testable import RingLog

@Suite struct IdentityTests {
    /// A frame of 128 bytes: records of different sessions would meet at the very same bytes of a
    /// page.
    private static let record = [UInt8](repeating: 7, count: 122)
    private static let geometry = LogGeometry(segmentSize: 128 * 4096, segmentCount: 2)

    @Test func lostPositionsAreNotReused() throws {
        // Records are flushed, and lost to a power cut before any commit: six times, and once after
        // a normal close.
        var device = CrashingBlockDevice()
        var used: Set<LogPosition> = []
        for round in 0..<6 {
            let (writer, report) = try open(device)
            #expect(report.wasClosed == (round == 0 || round == 3), "round \(round)")
            try appendUnsynced(writer, &used)
            if round == 2 {
                try writer.close()
            }
            device = CrashingBlockDevice(device.content(after: .everything))
        }
    }

    @Test func openedAfterCloseIsNotClosed() throws {
        // Closed, opened, written, cut: the closing record is still the last record.
        let device = CrashingBlockDevice()
        var used: Set<LogPosition> = []
        let (first, _) = try open(device)
        try appendUnsynced(first, &used)
        try first.close()
        let (second, report) = try open(device)
        #expect(report.wasClosed)
        try appendUnsynced(second, &used)
        let (third, after) = try open(CrashingBlockDevice(device.content(after: .everything)))
        #expect(!after.wasClosed)
        #expect(after.abandoned.contains(used.max() ?? .zero))
        try appendUnsynced(third, &used)
    }

    @Test(arguments: 1...6)
    func powerCutAfterKillKeepsFlushedRecords(operation: Int) throws {
        // Records in the page cache are not durable. The next writer is cut at each of its first
        // operations: its own headers must not confirm records that did not arrive.
        for seed in 0..<40 as Range<UInt64> {
            let device = CrashingBlockDevice()
            var used: Set<LogPosition> = []
            try appendUnsynced(try open(device).0, &used)
            device.stopsAt = device.operations + operation
            var found: LogPosition?
            if let (writer, report) = try? open(device) {
                found = report.tail.upperBound
                #expect(throws: RingLogError.self) {
                    try writer.append(kind: 1, bytes: Self.record)
                    try writer.commit()
                    try writer.close()
                }
            }
            var random = SeededGenerator(seed: seed)
            let cut = CrashingBlockDevice(device.content(after: .sectors, using: &random))
            let (_, report) = try open(cut)
            let gaps = try readAll(cut).gaps
            #expect(report.gaps == gaps, "operation \(operation), seed \(seed)")
            #expect(found == nil || gaps.isEmpty, "operation \(operation), seed \(seed)")
            #expect(report.tail.upperBound >= found ?? .zero)
        }
    }

    private func open(_ device: CrashingBlockDevice) throws -> (LogWriter, RecoveryReport) {
        try LogWriter.open(device: device, geometry: Self.geometry, newEpoch: epoch)
    }

    private func appendUnsynced(_ writer: LogWriter, _ used: inout Set<LogPosition>) throws {
        for _ in 0..<100 {
            let position = try writer.append(kind: 1, bytes: Self.record)
            #expect(used.insert(position).inserted, "position \(position) names a second record")
        }
        try writer.flush()
    }
}
