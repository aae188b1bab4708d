import Timeline

/// Who is connected, until when each step may take, and which connections are closed to make room.
///
/// libmicrohttpd's own timeout begins anew with every byte, so that a client which sends one now
/// and then could stay for hours; here a whole request has a time. Its limit of connections has new
/// clients wait; here the oldest idle connection is closed for them.
struct ConnectionTable {
    private enum Phase {
        /// Without a request, or with a header section that is incomplete.
        case idle
        case readingBody
        /// The answer is being sent, or is a stream, which has no end.
        case answering
    }

    private struct Connection {
        let descriptor: Int32
        let address: ClientAddress?
        var phase = Phase.idle
        /// When the phase began.
        var since: BootInstant
        /// nil while it reads a stream.
        var deadline: BootInstant?
        /// It was closed to make room, and is gone in a moment.
        var isClosing = false
    }

    private let limits: WebLimits
    /// By libmicrohttpd's name for each.
    private var connections: [UInt: Connection] = [:]

    init(limits: WebLimits) { self.limits = limits }

    var count: Int { connections.count }

    // MARK: Steps of a connection

    /// Before one more of this address connects: the sockets to close for it, or nil where it has to
    /// be refused.
    mutating func makeRoom(for address: ClientAddress?) -> [Int32]? {
        var victims: [Int32] = []
        if let address, !address.isLoopback,
            count(where: { $0.address == address }) >= limits.connectionsPerAddress
        {
            guard let victim = closeOldest(where: { $0.address == address }) else { return nil }
            victims.append(victim)
        }
        if count(where: { _ in true }) >= limits.connections {
            guard let victim = closeOldest(where: { _ in true }) else { return nil }
            victims.append(victim)
        }
        return victims
    }

    /// A connection begins, without a request. Returns the sockets to close because too many of its
    /// address are idle.
    mutating func opened(
        _ id: UInt, descriptor: Int32, address: ClientAddress?, at now: BootInstant
    ) -> [Int32] {
        connections[id] = Connection(
            descriptor: descriptor, address: address, since: now,
            deadline: now.advanced(by: limits.requestTime))
        return closeSurplusIdle(of: address)
    }

    /// A request's header section has come; its body follows.
    mutating func reads(_ id: UInt, at now: BootInstant) {
        enter(.readingBody, id, at: now, until: now.advanced(by: limits.requestTime))
    }

    /// A whole request has come; its answer begins.
    mutating func began(_ id: UInt, isStream: Bool, at now: BootInstant) {
        enter(
            .answering, id, at: now, until: isStream ? nil : now.advanced(by: limits.answerTime))
    }

    /// The answer is over; another request may follow. Returns the sockets to close because too many
    /// of its address are idle.
    mutating func completed(_ id: UInt, at now: BootInstant) -> [Int32] {
        enter(.idle, id, at: now, until: now.advanced(by: limits.requestTime))
        guard let connection = connections[id] else { return [] }
        return closeSurplusIdle(of: connection.address)
    }

    mutating func closed(_ id: UInt) { connections[id] = nil }

    /// The sockets of those who took too long.
    func overdue(at now: BootInstant) -> [Int32] {
        connections.values.filter { $0.deadline.map { $0 <= now } ?? false }.map(\.descriptor)
    }

    private mutating func enter(
        _ phase: Phase, _ id: UInt, at now: BootInstant, until deadline: BootInstant?
    ) {
        connections[id]?.phase = phase
        connections[id]?.since = now
        connections[id]?.deadline = deadline
    }

    // MARK: Which are closed

    private func count(where condition: (Connection) -> Bool) -> Int {
        connections.values.count { !$0.isClosing && condition($0) }
    }

    private mutating func closeSurplusIdle(of address: ClientAddress?) -> [Int32] {
        guard let address, !address.isLoopback,
            count(where: { $0.phase == .idle && $0.address == address })
                > limits.idleConnectionsPerAddress,
            let victim = closeOldest(where: { $0.address == address })
        else { return [] }
        return [victim]
    }

    /// Chooses the connection that is idle for longest, among those of the client that has the most
    /// idle ones: so a client that floods the server closes its own. Where none is idle, the same of
    /// those whose body is being read. Returns its socket; nil where there is none.
    private mutating func closeOldest(where condition: (Connection) -> Bool) -> Int32? {
        for phase in [Phase.idle, .readingBody] {
            let candidates = connections.filter {
                $0.value.phase == phase && !$0.value.isClosing && condition($0.value)
            }
            let counts = candidates.values.reduce(into: [ClientAddress?: Int]()) {
                $0[$1.address, default: 0] += 1
            }
            let most = counts.values.max() ?? 0
            let oldest = candidates.filter { counts[$0.value.address] == most }
                .min { $0.value.since < $1.value.since }
            guard let oldest else { continue }
            connections[oldest.key]?.isClosing = true
            return oldest.value.descriptor
        }
        return nil
    }
}
