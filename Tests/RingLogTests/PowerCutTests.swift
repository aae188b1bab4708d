import TestSupport
import Testing

@testable import RingLog

/// All that ever was appended to a ring over any number of power cuts, and what must be left.
private struct History {
    var contents: [LogPosition: [UInt8]] = [:]
    /// In order, without records that recovery cut off.
    var live: [LogPosition] = []
    var flushedCount = 0
    var durableCount = 0
    var cursors: [LogPosition] = [.zero]
    var durableCursor = LogPosition.zero
    /// The ranges that recovery found damaged before intact records.
    var holes: [LogGap] = []

    mutating func add(_ position: LogPosition, _ bytes: [UInt8]) {
        #expect(contents[position] == nil, "position \(position) names a second record")
        contents[position] = bytes
        live.append(position)
    }
}

/// A ring, and how much its owner keeps in the heads of its segments.
private struct Shape {
    var geometry = smallGeometry
    var snapshot: [UInt8] = []
    var records = 150

    static let small = Shape()
    /// Headers of three pages, of which a cut can tear each.
    static let longHeaders = Shape(
        geometry: LogGeometry(segmentSize: 16 * 4096, segmentCount: 2),
        snapshot: payload(1, count: 9000), records: 110)
}

@Suite struct PowerCutTests {
    @Test(arguments: CrashingBlockDevice.Loss.allCases)
    func powerCutLeavesValidState(loss: CrashingBlockDevice.Loss) throws {
        // Two rounds are stopped at each write and sync, recovered, continued, cut at a random
        // operation, and recovered again.
        let total = runScript(.small)
        #expect(total > 150 && total < 1000)
        for stop in 1...total {
            try recoverTwice(.small, stop: stop, loss: loss)
        }
    }

    @Test(arguments: CrashingBlockDevice.Loss.allCases)
    func powerCutWithLongHeadersLeavesValidState(loss: CrashingBlockDevice.Loss) throws {
        // Snapshots with a header of three pages.
        let total = runScript(.longHeaders)
        #expect(total > 80 && total < 1000)
        for stop in 1...total {
            try recoverTwice(.longHeaders, stop: stop, loss: loss)
        }
    }

    /// Returns how many operations it takes.
    private func runScript(_ shape: Shape) -> Int {
        var history = History()
        let device = CrashingBlockDevice()
        script(device, shape, &history, records: shape.records)
        return device.operations
    }

    private func recoverTwice(_ shape: Shape, stop: Int, loss: CrashingBlockDevice.Loss) throws {
        var random = SeededGenerator(seed: UInt64(stop))
        var history = History()
        var device = CrashingBlockDevice()
        device.stopsAt = stop
        script(device, shape, &history, records: shape.records)
        for _ in 0..<2 {
            device = CrashingBlockDevice(device.content(after: loss, using: &random))
            try check(device, shape, &history, "stop \(stop), loss \(loss)", loss)
            device.stopsAt = device.operations + Int.random(in: 1...20, using: &random)
            script(device, shape, &history, records: 9)
        }
        device = CrashingBlockDevice(device.content(after: loss, using: &random))
        try check(device, shape, &history, "stop \(stop), loss \(loss), at last", loss)
    }

    private func open(
        _ device: CrashingBlockDevice, _ shape: Shape
    ) throws -> (LogWriter, RecoveryReport) {
        let (writer, report) = try LogWriter.open(
            device: device, geometry: shape.geometry, newEpoch: epoch)
        writer.snapshot = { shape.snapshot }
        return (writer, report)
    }

    /// Appends, flushes and commits until done or stopped, and notes what must survive.
    private func script(
        _ device: CrashingBlockDevice, _ shape: Shape, _ history: inout History, records: Int
    ) {
        guard let (writer, _) = try? open(device, shape) else { return }
        do {
            for number in 0..<records {
                let bytes = payload(history.contents.count, count: [30, 540, 90, 3000][number % 4])
                let position = try writer.append(kind: 1, bytes: bytes)
                history.add(position, bytes)
                if number % 2 == 0 {
                    try writer.flush()
                    history.flushedCount = history.live.count
                }
                if number % 5 == 4 {
                    writer.consumed = history.live[history.live.count - 2]
                    history.cursors.append(writer.consumed)
                    try writer.commit()
                    history.durableCount = history.live.count
                    history.durableCursor = writer.consumed
                }
            }
            try writer.close()
            history.durableCount = history.live.count
        } catch {}
    }

    private func check(
        _ device: CrashingBlockDevice, _ shape: Shape, _ history: inout History,
        _ comment: Comment, _ loss: CrashingBlockDevice.Loss
    ) throws {
        let (writer, report) = try open(device, shape)
        #expect(report.snapshot == nil || report.snapshot == shape.snapshot, comment)
        let (records, gaps) = try readAll(device)
        for record in records {
            #expect(record.bytes == history.contents[record.position], comment)
        }
        let found = records.map(\.position)
        // The history from the oldest segment on, past everything durable; behind that, sectors
        // that arrived out of order may leave holes, each of them declared.
        let oldest = writer.oldest
        let expected = history.live.filter { $0 >= oldest }
        let safeCount = max(history.durableCount, loss == .nothing ? history.flushedCount : 0)
        let mustHave = history.live.prefix(safeCount).filter { $0 >= oldest }
        #expect(Array(found.prefix(mustHave.count)) == mustHave, comment)
        let present = Set(found)
        #expect(expected.filter(present.contains) == found, comment)
        for lost in expected where !present.contains(lost) && lost < found.last ?? oldest {
            #expect(gaps.contains { $0.range.contains(lost) }, comment)
        }
        for gap in gaps where !history.holes.contains(gap) {
            #expect(loss == .sectors && gap.reason == .damaged, comment)
            #expect(gap.range.lowerBound > mustHave.last ?? .zero, comment)
        }
        #expect(history.cursors.contains(writer.consumed) || writer.consumed <= oldest, comment)
        #expect(writer.consumed >= history.durableCursor, comment)
        // Records that recovery cut off stay lost; found records are durable.
        history.live = found
        history.holes += gaps
        history.durableCount = found.count
        history.flushedCount = found.count
    }
}
