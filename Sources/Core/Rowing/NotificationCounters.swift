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
    /// Single figures that count as not known, in packets that are taken for the rest: a rate of 200
    /// strokes a minute, a drag factor that jumps to and fro.
    package internal(set) var implausibleValues = 0
    /// Longer than the longest documented layout; read as far as it is known.
    package var extended = 0
    /// Stroke and split packets that said nothing new.
    package var duplicates = 0
    /// Summaries without a result: distance 0 or an invalid pace.
    package var junkSummaries = 0
    /// Packets of strokes, splits and summaries that belong to no session known here.
    package var strayPackets = 0

    /// Values of which nothing could be made.
    package var unusable: Int { truncated + unknown + implausible }

    /// For the log.
    package var words: String {
        "\(received) values so far: \(unusable) unusable, \(extended) longer than known, "
            + "\(duplicates) repeated, \(junkSummaries) empty summaries, "
            + "\(strayPackets) of no session, \(implausibleValues) figures that no machine has"
    }
}

/// What became of a packet that belongs to a session.
enum PacketVerdict {
    case taken
    /// It said nothing new.
    case duplicate
    /// A summary without a result.
    case junk
    /// It belongs to no session known here.
    case stray
}
