import Timeline

/// Open connections, their deadlines, and the choice of connections to close for new ones.
///
/// libmicrohttpd restarts its timeout with every byte, so a slow client could stay for hours. Here
/// a whole request has one deadline. At its connection limit libmicrohttpd lets new clients wait;
/// here the oldest idle connection is closed for them.
struct ConnectionTable {
    private enum Phase {
        /// No request, or an incomplete header section.
        case idle
        case readingBody
        /// The response is being sent; it may be an endless stream.
        case answering
    }

    private struct Connection {
        let descriptor: Int32
        let address: ClientAddress?
        var phase = Phase.idle
        /// Start of the phase.
        var since: BootInstant
        /// End of the phase; nil for a stream.
        var deadline: BootInstant?
        /// Its socket was shut down to make room; `closed` follows.
        var isClosing = false
    }

    private let limits: WebLimits
    /// By the address of libmicrohttpd's connection.
    private var connections: [UInt: Connection] = [:]

    init(limits: WebLimits) { self.limits = limits }

    var count: Int { connections.count }

    // MARK: Steps of a connection

    /// Returns the sockets to close before a client of this address connects; nil to refuse the client.
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

    /// Adds a connection without a request. Returns the sockets to close because its address has too
    /// many idle connections.
    mutating func opened(
        _ id: UInt, descriptor: Int32, address: ClientAddress?, at now: BootInstant
    ) -> [Int32] {
        connections[id] = Connection(
            descriptor: descriptor, address: address, since: now,
            deadline: now.advanced(by: limits.requestTime))
        return closeSurplusIdle(of: address)
    }

    /// The header section of a request is complete; its body follows.
    mutating func beganBody(_ id: UInt, at now: BootInstant) {
        enter(.readingBody, id, at: now, until: now.advanced(by: limits.requestTime))
    }

    /// A request is complete; its answer begins.
    mutating func beganAnswer(_ id: UInt, isStream: Bool, at now: BootInstant) {
        enter(
            .answering, id, at: now, until: isStream ? nil : now.advanced(by: limits.answerTime))
    }

    /// The answer is complete; another request may follow. Returns the sockets to close because its
    /// address has too many idle connections.
    mutating func completed(_ id: UInt, at now: BootInstant) -> [Int32] {
        enter(.idle, id, at: now, until: now.advanced(by: limits.requestTime))
        guard let connection = connections[id] else { return [] }
        return closeSurplusIdle(of: connection.address)
    }

    mutating func closed(_ id: UInt) { connections[id] = nil }

    /// Sockets of connections past their deadline.
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

    // MARK: Choice of connections to close

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

    /// Marks one connection for closing and returns its socket; nil if there is none.
    ///
    /// Chooses the connection that is idle for longest, of the client with most idle connections. So a
    /// client that floods the server loses its own connections. If none is idle, it chooses in the same
    /// way among connections whose body is being read.
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
