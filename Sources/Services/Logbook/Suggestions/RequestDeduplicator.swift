/// Stores the last requests by request id, with their replies, so that a repeated request runs only once.
///
/// The broker may deliver a request twice, and a sender that gets no reply may repeat it.
struct RequestDeduplicator {
    /// The largest number of stored requests; the oldest is evicted first.
    static let capacity = 256

    enum Status: Equatable {
        /// No request with this id is stored.
        case new
        case inProgress
        case completed(reply: [UInt8])
        /// The id was used for another payload.
        case differentPayload
    }

    private struct Entry {
        let payload: [UInt8]
        var reply: [UInt8]?
    }

    /// In order of arrival.
    private var ids: [String] = []
    private var entries: [String: Entry] = [:]

    func status(of id: String, _ payload: [UInt8]) -> Status {
        guard let entry = entries[id] else { return .new }
        guard entry.payload == payload else { return .differentPayload }
        return entry.reply.map(Status.completed) ?? .inProgress
    }

    /// Stores a new request as in progress.
    mutating func begin(_ id: String, _ payload: [UInt8]) {
        if ids.count == Self.capacity { entries[ids.removeFirst()] = nil }
        ids.append(id)
        entries[id] = Entry(payload: payload)
    }

    /// Stores the reply to a request.
    mutating func complete(_ id: String, _ reply: [UInt8]) { entries[id]?.reply = reply }

    /// Removes a request that had no effect, so that it can be sent again.
    mutating func remove(_ id: String) {
        entries[id] = nil
        ids.removeAll { $0 == id }
    }
}
