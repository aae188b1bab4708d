import Bytes
import CommandLineText
import Contract
import Rowing
import TrainingFiles

/// A message on one line, for people: `rowgatectl log tail`.
package enum RecordLine {
    /// The widths do not follow the content, which is not known yet when the first line is written.
    private static let widths = (time: 24, erg: 10, kind: 8, sequence: 8)
    /// Said by the columns, the same in every line, or of the clock that cannot be trusted yet.
    private static let left: Set = [
        "v", "kind", "gw", "erg", "epoch", "seq", "ts_ms", "time", "boot_id", "boot_ms",
    ]

    package static var header: StyledLine {
        StyledLine(columns("TIME", "ERG", "KIND", "SEQ") + "  WHAT", .heading)
    }

    package static func line(of message: DurableMessage) -> StyledLine {
        let time = LogSummary.time(Int64(clamping: message.unixMilliseconds))
        let place = columns(
            time, message.station?.slug ?? "-", message.kind.topicName, "\(message.sequence)")
        return StyledLine(place) + StyledLine("  " + what(message))
    }

    private static func what(_ message: DurableMessage) -> String {
        guard let fields = try? JSONObject(parsing: message.payload) else {
            return "no JSON object"
        }
        return fields.members.filter { member in
            // A clock that is right is not worth a word.
            !left.contains(member.name) && member.value != .text("synced")
        }.map { member in
            if case .list(let values) = member.value { return "\(member.name)=[\(values.count)]" }
            return "\(member.name)=\(member.value.cell)"
        }.joined(separator: " ")
    }

    private static func columns(
        _ time: String, _ erg: String, _ kind: String, _ sequence: String
    ) -> String {
        [
            time.padded(to: widths.time), erg.padded(to: widths.erg), kind.padded(to: widths.kind),
            sequence.padded(to: widths.sequence, .trailing),
        ].joined(separator: "  ")
    }
}

/// Selects messages of a ring; a nil or empty criterion admits all.
package struct RecordFilter: Equatable, Sendable {
    /// The gateway's own messages belong to no erg.
    package var ergs: Set<StationID> = []
    package var kinds: Set<StreamKind> = []
    package var session: SessionID?
    package var athlete: String?
    /// Unix milliseconds, the first and the one behind the last.
    package var since: Int64?
    package var until: Int64?

    /// Admits all.
    package init() {}

    /// Whether a message is selected; an erased message is, unless a session or athlete is given.
    func admits(_ message: DurableMessage) -> Bool {
        if !kinds.isEmpty, !kinds.contains(message.kind) { return false }
        if !ergs.isEmpty {
            guard let station = message.station, ergs.contains(station) else { return false }
        }
        guard admits(unixMilliseconds: Int64(clamping: message.unixMilliseconds)) else {
            return false
        }
        if let session, !message.names(session, as: "session_id") { return false }
        if let athlete, !message.names(athlete, as: "athlete_id") { return false }
        return true
    }

    func admits(unixMilliseconds time: Int64) -> Bool {
        (since.map { $0 <= time } ?? true) && (until.map { time < $0 } ?? true)
    }
}

extension DurableMessage {
    /// Whether the payload has a member of this name and text.
    func names(_ text: some CustomStringConvertible, as member: StaticString) -> Bool {
        StoredRecord.names(text, as: member, in: payload)
    }
}
