import Bytes
import CommandLineText
import Contract
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
