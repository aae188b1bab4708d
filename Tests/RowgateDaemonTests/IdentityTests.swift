import Testing

@testable import RowgateDaemon

struct IdentityTests {
    /// A generator whose every byte is known.
    private struct Counting: RandomNumberGenerator {
        var value: UInt64 = 0
        mutating func next() -> UInt64 {
            value += 0x0101_0101_0101_0101
            return value
        }
    }

    /// Goal: a ULID is 26 characters of Crockford's alphabet whose first ten are the time.
    /// Method: the example time of the ULID specification, 1469918176385 = 01ARYZ6S41.
    @Test func ulidText() {
        var generator = Counting()
        let ulid = ULID(unixMilliseconds: 1_469_918_176_385, using: &generator)
        #expect(ulid.description.hasPrefix("01ARYZ6S41"))
        #expect(ulid.description.count == 26)
        #expect(ULID(bytes: ulid.bytes) == ulid)
        #expect(ULID(bytes: [1]) == nil)
    }

    /// Goal: later identifiers sort later, whatever their random part.
    @Test func ulidOrder() {
        var generator = SystemRandomNumberGenerator()
        let texts = stride(from: Int64(0), to: 2_000_000_000_000, by: 7_777_777_777).map {
            ULID(unixMilliseconds: $0, using: &generator).description
        }
        #expect(texts == texts.sorted())
    }

    /// Goal: digests are SHA-256. Method: the FIPS 180-2 vectors, whole and in pieces.
    @Test func sha256() {
        #expect(
            hexadecimalDigest([])
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            hexadecimalDigest(["a", "bc"])
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    private func hexadecimalDigest(_ pieces: [String]) -> String {
        let digest = SHA256Digest()
        for piece in pieces { digest.update(Array(piece.utf8)) }
        return digest.hexadecimal()
    }
}
