/// A training plan as it is kept: whoever reads plans says what is in it.
package struct KeptPlan: Equatable, Sendable {
    package var slug: String
    /// When it was last put there, in Unix milliseconds.
    package var changedAt: Int64
    /// JSON.
    package var body: [UInt8]

    package init(slug: String, changedAt: Int64, body: [UInt8]) {
        (self.slug, self.changedAt, self.body) = (slug, changedAt, body)
    }
}
