import TestSupport
import Testing

@testable import RingLog

/// All that ever was appended to a ring over any number of power cuts, and what must be left.
private struct History {
    var contents: [LogPosition: [UInt8]] = [:]
    /// In order, without those that recovery found cut off.
    var live: [LogPosition] = []
    var flushedCount = 0
    var durableCount = 0
    var cursors: [LogPosition] = [.zero]
    var durableCursor = LogPosition.zero

    mutating func add(_ position: LogPosition, _ bytes: [UInt8]) {
        #expect(contents[position] == nil, "position \(position) names a second record")
        contents[position] = bytes
        live.append(position)
    }
}

@Suite struct PowerCutTests {
    @Test(arguments: CrashingBlockDevice.Loss.allCases)
    func anyCutLeavesALegalState(loss: CrashingBlockDevice.Loss) throws {
        // Durability and identity: a script of two turns of the ring is stopped at each of its
        // writes and syncs, and recovered, written to, cut again at a random operation, and
        // recovered again.
        let total = try runScript(stoppingAt: .max).operations
        #expect(total > 150 && total < 1000)
        for stop in 1...total {
            try recoverTwice(stop: stop, loss: loss)
        }
    }

    private func runScript(stoppingAt stop: Int) throws -> (CrashingBlockDevice, operations: Int) {
        var history = History()
        let device = CrashingBlockDevice()
        device.stopsAt = stop
        script(device, &history, records: 150)
        return (device, device.operations)
    }

    private func recoverTwice(stop: Int, loss: CrashingBlockDevice.Loss) throws {
        var random = SeededGenerator(seed: UInt64(stop))
        var history = History()
        var device = CrashingBlockDevice()
        device.stopsAt = stop
        script(device, &history, records: 150)
        for _ in 0..<2 {
            device = CrashingBlockDevice(device.content(after: loss, using: &random))
            try check(device, &history, "stop \(stop), loss \(loss)", loss)
            device.stopsAt = device.operations + Int.random(in: 1...20, using: &random)
            script(device, &history, records: 9)
        }
        device = CrashingBlockDevice(device.content(after: loss, using: &random))
        try check(device, &history, "stop \(stop), loss \(loss), at last", loss)
    }

    /// Appends, flushes and commits until done or stopped, and notes what must survive.
    private func script(_ device: CrashingBlockDevice, _ history: inout History, records: Int) {
        guard let (writer, _) = try? openSmall(device) else { return }
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
        _ device: CrashingBlockDevice, _ history: inout History, _ comment: Comment,
        _ loss: CrashingBlockDevice.Loss
    ) throws {
        let (writer, _) = try openSmall(device)
        let (records, gaps) = try readAll(device)
        #expect(gaps.isEmpty, comment)
        for record in records {
            #expect(record.bytes == history.contents[record.position], comment)
        }
        let found = records.map(\.position)
        // A run of the history that reaches back to the oldest segment and forward past everything
        // durable.
        let oldest = writer.oldest
        let expected = history.live.filter { $0 >= oldest }
        #expect(Array(expected.prefix(found.count)) == found, comment)
        let safeCount = max(history.durableCount, loss == .nothing ? history.flushedCount : 0)
        let mustHave = history.live.prefix(safeCount).filter { $0 >= oldest }
        #expect(found.count >= mustHave.count, comment)
        #expect(history.cursors.contains(writer.consumed) || writer.consumed <= oldest, comment)
        #expect(writer.consumed >= history.durableCursor, comment)
        // What recovery cut off stays cut off.
        let last = found.last ?? oldest
        history.live.removeAll { $0 > last }
        history.durableCount = min(history.durableCount, history.live.count)
        history.flushedCount = history.live.count
    }
}
