import Testing
import Timeline

struct ULIDTests {
    /// A generator with known bytes.
    private struct Counting: RandomNumberGenerator {
        var value: UInt64 = 0
        mutating func next() -> UInt64 {
            value += 0x0101_0101_0101_0101
            return value
        }
    }

    /// The example time of the ULID specification: 1469918176385 = 01ARYZ6S41.
    @Test func encodesTimeInFirstTenCharacters() {
        var generator = Counting()
        let ulid = ULID(unixMilliseconds: 1_469_918_176_385, using: &generator)
        #expect(ulid.description.hasPrefix("01ARYZ6S41"))
        #expect(ulid.description.count == 26)
        #expect(ULID(bytes: ulid.bytes) == ulid)
        #expect(ULID(bytes: [1]) == nil)
    }

    @Test func sortsByTime() {
        var generator = SystemRandomNumberGenerator()
        let texts = stride(from: Int64(0), to: 2_000_000_000_000, by: 7_777_777_777).map {
            ULID(unixMilliseconds: $0, using: &generator).description
        }
        #expect(texts == texts.sorted())
    }
}
