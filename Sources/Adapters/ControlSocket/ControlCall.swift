import Synchronization

/// A request in progress. Produces encoded replies until the last one.
struct ControlCall: Sendable {
    enum Step: Sendable {
        case more([UInt8])
        case last([UInt8])
        /// The client wants no reply.
        case noReply
        /// The request was malformed: sends the error and closes the connection.
        case hangUp(ControlFailure)
    }

    private let produce: @Sendable () async throws -> Step

    init(_ produce: @escaping @Sendable () async throws -> Step) { self.produce = produce }

    static func hangUp(_ failure: ControlFailure) -> ControlCall {
        ControlCall { .hangUp(failure) }
    }

    /// The same work; replies are discarded.
    var withoutReply: ControlCall {
        ControlCall { [produce] in
            _ = try? await produce()
            return .noReply
        }
    }

    /// Returns the next reply. An error of the handler becomes an error reply.
    func next() async -> Step {
        do {
            return try await produce()
        } catch {
            let failure =
                error as? ControlFailure
                ?? ControlFailure(rowgate: "Failed", message: "\(error)")
            let message = try? VarlinkMessage.reply(failure: failure)
            return message.map(Step.last) ?? .noReply
        }
    }
}

/// A flag that several threads may set.
final class OnceFlag: Sendable {
    private let isSet = Atomic(false)
    /// Sets the flag. Returns true on the first call only.
    func set() -> Bool { !isSet.exchange(true, ordering: .relaxed) }
}
