import HostRuntime
import RingLog
import TestSupport
import Testing

@testable import Recording

/// How much opening a ring reads from the disk.
struct StartCostTests {
    /// Counts reads.
    private final class CountedDevice: BlockDevice, @unchecked Sendable {  // used by one test
        let file: CrashingBlockDevice
        private(set) var reads = 0
        private(set) var bytes = 0

        init(_ file: CrashingBlockDevice) { self.file = file }

        var path: String { file.path }

        func size() throws(RingLogError) -> UInt64 { try file.size() }
        func allocate(size: UInt64) throws(RingLogError) { try file.allocate(size: size) }

        func read(
            at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
        ) throws(RingLogError) -> Int {
            (reads, bytes) = (reads + 1, bytes + buffer.count)
            return try file.read(at: offset, into: buffer)
        }

        func write(at offset: UInt64, bytes: UnsafeRawBufferPointer) throws(RingLogError) {
            try file.write(at: offset, bytes: bytes)
        }

        func sync() throws(RingLogError) { try file.sync() }
    }

    private static let geometry = LogGeometry(segmentSize: 64 << 10, segmentCount: 64)

    /// A ring that has wrapped around.
    private static func fullRing(isClosed: Bool) throws -> CrashingBlockDevice {
        let device = CrashingBlockDevice()
        let (writer, _) = try LogWriter.open(
            device: device, geometry: geometry, newEpoch: [UInt8](repeating: 1, count: 16))
        let record = [UInt8](repeating: 7, count: 4000)
        for _ in 0..<1200 { try writer.append(kind: 200, bytes: record) }
        try writer.commit()
        if isClosed { try writer.close() }
        return device
    }

    /// Reads the header of each of 64 segments once, and one segment twice.
    @Test(arguments: [true, false])
    func opensWithFewReads(isClosed: Bool) throws {
        let file = try Self.fullRing(isClosed: isClosed)
        let device = CountedDevice(file)
        let log = SystemLog(subsystem: "test", threshold: .critical)
        let storage = try RingStorage.open(
            "ring.log", geometry: Self.geometry,
            fileSystem: .init(openForWriting: { _ in device }), runtime: SystemRuntime(), log: log)
        _ = storage.recoverState(log: log)
        #expect(device.reads < 64 + 20, "\(device.reads) reads")
        #expect(device.bytes < 64 * 4096 + 4 * Self.geometry.segmentSize, "\(device.bytes) bytes")
    }
}
