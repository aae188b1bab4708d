import PM5Codec
import Timeline

/// Packets that came before the status that tells what they are of.
///
/// Strokes, curves and splits come before the first status of a link, which is subscribed last, so
/// that seconds may pass until it is there, and on a busy machine much of a minute; and before the
/// status that begins their session. Summaries wait where a busy monitor has not told of the end.
struct EarlyPackets {
    /// More than comes in the two minutes in which a busy monitor may send no status: fifty strokes of
    /// eleven packets.
    static let capacity = 1024
    /// While statuses come, a packet is read at most this long before the one that tells of its piece.
    static let limit = Duration.seconds(3)
    /// A packet may be this much ahead of the status that is read before it.
    static let leadCentiseconds: UInt32 = 300

    struct Entry {
        let packet: Notification
        let at: BootInstant

        /// Whether it was counted on the clock of a piece whose status is `status`.
        func fits(_ status: GeneralStatus) -> Bool {
            packet.pieceCentiseconds.map {
                $0 <= status.elapsedCentiseconds + EarlyPackets.leadCentiseconds
            } ?? true
        }
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Whether a stroke was made in the piece whose status is `status`.
    func hasStroke(of status: GeneralStatus) -> Bool {
        entries.contains { $0.packet.strokeCount ?? 0 > 0 && $0.fits(status) }
    }

    var hasStrokes: Bool { entries.contains { $0.packet.strokeCount != nil } }

    /// Whether a first stroke was made.
    var hasBeginning: Bool { entries.contains { $0.packet.strokeCount == 1 } }

    /// Whether the piece whose status is `status` was heard from its first stroke on.
    func hasBeginning(of status: GeneralStatus) -> Bool {
        entries.contains { $0.packet.strokeCount == 1 && $0.fits(status) }
    }

    /// Keeps a packet that has to wait for the status; false for any other.
    mutating func hold(_ packet: Notification, at now: BootInstant) -> Bool {
        switch packet {
        case .strokeData, .additionalStrokeData, .splitData, .additionalSplitData,
            .forceCurvePiece, .workoutSummary, .additionalWorkoutSummary, .workoutSummary2:
            if entries.count < Self.capacity { entries.append(Entry(packet: packet, at: now)) }
            return true
        default: return false
        }
    }

    /// Gives out what was kept, in the order in which it came.
    mutating func take() -> [Entry] {
        defer { entries = [] }
        return entries
    }

    /// Drops what the statuses since have said nothing of; gives back how many.
    mutating func expire(at now: BootInstant) -> Int {
        let count = entries.count
        entries.removeAll { $0.at.duration(to: now) > Self.limit }
        return count - entries.count
    }

    /// The summaries alone.
    mutating func takeSummaries() -> [Entry] {
        let summaries = entries.filter(\.packet.isOfSummary)
        if !summaries.isEmpty { entries.removeAll(where: \.packet.isOfSummary) }
        return summaries
    }

    /// Forgets what came on a link that is gone; a summary stays what it is.
    mutating func drop() { entries.removeAll { !$0.packet.isOfSummary } }
}

extension Notification {
    /// Whether it is a part of the monitor's result of a piece.
    var isOfSummary: Bool {
        switch self {
        case .workoutSummary, .additionalWorkoutSummary, .workoutSummary2: true
        default: false
        }
    }

    /// The monitor's count in a packet of a stroke.
    var strokeCount: UInt16? {
        switch self {
        case .strokeData(let packet): packet.strokeCount
        case .additionalStrokeData(let packet): packet.strokeCount
        default: nil
        }
    }

    /// The time of the piece at which it was sent, where it tells.
    fileprivate var pieceCentiseconds: UInt32? {
        switch self {
        case .strokeData(let packet): packet.elapsedCentiseconds
        case .additionalStrokeData(let packet): packet.elapsedCentiseconds
        case .splitData(let packet): packet.elapsedCentiseconds
        case .additionalSplitData(let packet): packet.elapsedCentiseconds
        default: nil
        }
    }
}
