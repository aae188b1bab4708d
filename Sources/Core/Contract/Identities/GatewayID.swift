/// The slug that names a gateway in topics.
package struct GatewayID: SlugIdentity {
    package let slug: String

    package init(valid slug: String) { self.slug = slug }
}
