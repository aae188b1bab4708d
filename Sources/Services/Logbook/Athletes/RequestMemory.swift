/// The last requests, by the ids that their senders gave them, with what each was told.
///
/// A broker may deliver a request twice, and whoever heard no answer sends it again: it is acted on once.
struct RequestMemory {
    /// Requests; older ones are forgotten.
    static let capacity = 256

    enum Finding: Equatable {
        /// None of that id, or one that came to nothing.
        case new
        case underWay
        case answered([UInt8])
        /// The id was used for another request.
        case anotherContent
    }

    private struct Entry {
        let payload: [UInt8]
        var reply: [UInt8]?
    }

    /// In the order of their coming.
    private var ids: [String] = []
    private var entries: [String: Entry] = [:]

    func finding(_ id: String, _ payload: [UInt8]) -> Finding {
        guard let entry = entries[id] else { return .new }
        guard entry.payload == payload else { return .anotherContent }
        return entry.reply.map(Finding.answered) ?? .underWay
    }

    /// One that is new is being carried out.
    mutating func begin(_ id: String, _ payload: [UInt8]) {
        if ids.count == Self.capacity { entries[ids.removeFirst()] = nil }
        ids.append(id)
        entries[id] = Entry(payload: payload)
    }

    /// What one was told.
    mutating func settle(_ id: String, _ reply: [UInt8]) { entries[id]?.reply = reply }

    /// Nothing was done: the same request may come again.
    mutating func forget(_ id: String) {
        entries[id] = nil
        ids.removeAll { $0 == id }
    }
}
