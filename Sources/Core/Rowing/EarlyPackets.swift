import PM5Codec
import Timeline

/// Packets of strokes, curves and splits that came on a link before its first status.
///
/// Only the status tells what they are of: the piece that was under way when the link was lost, or
/// one that began meanwhile. It is subscribed last, so seconds may pass until it is there, and on a
/// busy machine much of a minute.
struct EarlyPackets {
    /// Three times what comes in the 40 s in which a link may be set up: thirty strokes of eleven
    /// packets.
    static let capacity = 1024
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

    /// Whether a stroke was made in the piece whose status is `status`.
    func hasStroke(of status: GeneralStatus) -> Bool {
        entries.contains {
            if case .strokeData = $0.packet { $0.fits(status) } else { false }
        }
    }

    /// Keeps a packet that has to wait for the status; false for any other.
    mutating func hold(_ packet: Notification, at now: BootInstant) -> Bool {
        switch packet {
        case .strokeData, .additionalStrokeData, .splitData, .additionalSplitData,
            .forceCurvePiece:
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

    mutating func drop() { entries = [] }
}

extension Notification {
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
