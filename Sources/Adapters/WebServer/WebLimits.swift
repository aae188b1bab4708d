/// What clients may take of a server, all of them and each.
package struct WebLimits: Sendable {
    /// Connections at a time. A further one has an idle one closed; where none is idle, it is
    /// refused.
    package var connections = 320
    /// Connections of one address, loopback excepted: behind a proxy everybody has that.
    package var connectionsPerAddress = 48
    /// Those of one address without a complete request, loopback excepted; for one more the oldest
    /// is closed. A browser keeps six open.
    package var idleConnectionsPerAddress = 24
    /// Connections that are being closed to make room, on top of `connections`.
    package var closingConnections = 64
    /// Bytes of a request's line and headers, and of what is about to be written, together.
    package var connectionMemory = 16 * 1024
    /// Bytes of a body that a client sends.
    package var body = 32 * 1024
    /// Bytes of all `content` that clients have not taken yet; one that is larger goes alone.
    package var content = 32 << 20
    /// Bytes that the kernel holds for a client that does not read; it takes twice as much.
    package var sendBuffer: Int32 = 64 * 1024
    /// How long a client may take for a request's headers, then for its body, and stay without a
    /// request.
    package var requestTime = Duration.seconds(15)
    /// How long it may take to read an answer that has an end.
    package var answerTime = Duration.seconds(60)
    /// How long the kernel may refuse all further bytes for a client that does not read.
    package var stuckTime = Duration.seconds(30)

    package init() {}
}
