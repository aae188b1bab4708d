/// A place in the room: the slug that a coach configures, and that topics carry.
///
/// It survives a swapped monitor; the serial number is data.
package struct StationID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package static let maximumLength = 32

    /// One level of a topic: no slash, no wildcard, at most `maximumLength` characters.
    package let slug: String

    /// nil unless the slug matches `[a-z0-9-]{1,32}`.
    package init?(_ slug: String) {
        guard Self.isSlug(slug) else { return nil }
        self.slug = slug
    }

    package var description: String { slug }

    /// Whether a text may name a gateway, an erg or an athlete: `[a-z0-9-]{1,32}`.
    package static func isSlug(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...maximumLength).contains(bytes.count)
            && bytes.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || byte == UInt8(ascii: "-")
            }
    }

    package static func < (left: StationID, right: StationID) -> Bool { left.slug < right.slug }
}
