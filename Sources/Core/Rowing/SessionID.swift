/// The name of one session: 26 characters, a ULID, unique over all gateways.
package struct SessionID: Hashable, Sendable, CustomStringConvertible {
    /// As it was given; 26 characters where a gateway made it.
    package let text: String
    package init(_ text: String) { self.text = text }
    package var description: String { text }
}
