import TestSupport
import Testing

@testable import RingLog

@Suite struct OverwritingTests {
    private static func bytes(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(number), count: [30, 540, 90, 3000][number % 4])
    }

    /// Twenty durable records, and the positions of each.
    private func written(
        to device: CrashingBlockDevice
    ) throws -> (LogWriter, [LogPosition]) {
        let (writer, _) = try openSmall(device)
        var positions: [LogPosition] = []
        for number in 0..<20 {
            positions.append(try writer.append(kind: 1, bytes: Self.bytes(number)))
        }
        try writer.commit()
        return (writer, positions)
    }

    private func contents(
        _ device: CrashingBlockDevice
    ) throws -> [LogPosition: [UInt8]] {
        var reader = try LogReader(device: device)
        var found: [LogPosition: [UInt8]] = [:]
        while let item = try reader.next() {
            if case .record(let record) = item { found[record.position] = record.bytes }
        }
        return found
    }

    @Test func overwriteChangesOnlyTheGivenRecords() throws {
        // Every third record, one of them in the open block; then one with a wrong length.
        let device = CrashingBlockDevice()
        let (writer, positions) = try written(to: device)
        let last = try writer.append(kind: 1, bytes: [1, 2, 3])
        var victims = stride(from: 0, to: 20, by: 3).map { index in
            (positions[index], [UInt8](repeating: 0x20, count: Self.bytes(index).count))
        }
        victims.append((last, [9, 9, 9]))
        #expect(try writer.overwrite(victims) == 8)
        #expect(try writer.overwrite([(positions[1], [1])]) == 0)
        let next = try writer.append(kind: 1, bytes: [7])
        try writer.commit()
        let found = try contents(device)
        for index in 0..<20 {
            let expected = index % 3 == 0 ? victims[index / 3].1 : Self.bytes(index)
            #expect(found[positions[index]] == expected)
        }
        #expect(found[last] == [9, 9, 9] && found[next] == [7])
    }

    @Test(arguments: CrashingBlockDevice.Loss.allCases)
    func powerCutDuringOverwriteKeepsOtherRecords(loss: CrashingBlockDevice.Loss) throws {
        let clean = CrashingBlockDevice()
        let (_, positions) = try written(to: clean)
        let before = clean.operations
        for stop in (before + 1)...(before + 12) {
            var random = SeededGenerator(seed: UInt64(stop))
            let device = CrashingBlockDevice()
            device.stopsAt = stop
            let (writer, _) = try written(to: device)
            let victims = [1, 3, 7, 11].map { index in
                (positions[index], [UInt8](repeating: 0x20, count: Self.bytes(index).count))
            }
            _ = try? writer.overwrite(victims)
            let cut = CrashingBlockDevice(device.content(after: loss, using: &random))
            _ = try openSmall(cut)
            let found = try contents(cut)
            for (index, position) in positions.enumerated() {
                if let victim = victims.first(where: { $0.0 == position }) {
                    let left = found[position]
                    #expect(left == nil || left == victim.1 || left == Self.bytes(index))
                } else {
                    #expect(found[position] == Self.bytes(index), "stop \(stop), record \(index)")
                }
            }
        }
    }
}
