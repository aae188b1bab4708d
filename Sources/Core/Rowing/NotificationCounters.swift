/// Counts values of a link, and the unusable ones among them, since the daemon started.
package struct NotificationCounters: Equatable, Sendable {
    /// All values, decodable or not.
    package var received = 0
    /// Shorter than the shortest documented layout.
    package var truncated = 0
    /// No decoder for the characteristic, or for the identifier inside 0x0080.
    package var unknown = 0
    /// Of the right length, with content that no working monitor sends.
    package var implausible = 0
    /// Single implausible values in packets that are otherwise used: a rate of 200 strokes a minute, a drag
    /// factor that jumps.
    package internal(set) var implausibleValues = 0
    /// Longer than the longest documented layout; read as far as it is known.
    package var extended = 0
    /// Stroke and split packets without new content.
    package var duplicates = 0
    /// Summaries without a result: distance 0 or an invalid pace.
    package var junkSummaries = 0
    /// Packets of strokes, splits and summaries without a known session.
    package var strayPackets = 0

    /// Values that could not be used.
    package var unusable: Int { truncated + unknown + implausible }

    /// The counters as log text.
    package var logText: String {
        "\(received) values received: \(unusable) unusable, \(extended) longer than known, "
            + "\(duplicates) duplicates, \(junkSummaries) empty summaries, "
            + "\(strayPackets) without a session, \(implausibleValues) implausible values"
    }
}

/// The result of processing a packet of a session.
enum PacketOutcome {
    case accepted
    /// It had no new content.
    case duplicate
    /// A summary without a result.
    case junk
    /// It belongs to no known session.
    case stray
}
