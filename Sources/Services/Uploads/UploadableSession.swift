import Bests
import Bytes
import Contract
import Timeline
import TrainingFiles

/// A finished session as other services need it.
package struct UploadableSession: Sendable {
    /// The same for each attempt: `rowgate-boathouse-01J7ZK3Q5XQ4W8G9T2V6B0C1DE`.
    package let id: String
    /// The name for people: `8x500m/1:00r row`.
    package let title: String
    package let session: ExportedSession
    /// The newest summary.
    let summary: JSONObject
    /// Splits or intervals, in order.
    let splits: [JSONObject]
    /// Both as published.
    let summaryRecord: [UInt8]
    let splitRecords: [[UInt8]]
    /// Unix milliseconds.
    package let endedAt: Int64
    let calendar: ClubCalendar
    let weightClass: Concept2Result.WeightClass

    /// Returns nil for a session without a result.
    ///
    /// - Parameters:
    ///   - gateway, sessionID: the name of the session.
    ///   - records: its stored records by kind, ordered by their numbers.
    ///   - machine: used if the records do not name the machine.
    ///   - calendar: the club's local time.
    ///   - weightClass: the athlete's.
    package init?(
        gateway: GatewayID, sessionID: String, _ records: [StreamKind: [[UInt8]]], on machine: MachineKind,
        in calendar: ClubCalendar, weightClass: Concept2Result.WeightClass
    ) {
        let parsed = { (kind: StreamKind) in (records[kind] ?? []).compactMap { try? JSONObject(parsing: $0) }
        }
        guard let summary = parsed(.summary).last, let ended = summary.number("ended_ms"),
            summary.decimal("result_time_s") ?? 0 > 0, summary.decimal("distance_m") ?? 0 > 0,
            let session = ExportedSession(records, on: machine)
        else { return nil }
        id = "rowgate-\(gateway)-\(sessionID)"
        (self.session, self.summary, self.calendar, self.weightClass) = (
            session, summary, calendar, weightClass
        )
        splits = parsed(.split)
        (summaryRecord, splitRecords) = (records[.summary]?.last ?? [], records[.split] ?? [])
        endedAt = Int64(clamping: ended)
        title = Concept2Table.description(summary, splits, on: session.machine) ?? sessionID
    }

    /// The session as a FIT file. The bytes are the same each time, because services recognize duplicates by them.
    package var fit: [UInt8] { FITActivity(session).bytes }

    /// The session as Concept2's logbook takes it.
    var concept2Result: [UInt8] {
        Concept2Result.json(session, summary, splits, in: calendar, weightClass: weightClass)
    }

    /// The name of the file.
    var fileName: String { "\(id).fit" }
}
