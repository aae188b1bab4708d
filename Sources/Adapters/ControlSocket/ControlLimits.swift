/// Resource limits of the control socket.
package struct ControlLimits: Sendable {
    /// Clients at a time. A further client gets an error and is disconnected.
    package var clients = 16
    /// Bytes of one request, without its NUL.
    package var requestBytes = 64 * 1024
    /// Unread bytes of replies per client.
    package var outputBytes = 1024 * 1024
    /// A client that sends no request for this long is disconnected.
    package var idle: Duration = .seconds(60)
    /// A client that reads nothing of a pending reply for this long is disconnected.
    package var stall: Duration = .seconds(10)
    package init() {}
}
