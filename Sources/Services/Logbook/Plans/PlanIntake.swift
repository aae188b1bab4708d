import Bytes
import Contract
import Plans
import Timeline

/// A plan as it comes over HTTP: `{"title", "group", "workouts"}`, or a file as a text in the place of the
/// workouts, `{"format": "csv", "text": "day,workout\r\n..."}`. What is not there stays as it is.
struct PlanIntake: Sendable {
    private let title: String?
    private let group: TrainingPlan.Group?
    private let workouts: [PlannedWorkout]?

    /// - Parameters:
    ///   - calendar: of the club.
    ///   - zone: finds the time zone of an IANA name.
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
        let (word, text) = (try fields.text("format"), try fields.text("text"))
        guard let text else {
            if word != nil { throw fields.missing("text") }
            return nil
        }
        guard let word else { throw fields.missing("format") }
        guard let format = PlanFormat(rawValue: word) else {
            let words = PlanFormat.allCases.map(\.rawValue).joined(separator: " or ")
            throw fields.wrong("format", "must be \(words)")
        }
        do throws(PlanFault) {
            return try format.content(of: Array(text.utf8), plan: id, in: calendar, zone: zone)
        } catch {
            throw CommandFault(.badValue, "\(error)")
        }
    }

    /// - Parameter known: the plan that has the id now.
    func plan(
        _ id: String, inPlaceOf known: TrainingPlan?
    ) throws(PlanFault) -> TrainingPlan {
        try TrainingPlan(
            id: id, title: title ?? known?.title ?? "",
            group: group ?? known?.group ?? TrainingPlan.Group(),
            workouts ?? known?.workouts ?? [])
    }
}
