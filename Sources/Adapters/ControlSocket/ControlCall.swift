import Synchronization

/// One request on its way: asked for encoded replies until the last.
struct ControlCall: Sendable {
    enum Step: Sendable {
        case more([UInt8])
        case last([UInt8])
        /// The client wants no reply.
        case silence
        /// The request was garbage: says so, and ends the connection.
        case hangUp(ControlFailure)
    }

    private let produce: @Sendable () async throws -> Step

    init(_ produce: @escaping @Sendable () async throws -> Step) { self.produce = produce }

    static func hangUp(_ failure: ControlFailure) -> ControlCall {
        ControlCall { .hangUp(failure) }
    }

    /// The same work, with the replies thrown away.
    var silent: ControlCall {
        ControlCall { [produce] in
            _ = try? await produce()
            return .silence
        }
    }

    /// The next reply; a failure of the handler becomes an error reply.
    func next() async -> Step {
        do {
            return try await produce()
        } catch {
            let failure =
                error as? ControlFailure
                ?? ControlFailure(rowgate: "Failed", message: "\(error)")
            let message = try? VarlinkMessage.reply(failure: failure)
            return message.map(Step.last) ?? .silence
        }
    }
}

/// True once.
final class FirstTime: Sendable {
    private let taken = Atomic(false)
    func take() -> Bool { !taken.exchange(true, ordering: .relaxed) }
}
