import Bytes
import CCrypto

/// Encrypts the credentials of athletes' accounts for the store, with AES-256-GCM.
///
/// The encrypted form is bound to the athlete and the destination, so that nobody with access to the store can move
/// it to another athlete. It is a version byte, 12 bytes of nonce, 16 bytes of tag, and the encrypted JSON.
package struct CredentialVault: Sendable {
    /// The shortest text of a key file: the characters of 24 random bytes in base 64.
    package static let minimumKeyLength = 32
    private static let (version, nonceSize, tagSize): (UInt8, Int, Int) = (1, 12, 16)

    private let key: [UInt8]

    /// Returns nil if the text is too short for a random key.
    ///
    /// - Parameter text: the first line of the key file.
    package init?(keyText text: String) {
        guard text.utf8.count >= Self.minimumKeyLength else { return nil }
        key = Self.digest(of: Array(text.utf8))
    }

    package func encrypted(
        _ credentials: UploadCredentials, of athlete: String, at destination: UploadDestination
    ) -> [UInt8] {
        let nonce = Self.random(Self.nonceSize)
        let plain = credentials.encoded
        var (output, tag) = (
            [UInt8](repeating: 0, count: plain.count), [UInt8](repeating: 0, count: Self.tagSize)
        )
        let context = Self.newContext()
        defer { EVP_CIPHER_CTX_free(context) }
        var count: Int32 = 0
        let owner = Self.owner(athlete, destination)
        let isDone =
            EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1
            && EVP_EncryptUpdate(context, nil, &count, owner, Int32(owner.count)) == 1
            && EVP_EncryptUpdate(context, &output, &count, plain, Int32(plain.count)) == 1
            && EVP_EncryptFinal_ex(context, nil, &count) == 1
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, Int32(Self.tagSize), &tag) == 1
        precondition(isDone, "OpenSSL encrypts with AES-256-GCM")
        return [Self.version] + nonce + tag + output
    }

    /// Returns nil if the bytes were encrypted with another key, for another athlete or destination, or are damaged.
    package func decrypted(
        _ secret: [UInt8], of athlete: String, at destination: UploadDestination
    ) -> UploadCredentials? {
        let head = 1 + Self.nonceSize + Self.tagSize
        guard secret.count > head, secret[0] == Self.version else { return nil }
        let nonce = Array(secret[1..<1 + Self.nonceSize])
        var tag = Array(secret[1 + Self.nonceSize..<head])
        let input = Array(secret[head...])
        var output = [UInt8](repeating: 0, count: input.count)
        let context = Self.newContext()
        defer { EVP_CIPHER_CTX_free(context) }
        var count: Int32 = 0
        let owner = Self.owner(athlete, destination)
        guard EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            EVP_DecryptUpdate(context, nil, &count, owner, Int32(owner.count)) == 1,
            EVP_DecryptUpdate(context, &output, &count, input, Int32(input.count)) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, Int32(Self.tagSize), &tag) == 1,
            EVP_DecryptFinal_ex(context, nil, &count) == 1
        else { return nil }
        return UploadCredentials(encoded: output)
    }

    /// Returns random bytes for a new secret.
    package static func random(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        precondition(RAND_bytes(&bytes, Int32(count)) == 1, "OpenSSL has random numbers")
        return bytes
    }

    private static func newContext() -> OpaquePointer {
        guard let context = EVP_CIPHER_CTX_new() else { preconditionFailure("out of memory") }
        return context
    }

    private static func owner(_ athlete: String, _ destination: UploadDestination) -> [UInt8] {
        Array("\(destination.rawValue) \(athlete)".utf8)
    }

    private static func digest(of bytes: [UInt8]) -> [UInt8] {
        var (digest, count) = ([UInt8](repeating: 0, count: 32), UInt32(0))
        let isDone = EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil) == 1
        precondition(isDone, "OpenSSL has SHA-256")
        return digest
    }
}

extension UploadCredentials {
    /// JSON, for encryption.
    fileprivate var encoded: [UInt8] {
        JSONWriter.object { json in
            switch self {
            case .key(let key): json.field("key", key)
            case .tokens(let tokens):
                json.field("access", tokens.access)
                json.field("refresh", tokens.refresh)
                json.field("expires_ms", tokens.expiresAt)
            case .webhook(let address, let secret):
                json.field("address", address)
                json.field("secret", Base64.encoded(secret))
            }
        }
    }

    fileprivate init?(encoded bytes: [UInt8]) {
        guard let json = try? JSONObject(parsing: bytes) else { return nil }
        if let key = json.text("key") {
            self = .key(key)
        } else if let access = json.text("access") {
            self = .tokens(
                OAuthTokens(
                    access: access, refresh: json.text("refresh"),
                    expiresAt: json.number("expires_ms").map { Int64(clamping: $0) }))
        } else if let address = json.text("address"),
            let secret = json.text("secret").flatMap(Base64.decoded)
        {
            self = .webhook(address: address, secret: secret)
        } else {
            return nil
        }
    }
}

/// Bytes as text (RFC 4648, section 4).
enum Base64 {
    static func encoded(_ bytes: [UInt8]) -> String {
        // One more for the NUL at the end.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }

    /// Returns nil for other text, also with line breaks or without padding.
    static func decoded(_ text: String) -> [UInt8]? {
        let input = Array(text.utf8)
        let padding = min(2, input.reversed().prefix { $0 == UInt8(ascii: "=") }.count)
        guard input.count.isMultiple(of: 4), input.allSatisfy({ $0 > 0x20 }),
            !input.dropLast(padding).contains(UInt8(ascii: "="))
        else { return nil }
        var bytes = [UInt8](repeating: 0, count: input.count / 4 * 3)
        guard EVP_DecodeBlock(&bytes, input, Int32(input.count)) == bytes.count else { return nil }
        return Array(bytes.dropLast(padding))
    }
}
