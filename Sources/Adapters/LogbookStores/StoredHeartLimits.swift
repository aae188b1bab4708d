/// An athlete's resting and maximal heart rate as entered by a person; no record contains them.
package struct StoredHeartLimits: Equatable, Sendable {
    /// An athlete id.
    package var athlete: String
    /// Beats per minute.
    package var resting: Int
    package var maximal: Int
    /// Unix milliseconds: when they were entered.
    package var givenAt: Int64

    package init(athlete: String, resting: Int, maximal: Int, givenAt: Int64) {
        (self.athlete, self.givenAt) = (athlete, givenAt)
        (self.resting, self.maximal) = (resting, maximal)
    }
}
