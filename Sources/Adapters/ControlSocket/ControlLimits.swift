/// What a client of the control socket may cost.
package struct ControlLimits: Sendable {
    /// Clients at a time; one more is told so and hung up on.
    package var clients = 16
    /// Bytes of one request, its NUL left out.
    package var requestBytes = 64 * 1024
    /// Bytes of replies that may wait for a client that does not read.
    package var outputBytes = 1024 * 1024
    /// A client that asks nothing for so long is hung up on.
    package var idle: Duration = .seconds(60)
    /// So is one that is owed a reply and takes none of it.
    package var stall: Duration = .seconds(10)
    package init() {}
}
