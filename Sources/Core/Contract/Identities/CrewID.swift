/// The slug that names a crew in topics.
package struct CrewID: SlugIdentity {
    /// Maximum number of ergs in a crew: all ergs of a gateway.
    package static let maximumMembers = 8

    package let slug: String

    package init(valid slug: String) { self.slug = slug }
}
