/// The slug that names a logbook in topics.
package struct LogbookID: SlugIdentity {
    package let slug: String

    package init(valid slug: String) { self.slug = slug }
}
