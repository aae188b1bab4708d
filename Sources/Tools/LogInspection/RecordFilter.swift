import Contract
import Rowing

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
