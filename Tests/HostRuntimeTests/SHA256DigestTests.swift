import Bytes
import HostRuntime
import Testing

struct SHA256DigestTests {
    @Test func matchesPublishedDigests() {
        #expect(
            hexadecimalDigest([])
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            hexadecimalDigest(["a", "bc"])
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func resumesDigestFromItsState() throws {
        let bytes = (0..<200).map { UInt8($0) }
        for length in [0, 1, 55, 63, 64, 65, 128, 199] {
            let first = SHA256Digest()
            first.update(Array(bytes[..<length]))
            let second = try #require(SHA256Digest(state: first.state))
            second.update(Array(bytes[length...]))
            #expect(second.hexadecimal() == SHA256Digest.hexadecimal(of: [bytes]))
        }
        let state = SHA256Digest().state
        #expect(SHA256Digest(state: Array(state.dropLast())) == nil)
        #expect(SHA256Digest(state: state.map { _ in 0xFF }) == nil)
    }

    private func hexadecimalDigest(_ pieces: [String]) -> String {
        let digest = SHA256Digest()
        for piece in pieces { digest.update(Array(piece.utf8)) }
        return digest.hexadecimal()
    }
}
