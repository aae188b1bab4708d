import Bytes
import Contract
import Plans
import Timeline

/// A request to create or change a plan: `{"title", "group", "workouts"}`, or a file instead of the workouts,
/// `{"format": "csv", "text": "day,workout\r\n..."}`. Missing fields keep their stored values.
struct PlanUpdate: Sendable {
    private let title: String?
    private let group: TrainingPlan.Group?
    private let workouts: [PlannedWorkout]?

    /// - Parameters:
    ///   - calendar: the club's calendar.
    ///   - zone: returns the calendar for an IANA time zone name.
    init(
        _ body: [UInt8], id: String, in calendar: ClubCalendar, zone: (String) -> ClubCalendar?
    ) throws(CommandFault) {
        var fields = CommandFields(try CommandFields.object(body))
        let title = try fields.text("title")
        group = try fields.group()
        let listed = try fields.workouts()
        let content = try Self.file(&fields, id, calendar, zone)
        try fields.finish()
        guard listed == nil || content == nil else {
            throw fields.wrong("text", "and workouts exclude each other")
        }
        workouts = listed ?? content?.workouts
        self.title = title ?? content?.title
    }

    private static func file(
        _ fields: inout CommandFields, _ id: String, _ calendar: ClubCalendar,
        _ zone: (String) -> ClubCalendar?
    ) throws(CommandFault) -> PlanCalendar.Content? {
        let (formatName, text) = (try fields.text("format"), try fields.text("text"))
        guard let text else {
            if formatName != nil { throw fields.missing("text") }
            return nil
        }
        guard let formatName else { throw fields.missing("format") }
        guard let format = PlanFormat(rawValue: formatName) else {
            let formats = PlanFormat.allCases.map(\.rawValue).joined(separator: " or ")
            throw fields.wrong("format", "must be \(formats)")
        }
        do throws(PlanFault) {
            return try format.content(of: Array(text.utf8), plan: id, in: calendar, zone: zone)
        } catch {
            throw CommandFault(.badValue, "\(error)")
        }
    }

    /// - Parameter current: the stored plan with this id.
    func plan(
        _ id: String, replacing current: TrainingPlan?
    ) throws(PlanFault) -> TrainingPlan {
        try TrainingPlan(
            id: id, title: title ?? current?.title ?? "",
            group: group ?? current?.group ?? TrainingPlan.Group(),
            workouts ?? current?.workouts ?? [])
    }
}
