import Timeline

/// Who is connected, and until when each has to be done with what it is at.
///
/// libmicrohttpd's own timeout begins anew with every byte, so that a client which sends one now
/// and then could stay for hours; here a whole request has a time.
struct ConnectionTable {
    private struct Connection {
        let descriptor: Int32
        let address: ClientAddress?
        /// nil while it reads a stream, which has no end.
        var deadline: BootInstant?
    }

    private let limits: WebLimits
    /// By libmicrohttpd's name for each.
    private var connections: [UInt: Connection] = [:]

    init(limits: WebLimits) { self.limits = limits }

    var count: Int { connections.count }

    /// Whether one more of this address may connect.
    func admits(_ address: ClientAddress?) -> Bool {
        guard let address, !address.isLoopback else { return true }
        return connections.values.count { $0.address == address } < limits.connectionsPerAddress
    }

    mutating func opened(
        _ id: UInt, descriptor: Int32, address: ClientAddress?, at now: BootInstant
    ) {
        connections[id] = Connection(
            descriptor: descriptor, address: address,
            deadline: now.advanced(by: limits.requestTime))
    }

    /// A request's headers have come; its body follows.
    mutating func reads(_ id: UInt, at now: BootInstant) {
        connections[id]?.deadline = now.advanced(by: limits.requestTime)
    }

    /// A whole request has come; its answer begins.
    mutating func began(_ id: UInt, isStream: Bool, at now: BootInstant) {
        connections[id]?.deadline = isStream ? nil : now.advanced(by: limits.answerTime)
    }

    /// The answer is over; another request may follow.
    mutating func completed(_ id: UInt, at now: BootInstant) {
        connections[id]?.deadline = now.advanced(by: limits.requestTime)
    }

    mutating func closed(_ id: UInt) { connections[id] = nil }

    /// The sockets of those who took too long.
    func overdue(at now: BootInstant) -> [Int32] {
        connections.values.filter { $0.deadline.map { $0 <= now } ?? false }.map(\.descriptor)
    }
}
