/// The slug that names a crew in topics.
package struct CrewID: SlugIdentity {
    /// Ergs that a crew may have: as many as a gateway holds.
    package static let mostMembers = 8

    package let slug: String

    package init(valid slug: String) { self.slug = slug }
}
