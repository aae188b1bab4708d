/// The ID of one session: 26 characters, a ULID, unique over all gateways.
package struct SessionID: Hashable, Sendable, CustomStringConvertible {
    /// The string given at initialisation.
    package let text: String
    package init(_ text: String) { self.text = text }
    package var description: String { text }
}
