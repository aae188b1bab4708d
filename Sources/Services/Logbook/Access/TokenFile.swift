import Bytes
import Contract
import Glibc
import HostRuntime

/// The list of token holders on disk. Each line is `NAME ROLE SHA-256 UNIX-MILLISECONDS`; for the role
/// `athlete`, the athlete id follows.
struct TokenFile: Sendable {
    /// An error with the cause and the action to take.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    static let maximumHolders = 256

    let path: String

    private var file: StateFile { StateFile(path: path, mode: 0o600) }

    /// Returns the holders; an empty list if the file does not exist.
    func read() throws(Fault) -> [TokenHolder] {
        let bytes: [UInt8]?
        do throws(StateFile.Failure) { bytes = try file.read() } catch {
            throw Fault(description: "\(error)")
        }
        var holders: [TokenHolder] = []
        for (number, line) in TextLines.all(in: bytes ?? []).enumerated() where !line.isEmpty {
            guard let holder = TokenHolder(line: String(decoding: line, as: UTF8.self)) else {
                throw Fault(
                    description: "\(path):\(number + 1): not a line written by rowgate-logbook; "
                        + "remove the line, or remove the file and create new tokens")
            }
            holders.append(holder)
        }
        return holders
    }

    /// Reads the holders, lets `edit` change them, and replaces the file. This is atomic across processes.
    func change<Value>(
        _ edit: (inout [TokenHolder]) throws(Fault) -> Value
    ) throws(Fault) -> Value {
        try file.changing {
            Fault(description: "\($0)")
        } _: { () throws(Fault) in
            var holders = try read()
            let value = try edit(&holders)
            try replace(with: holders)
            return value
        }
    }

    func replace(with holders: [TokenHolder]) throws(Fault) {
        do throws(StateFile.Failure) {
            try file.replaceForService(with: Array(holders.map(\.line).joined().utf8))
        } catch {
            throw Fault(description: "\(error)")
        }
    }

    /// A value that changes whenever the file changes; nil if the file does not exist.
    var fingerprint: [Int]? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return [
            Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
        ]
    }
}

extension TokenHolder {
    fileprivate init?(line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count >= 4, Self.isValidName(words[0]), let role = Role(rawValue: words[1]),
            words[2].utf8.count == 64, let created = Int64(words[3]),
            words.count == (role == .athlete ? 5 : 4),
            words.dropFirst(4).allSatisfy({ AthleteID.isValid($0) })
        else { return nil }
        self.init(
            name: words[0], role: role, athlete: words.count > 4 ? words[4] : nil,
            digest: words[2], createdMilliseconds: created)
    }

    fileprivate var line: String {
        let words = [name, role.rawValue, digest, "\(createdMilliseconds)", athlete]
        return words.compactMap(\.self).joined(separator: " ") + "\n"
    }
}

/// A sign-in token: 100 random bits, in characters that are easy to type correctly.
struct Token: Equatable, Sendable {
    /// Crockford's base 32, which has no characters that look alike.
    private static let letters = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let length = 20

    /// 20 characters of the alphabet.
    let text: String

    /// Creates a random token.
    init(by runtime: some Runtime) {
        let halves = [runtime.random(), runtime.random()]
        let letters = (0..<Self.length).map { (index: Int) -> UInt8 in
            let half: UInt64 = halves[index / 10]
            return Self.letters[Int(half >> (5 * (index % 10)) & 31)]
        }
        text = String(decoding: letters, as: UTF8.self)
    }

    /// Parses typed text. Ignores case, hyphens and white space. Returns nil if it cannot be a token.
    init?(typed: String) {
        guard typed.utf8.count <= 64 else { return nil }
        let alike: [Character: Character] = ["o": "0", "i": "1", "l": "1"]
        let letters = typed.lowercased().filter { $0 != "-" && !$0.isWhitespace }
            .map { alike[$0] ?? $0 }
        text = String(letters)
        let hasOnlyLetters = text.utf8.allSatisfy(Self.letters.contains)
        guard text.utf8.count == Self.length, hasOnlyLetters else { return nil }
    }

    /// The token in groups of four: `k7m2-9xqd-4t8w-hz3c-6vnp`.
    var printed: String {
        stride(from: 0, to: Self.length, by: 4)
            .map { String(text.dropFirst($0).prefix(4)) }.joined(separator: "-")
    }

    /// The stored form of the token: SHA-256 in hexadecimal. 100 random bits need no salt and no slow hash.
    var digest: String { SHA256Digest.hexadecimal(of: [Array(text.utf8)]) }
}

/// The owner of a token. Has only the digest, not the token itself.
struct TokenHolder: Equatable, Sendable {
    let name: String
    let role: Role
    /// The athlete whose records are visible; set for the role `athlete` only.
    var athlete: String?
    let digest: String
    let createdMilliseconds: Int64

    /// Whether the text is a valid token name.
    static func isValidName(_ text: String) -> Bool { Slug.isValid(text) }
}
