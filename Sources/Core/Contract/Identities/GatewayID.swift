/// The slug that names a gateway in topics: `[a-z0-9-]{1,32}`.
package struct GatewayID: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// One level of a topic.
    package let slug: String

    /// nil unless `slug` is one.
    package init?(_ slug: String) {
        guard StationID.isSlug(slug) else { return nil }
        self.slug = slug
    }

    package var description: String { slug }

    package static func < (left: GatewayID, right: GatewayID) -> Bool { left.slug < right.slug }
}
