/// A stored training plan; `body` is parsed by the plan module.
package struct StoredPlan: Equatable, Sendable {
    package var slug: String
    /// Last change in Unix milliseconds.
    package var changedAt: Int64
    /// JSON.
    package var body: [UInt8]

    package init(slug: String, changedAt: Int64, body: [UInt8]) {
        (self.slug, self.changedAt, self.body) = (slug, changedAt, body)
    }
}
