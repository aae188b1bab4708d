import Bytes
import Contract
import Glibc
import HostRuntime

/// The holders of tokens on disk: `NAME ROLE SHA-256 UNIX-MILLISECONDS` a line, and an athlete's id behind
/// the role `athlete`.
struct TokenFile: Sendable {
    /// Why the file is of no use, and what to do.
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    /// More make no sense in one boathouse.
    static let maximumHolders = 256

    let path: String

    private var file: StateFile { StateFile(path: path, mode: 0o600) }

    /// Empty when there is no file yet.
    func read() throws(Fault) -> [TokenHolder] {
        let bytes: [UInt8]?
        do throws(StateFile.Failure) { bytes = try file.read() } catch {
            throw Fault(description: "\(error)")
        }
        var holders: [TokenHolder] = []
        for (number, line) in TextLines.all(in: bytes ?? []).enumerated() where !line.isEmpty {
            guard let holder = TokenHolder(line: String(decoding: line, as: UTF8.self)) else {
                throw Fault(
                    description: "\(path):\(number + 1): no token that rowgate-logbook wrote; "
                        + "remove the line, or the file and make new tokens")
            }
            holders.append(holder)
        }
        return holders
    }

    /// Reads the holders, has `edit` change them, and replaces the file, as one step for all processes.
    func change<Value>(
        _ edit: (inout [TokenHolder]) throws(Fault) -> Value
    ) throws(Fault) -> Value {
        try file.changing { Fault(description: "\($0)") } _: { () throws(Fault) in
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

    /// Changes when the file does; nil where there is none.
    var mark: [Int]? {
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
        guard words.count >= 4, Self.isName(words[0]), let role = Role(rawValue: words[1]),
            words[2].utf8.count == 64, let made = Int64(words[3]),
            words.count == (role == .athlete ? 5 : 4),
            words.dropFirst(4).allSatisfy({ AthleteID.isValid($0) })
        else { return nil }
        self.init(
            name: words[0], role: role, athlete: words.count > 4 ? words[4] : nil,
            digest: words[2], madeMilliseconds: made)
    }

    fileprivate var line: String {
        let words = [name, role.rawValue, digest, "\(madeMilliseconds)", athlete]
        return words.compactMap(\.self).joined(separator: " ") + "\n"
    }
}
