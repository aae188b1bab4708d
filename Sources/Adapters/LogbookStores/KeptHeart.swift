/// An athlete's resting and maximal heart rate, as somebody gave them: no record tells them.
package struct KeptHeart: Equatable, Sendable {
    /// Whose: an athlete id.
    package var athlete: String
    /// Beats a minute.
    package var resting: Int
    package var maximal: Int
    /// Unix milliseconds: when they were given.
    package var givenAt: Int64

    package init(athlete: String, resting: Int, maximal: Int, givenAt: Int64) {
        (self.athlete, self.givenAt) = (athlete, givenAt)
        (self.resting, self.maximal) = (resting, maximal)
    }
}
