import TestSupport
import Testing

@testable import RingLog

@Suite struct CRC32CTests {
    // RFC 3720, appendix B.4, as integers; the last but one is the usual check value of CRC
    // catalogues.
    static let vectors: [([UInt8], UInt32)] = [
        ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
        ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
        ([UInt8](0..<32), 0x46DD_794E),
        ([UInt8]((0..<32).reversed()), 0x113F_DB5C),
        ([UInt8]("123456789".utf8), 0xE306_9283),
        ([], 0),
    ]

    @Test(arguments: vectors)
    func publishedVectorsMatch(bytes: [UInt8], expected: UInt32) {
        #expect(checksum([bytes]) == expected)
    }

    @Test func checksumDoesNotDependOnDivision() {
        var random = SeededGenerator(seed: 1)
        let bytes = random.bytes(40)
        for cut in 0...40 {
            #expect(checksum([Array(bytes[..<cut]), Array(bytes[cut...])]) == checksum([bytes]))
        }
    }

    private func checksum(_ parts: [[UInt8]]) -> UInt32 {
        var crc = CRC32C()
        for part in parts { part.withUnsafeBytes { crc.update($0) } }
        return crc.value
    }
}
