/// What arrived on a link and how much of it was of no use, since the daemon started.
package struct NotificationCounters: Equatable, Sendable {
    /// Every value handed in, decodable or not.
    package var received = 0
    /// Shorter than the shortest documented layout.
    package var truncated = 0
    /// No decoder for the characteristic, or for the identifier inside 0x0080.
    package var unknown = 0
    /// Of the right length, and nothing that a monitor in working order can have said.
    package var implausible = 0
    /// Longer than the longest documented layout; read as far as it is known.
    package var extended = 0
    /// Stroke and split packets that said nothing new.
    package var duplicates = 0
    /// Summaries without a result: distance 0 or an invalid pace.
    package var junkSummaries = 0
    /// Summaries that belong to no session known here.
    package var strayPackets = 0
    /// Force curves of which a piece was lost.
    package var incompleteCurves = 0
    /// Force curves without a stroke to join.
    package var strayCurves = 0

    /// Values of which nothing could be made.
    package var unusable: Int { truncated + unknown + implausible }
}
