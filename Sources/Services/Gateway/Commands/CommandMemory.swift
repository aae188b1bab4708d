import Bytes
import Contract
import Timeline

/// Accepted requests and their answers, which make a repeated request harmless.
///
/// An entry lives for at least an hour of the gateway's running time. Time while the gateway was
/// off does not count, because the clock of a Pi may be wrong after a restart. If more than
/// `capacity` requests were accepted within the hour, the oldest are removed early.
struct CommandMemory: Equatable, Sendable {
    static let lifetime = Duration.seconds(3600)
    static let capacity = 256

    /// Identifies a request: the same id for another erg or verb is another request.
    struct Key: Hashable, Sendable {
        /// nil for the gateway.
        var station: StationID?
        var verb: String
        var requestID: String
    }

    enum Answer: Equatable, Sendable {
        /// Still running.
        case pending
        /// The complete reply.
        case given([UInt8])
        /// The gateway ended during the command.
        case interrupted
    }

    fileprivate struct Entry: Equatable, Sendable {
        var key: Key
        /// Digest of the payload: the same id with another content is an error of the sender.
        var digest: [UInt8]
        var acceptedAt: BootInstant
        var answer: Answer
    }

    /// In the order of acceptance.
    private var entries: [Entry] = []

    init() {}

    /// Returns the state of a request; nil for a new one.
    ///
    /// Throws if the id was used with another content.
    mutating func recall(
        _ key: Key, digest: [UInt8], at now: BootInstant
    ) throws(CommandFault) -> Answer? {
        entries.removeAll { $0.acceptedAt.duration(to: now) >= Self.lifetime }
        guard let entry = entries.last(where: { $0.key == key }) else { return nil }
        guard entry.digest == digest else {
            throw CommandFault(
                .requestIDReused,
                "request_id was used for another content in the last hour; give each request its own"
            )
        }
        return entry.answer
    }

    /// Stores a new request before it is executed.
    mutating func insert(_ key: Key, digest: [UInt8], at now: BootInstant) {
        if entries.count == Self.capacity {
            let index = entries.firstIndex { $0.answer != .pending } ?? 0
            entries.remove(at: index)
        }
        entries.append(Entry(key: key, digest: digest, acceptedAt: now, answer: .pending))
    }

    mutating func answer(_ key: Key, with reply: [UInt8]) {
        guard let index = entries.lastIndex(where: { $0.key == key }) else { return }
        entries[index].answer = .given(reply)
    }

    /// Returns the requests whose reply contains `text`.
    func keys(ofAnswersWith text: String) -> [Key] {
        entries.compactMap { entry in
            guard case .given(let reply) = entry.answer, reply.range(of: text) != nil else {
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
/// | entries | varint | count |
/// | slug, verb, request id | 3 sized | the slug is empty for the gateway |
/// | digest | sized | |
/// | age | varint | milliseconds when this was written |
/// | answer | sized | empty if none yet |
extension CommandMemory {
    private static let version: UInt8 = 1

    func encode(at now: BootInstant) -> [UInt8] {
        ByteCoder.bytes { coder in
            var memory = self
            memory.code(with: &coder, at: now)
        }
    }

    /// Returns nil for bytes of another version, and for damaged ones.
    init?(decoding bytes: [UInt8], at now: BootInstant) {
        let memory = ByteCoder.read(bytes) { coder -> CommandMemory in
            var memory = CommandMemory()
            memory.code(with: &coder, at: now)
            return memory
        }
        guard let memory, memory.entries.count <= Self.capacity else { return nil }
        self = memory
    }

    private mutating func code(with coder: inout ByteCoder, at now: BootInstant) {
        var version = Self.version
        version.code(with: &coder)
        guard version == Self.version else { return coder.refuse() }
        let blank = Entry(
            key: Key(verb: "", requestID: ""), digest: [], acceptedAt: now, answer: .interrupted)
        coder.list(&entries, blank: blank) { coder, entry in
            coder.station(&entry.key.station)
            entry.key.verb.code(with: &coder)
            entry.key.requestID.code(with: &coder)
            entry.digest.code(with: &coder)
            var age = UInt64(entry.acceptedAt.duration(to: now).wholeMilliseconds)
            coder.varint(&age)
            age = min(age, UInt64(Self.lifetime.wholeMilliseconds))
            entry.acceptedAt = now.advanced(by: .milliseconds(-Int64(age)))
            var reply: [UInt8] = if case .given(let reply) = entry.answer { reply } else { [] }
            reply.code(with: &coder)
            entry.answer = reply.isEmpty ? .interrupted : .given(reply)
        }
    }
}
