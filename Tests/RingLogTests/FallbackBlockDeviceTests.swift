import Glibc
import TestSupport
import Testing

@testable import RingLog

/// A ring file that continues in memory. RecordingTests test its use by a recorder.
@Suite struct FallbackBlockDeviceTests {
    /// A ring without any record, closed in order.
    private func makeEmptyRing(on disk: MemoryDisk) throws {
        let (writer, _) = try openSmall(
            FallbackBlockDevice(path: "ring.log", fileSystem: disk.fileSystem))
        try writer.close()
    }

    @Test func incompleteCopyIsNotARing() throws {
        var isWhole = false
        for stop in 1...40 where !isWhole {
            let disk = MemoryDisk()
            try makeEmptyRing(on: disk)
            let device = FallbackBlockDevice(path: "ring.log", fileSystem: disk.fileSystem)
            let (writer, _) = try openSmall(device)
            for number in 0..<20 { try writer.append(kind: 1, bytes: payload(number, count: 50)) }
            try writer.commit()
            try disk.fileSystem.remove("ring.log")
            disk.newFilesStopAt = stop
            device.checkFileIsInPlace()
            isWhole = device.heal()
            for seed in 0..<8 {
                for loss in CrashingBlockDevice.Loss.allCases {
                    let left = MemoryDisk(disk, loss: loss, seed: UInt64(seed))
                    let file = try left.fileSystem.openForWriting("ring.log")
                    guard try RingContent(of: file) == .ring else { continue }
                    #expect(try readAll(file).records.count == 20, "\(stop), \(loss), \(seed)")
                }
            }
        }
        #expect(isWhole)
    }

    @Test func superblocksAreNotTheOldestPage() throws {
        let disk = MemoryDisk()
        try makeEmptyRing(on: disk)
        // Its copy at the end of the file is damaged, and repaired by the next opening.
        disk.damage("ring.log", at: [4 * 4 * 4096 + 4096 + 20])
        disk.fail(writing: EIO)
        let device = FallbackBlockDevice(path: "ring.log", fileSystem: disk.fileSystem)
        let (writer, report) = try openSmall(device)
        #expect(report.repairedSuperblock)
        #expect(device.failure != nil)
        #expect(device.oldestInMemory == nil)
        try writer.append(kind: 1, bytes: [1])
        try writer.commit()
        #expect(device.oldestInMemory == 4096)
    }
}
