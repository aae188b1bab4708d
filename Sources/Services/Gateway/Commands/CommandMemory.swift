import Bytes
import Contract
import Timeline

/// Which requests were taken, and what was answered: what makes a repeated request harmless.
///
/// An entry lives for an hour of the gateway's running time at least: the time that the gateway was
/// off is not counted, since no clock of a Pi need be right after a restart. When more than
/// `capacity` were taken within the hour, the oldest are forgotten early.
struct CommandMemory: Equatable, Sendable {
    static let lifetime = Duration.seconds(3600)
    static let capacity = 256

    /// What names a request: the same id to another erg or for another verb is another request.
    struct Key: Hashable, Sendable {
        /// nil for the gateway.
        var station: StationID?
        var verb: String
        var requestID: String
    }

    enum Answer: Equatable, Sendable {
        /// It is being carried out.
        case pending
        /// The whole reply.
        case given([UInt8])
        /// The gateway ended while it was being carried out.
        case interrupted
    }

    fileprivate struct Entry: Equatable, Sendable {
        var key: Key
        /// Of the payload: one id with two contents is a mistake of the sender.
        var digest: [UInt8]
        var taken: BootInstant
        var answer: Answer
    }

    /// In the order of taking.
    private var entries: [Entry] = []

    init() {}

    /// What became of a request; nil for a new one.
    ///
    /// Throws when the id was used for another content.
    mutating func recall(
        _ key: Key, digest: [UInt8], at now: BootInstant
    ) throws(CommandFault) -> Answer? {
        entries.removeAll { $0.taken.duration(to: now) >= Self.lifetime }
        guard let entry = entries.last(where: { $0.key == key }) else { return nil }
        guard entry.digest == digest else {
            throw CommandFault(
                .requestIDReused,
                "request_id was used for another content in the last hour; give each request its own"
            )
        }
        return entry.answer
    }

    /// A new request is about to be carried out.
    mutating func take(_ key: Key, digest: [UInt8], at now: BootInstant) {
        if entries.count == Self.capacity {
            let index = entries.firstIndex { $0.answer != .pending } ?? 0
            entries.remove(at: index)
        }
        entries.append(Entry(key: key, digest: digest, taken: now, answer: .pending))
    }

    mutating func answer(_ key: Key, with reply: [UInt8]) {
        guard let index = entries.lastIndex(where: { $0.key == key }) else { return }
        entries[index].answer = .given(reply)
    }

    /// Requests that were answered with `bytes` somewhere in the reply.
    func keys(ofAnswersWith bytes: [UInt8]) -> [Key] {
        entries.compactMap { entry in
            guard case .given(let reply) = entry.answer, reply.firstRange(of: bytes) != nil else {
                return nil
            }
            return entry.key
        }
    }
}

/// The memory as bytes, for a file.
///
/// | field | width | content |
/// |---|---|---|
/// | version | 1 | 1 |
/// | entries | varint | how many follow |
/// | slug, verb, request id | 3 sized | the slug is empty for the gateway |
/// | digest | sized | |
/// | age | varint | milliseconds when this was written |
/// | answer | sized | empty when there is none yet |
extension CommandMemory {
    private static let version: UInt8 = 1

    func encode(at now: BootInstant) -> [UInt8] {
        var writer = ByteWriter()
        writer.uint8(Self.version)
        writer.varint(UInt64(entries.count))
        for entry in entries {
            writer.sized((entry.key.station?.slug ?? "").utf8)
            writer.sized(entry.key.verb.utf8)
            writer.sized(entry.key.requestID.utf8)
            writer.sized(entry.digest)
            writer.varint(UInt64(entry.taken.duration(to: now).wholeMilliseconds))
            if case .given(let reply) = entry.answer {
                writer.sized(reply)
            } else {
                writer.sized([])
            }
        }
        return writer.bytes
    }

    /// nil for bytes of another version, and for damaged ones.
    init?(decoding bytes: [UInt8], at now: BootInstant) {
        self.init()
        let entries = bytes.withUnsafeBytes { buffer -> [Entry]? in
            var reader = ByteReader(buffer)
            guard (try? reader.uint8()) == Self.version, let count = reader.varint(),
                count <= Self.capacity
            else { return nil }
            var entries: [Entry] = []
            for _ in 0..<count {
                guard let entry = Entry(&reader, at: now) else { return nil }
                entries.append(entry)
            }
            return entries
        }
        guard let entries else { return nil }
        self.entries = entries
    }
}

extension CommandMemory.Entry {
    fileprivate init?(_ reader: inout ByteReader, at now: BootInstant) {
        guard let slug = reader.sized(), let verb = reader.sized(), let id = reader.sized(),
            let digest = reader.sized(), let age = reader.varint(), let reply = reader.sized()
        else { return nil }
        key = CommandMemory.Key(
            station: StationID(String(decoding: slug, as: UTF8.self)),
            verb: String(decoding: verb, as: UTF8.self),
            requestID: String(decoding: id, as: UTF8.self))
        self.digest = Array(digest)
        let milliseconds = min(age, UInt64(CommandMemory.lifetime.wholeMilliseconds))
        taken = now.advanced(by: .milliseconds(-Int64(milliseconds)))
        answer = reply.isEmpty ? .interrupted : .given(Array(reply))
    }
}
