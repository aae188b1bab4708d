import TestSupport
import Testing

@testable import RingLog

@Suite struct FormatTests {
    // Computed from LogFormat.md by an independent program, with a bitwise CRC; not by this code.
    private static let superblock = """
        52494e474c4f470a010000000010000030313233343536373839616263646566
        00400000000000000400000000000000000000000000000000000000431927bd
        """
    private static let segmentHeader = """
        0053454717c1993c0100000005000000000000000000000000000000000000000000000000000000
        7374617465
        """
    private static let block = """
        00424c4bdb53f53800100000000000000000000000000000
        01067a67e9bc726f77696e67
        efc801c03d4c8e
        """
    private static let cursor = "f00823ae768b2410000000000000"

    @Test func bytesMatchTheFormatPage() throws {
        // A small ring, byte for byte, compared with an independent implementation of the format.
        let device = CrashingBlockDevice()
        let (writer, _) = try openSmall(device)
        writer.snapshot = { Array("state".utf8) }
        let first = try writer.append(kind: 1, bytes: Array("rowing".utf8))
        let second = writer.end
        try writer.append(kind: 239, bytes: [UInt8](repeating: 0x55, count: 200))
        let third = writer.end
        writer.consumed = second
        try writer.commit()

        #expect(first.rawValue == 4120 && second.rawValue == 4132 && third.rawValue == 4339)
        #expect(device.content.count == 2 * 4096 + 4 * 16384)
        expect(device, Self.superblock, at: 0)
        expect(device, Self.superblock, at: device.content.count - 4096)
        expect(device, Self.segmentHeader, at: 4096)
        expect(device, Self.block, at: 8192)
        expect(device, Self.cursor, at: 4096 + 4339)
        #expect(device.content[(4096 + 4353)...].prefix(2000).allSatisfy { $0 == 0 })
    }

    @Test(arguments: [1 << 20, 16 << 20, 64 << 20, 256 << 20])
    func defaultGeometryKeepsOpeningFast(capacity: Int) {
        // Opening reads each segment's header and one segment.
        let geometry = LogGeometry(capacity: capacity)
        #expect(geometry.capacity == capacity)
        #expect((256 << 10...1 << 20).contains(geometry.segmentSize))
        #expect((2...256).contains(geometry.segmentCount))
        #expect(geometry.maximumRecordSize == 16383)
    }

    private func expect(_ device: CrashingBlockDevice, _ hex: String, at offset: Int) {
        let digits = hex.filter { !$0.isWhitespace }
        let bytes = device.content[offset..<offset + digits.count / 2]
        let found = bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }
        #expect(found.joined() == digits)
    }
}
