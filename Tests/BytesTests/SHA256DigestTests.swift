import Bytes
import Foundation
import TestSupport
import Testing

@Suite struct SHA256DigestTests {
    /// The examples of NIST for SHA-256, and the digest of no bytes.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ])
    func matchesPublishedDigests(text: String, expected: String) {
        let bytes = Array(text.utf8)
        #expect(SHA256Digest.hexadecimal(of: [bytes]) == expected)
        // In pieces of every size up to two blocks, as long as the text has.
        var digest = SHA256Digest()
        var next = 0
        while next < bytes.count {
            let end = min(bytes.count, next + 1 + next % 129)
            digest.update(Array(bytes[next..<end]))
            next = end
        }
        #expect(digest.hexadecimal() == expected)
    }

    @Test func resumesDigestFromItsState() throws {
        let bytes = (0..<200).map { UInt8($0) }
        for length in 0...200 {
            var first = SHA256Digest()
            first.update(Array(bytes[..<length]))
            var second = try #require(SHA256Digest(state: first.state))
            second.update(Array(bytes[length...]))
            #expect(second.hexadecimal() == SHA256Digest.hexadecimal(of: [bytes]))
        }
    }

    /// Earlier versions stored the memory of OpenSSL's `SHA256_CTX`. Each line of the file has a number of
    /// bytes, of the values 0, 1, 2, ..., and what they stored after these.
    @Test func stateIsThatOfEarlierVersions() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "Golden/openssl-states.txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 8)
        for line in lines {
            let words = line.split(separator: " ")
            let length = try #require(Int(words[0]))
            var digest = SHA256Digest()
            digest.update((0..<length).map { UInt8($0) })
            #expect(hexadecimal(digest.state) == String(words[1]), "after \(length) bytes")
        }
    }

    @Test func refusesBytesThatAreNoState() {
        let state = SHA256Digest().state
        #expect(SHA256Digest(state: Array(state.dropLast())) == nil)
        #expect(SHA256Digest(state: state + [0]) == nil)
        #expect(SHA256Digest(state: state.map { _ in 0xFF }) == nil)
        // Number of bits, number of pending bytes, and size of the digest.
        for index in [32, 33, 104, 107, 108] {
            var damaged = state
            damaged[index] ^= 1
            #expect(SHA256Digest(state: damaged) == nil, "byte \(index)")
        }
    }
}
