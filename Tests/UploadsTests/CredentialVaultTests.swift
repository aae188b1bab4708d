import Testing

@testable import Uploads

/// Credentials are encrypted for one athlete at one destination.
@Suite struct CredentialVaultTests {
    private static let all: [UploadCredentials] = [
        .key("icu-4711"), .tokens(OAuthTokens(access: "a")),
        .tokens(OAuthTokens(access: "a", refresh: "r", expiresAt: 1_788_627_840_000)),
        .webhook(address: "https://example.org/hook?a=\"b\"", secret: [0, 255, 7]),
    ]
    private let vault = CredentialVault(keyText: "k5wJ0vQ3Yx8m2ZbT7nR4cL9pH6sD1fGa")!

    @Test(arguments: all) func decryptsWhatItEncrypted(_ credentials: UploadCredentials) {
        let secret = vault.encrypted(credentials, of: "anna", at: .strava)
        #expect(vault.decrypted(secret, of: "anna", at: .strava) == credentials)
        #expect(vault.encrypted(credentials, of: "anna", at: .strava) != secret, "each has its own nonce")
    }

    @Test func refusesAnotherOwnerKeyOrContent() throws {
        let secret = vault.encrypted(.key("icu-4711"), of: "anna", at: .strava)
        #expect(vault.decrypted(secret, of: "ben", at: .strava) == nil)
        #expect(vault.decrypted(secret, of: "anna", at: .concept2) == nil)
        let other = try #require(CredentialVault(keyText: "another-key-with-32-characters-!"))
        #expect(other.decrypted(secret, of: "anna", at: .strava) == nil)
        for index in secret.indices {
            var damaged = secret
            damaged[index] ^= 1
            #expect(vault.decrypted(damaged, of: "anna", at: .strava) == nil, "byte \(index)")
        }
        for count in secret.indices {
            #expect(vault.decrypted(Array(secret.prefix(count)), of: "anna", at: .strava) == nil)
        }
    }

    @Test func containsNothingReadable() {
        let secret = vault.encrypted(.key("a-secret-that-is-long-enough"), of: "anna", at: .strava)
        let text = String(decoding: secret, as: UTF8.self)
        #expect(!text.contains("secret") && !text.contains("anna"))
    }

    @Test func refusesAShortKey() {
        #expect(CredentialVault(keyText: String(repeating: "x", count: 31)) == nil)
    }

    @Test func encodesBase64() {
        for (bytes, text) in [
            ([], ""), ([102], "Zg=="), ([102, 111], "Zm8="), ([102, 111, 111], "Zm9v"),
            ([255, 254, 253, 0], "//79AA=="),
        ] as [([UInt8], String)] {
            #expect(Base64.encoded(bytes) == text)
            #expect(Base64.decoded(text) == bytes)
        }
        for text in ["Zg", "Zg=", "Z g=", "Zm9v\n", "Zm9v====", "ä==="] {
            #expect(Base64.decoded(text) == nil, "\(text)")
        }
    }
}
