/// Resource limits of the server and of each client.
package struct WebLimits: Sendable {
    /// Connections at a time. For a further one the server closes an idle connection; if none is
    /// idle, it refuses the client.
    package var connections = 600
    /// Connections per address. Does not apply to loopback, which all clients of a proxy share.
    package var connectionsPerAddress = 48
    /// Connections per address without a complete request, except loopback. For a further one the
    /// server closes the oldest. A browser keeps six open.
    package var idleConnectionsPerAddress = 24
    /// Connections that are being closed to make room, in addition to `connections`.
    package var closingConnections = 64
    /// Bytes of request line, headers and write buffer together.
    package var connectionMemory = 16 * 1024
    /// Bytes of a request body.
    package var body = 32 * 1024
    /// Unsent bytes of all `content` answers together. A single larger answer is sent alone.
    package var content = 32 << 20
    /// SO_SNDBUF in bytes; the kernel uses twice as much.
    package var sendBuffer: Int32 = 64 * 1024
    /// Time limit for the headers, for the body, and for an idle connection.
    package var requestTime = Duration.seconds(15)
    /// Time limit for reading an answer that is not a stream.
    package var answerTime = Duration.seconds(60)
    /// How long a client's send buffer may stay full.
    package var stuckTime = Duration.seconds(30)

    package init() {}
}
