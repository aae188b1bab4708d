import Bytes
import HostRuntime
import Testing

struct SHA256DigestTests {
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
