import TestSupport
import Testing

@testable import RingLog

@Suite struct ModelTests {
    /// Segments larger than two blocks, so that writers also restart within one.
    static let geometry = LogGeometry(segmentSize: 48 * 4096, segmentCount: 3)

    @Test(arguments: 0..<12 as Range<UInt64>)
    func randomOperationsMatchTheModel(seed: UInt64) throws {
        // Random appends, flushes, commits, closes, kills and power cuts, compared with a list of
        // the appended records.
        var random = SeededGenerator(seed: seed)
        var life = try Life()
        for _ in 0..<250 {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<70: try life.append(&random)
            case 70..<80: try life.writer.flush()
            case 80..<93: try life.commit(&random)
            case 93..<95: try life.close()
            case 95..<97: try life.cut(.nothing, &random)
            case 97: try life.cut(.everything, &random)
            case 98: try life.cut(.tail, &random)
            default: try life.cut(.sectors, &random)
            }
        }
        try life.close()
        #expect(life.everUsed.count > 150, "seed \(seed)")
    }

    private struct Life {
        var device = CrashingBlockDevice()
        var writer: LogWriter
        /// The expected records, oldest first, and the number of durable ones.
        var records: [LogRecord] = []
        var durableCount = 0
        var everUsed: Set<LogPosition> = []
        /// What cuts broke in front of something that arrived.
        var holes: [LogGap] = []

        init() throws {
            writer = try LogWriter.open(
                device: device, geometry: ModelTests.geometry, newEpoch: epoch
            ).0
        }

        mutating func append(_ random: inout SeededGenerator) throws {
            let longest = [40, 600, 16383].randomElement(using: &random) ?? 0
            let bytes = random.bytes(Int.random(in: 0...longest, using: &random))
            let kind = UInt8.random(in: LogFormat.callerKinds, using: &random)
            let position = try writer.append(kind: kind, bytes: bytes)
            #expect(everUsed.insert(position).inserted)
            #expect(position >= records.last?.next ?? .zero)
            records.append(
                LogRecord(position: position, next: writer.end, kind: kind, bytes: bytes))
        }

        mutating func commit(_ random: inout SeededGenerator) throws {
            writer.consumed = records.randomElement(using: &random)?.next ?? .zero
            try writer.commit()
            durableCount = records.count
            try check(durable: true)
        }

        mutating func close() throws {
            let cursor = writer.consumed
            try writer.close()
            durableCount = records.count
            let report = try reopen()
            #expect(report.wasClosed && report.abandoned.isEmpty)
            #expect(writer.consumed == cursor)
            try check(durable: true)
        }

        mutating func cut(_ loss: CrashingBlockDevice.Loss, _ random: inout SeededGenerator) throws {
            if loss == .nothing {
                try writer.flush()
                durableCount = records.count
            }
            device = CrashingBlockDevice(device.content(after: loss, using: &random))
            let report = try reopen()
            #expect(report.tail.upperBound >= records.prefix(durableCount).last?.next ?? .zero)
            let (found, gaps) = try readAll(device)
            #expect(loss == .sectors || gaps.allSatisfy(holes.contains))
            holes += gaps
            let present = Set(found.map(\.position))
            let stored = records.filter {
                $0.position < writer.oldest || present.contains($0.position)
            }
            #expect(stored.prefix(durableCount) == records.prefix(durableCount))
            records = stored
            durableCount = records.count
            try check(durable: true)
        }

        private mutating func reopen() throws -> RecoveryReport {
            let (writer, report) = try LogWriter.open(
                device: device, geometry: ModelTests.geometry, newEpoch: otherEpoch)
            #expect(report.origin == .existing)
            self.writer = writer
            return report
        }

        private func check(durable: Bool) throws {
            let (found, gaps) = try readAll(device)
            #expect(found == records.filter { $0.position >= writer.oldest })
            #expect(gaps.allSatisfy(holes.contains))
        }
    }
}
