import Bytes
import Plans
import Timeline

/// The planned workouts in an answer of intervals.icu, as workouts of a plan.
///
/// Only events of the types `Rowing` and `VirtualRow` count. The day is that of `start_date_local`, the note is the
/// description as the athlete or coach wrote it. A workout that a monitor cannot have is a just row with its name and
/// description; nothing is guessed. Any member may be missing or of a wrong type.
package struct IntervalsICUEvents: Equatable, Sendable {
    private static let types = ["Rowing", "VirtualRow"]

    /// In order of day and time, at most `TrainingPlan.mostOnADay` for each day.
    package private(set) var workouts: [PlannedWorkout] = []
    /// The number of these that are a just row, because their steps are missing or cannot be expressed.
    package private(set) var openWorkouts = 0
    /// The number of events for rowing that are not in `workouts`: without a valid day, without any content, or
    /// too many on a day.
    package private(set) var leftOut = 0

    /// Returns nil if the text is not a JSON list.
    ///
    /// - Parameter days: events on other days are ignored.
    package init?(parsing bytes: [UInt8], on days: ClosedRange<CalendarDay>) {
        guard case .list(let values)? = try? JSONValue(parsing: bytes) else { return nil }
        var events: [Event] = []
        for case .object(let object) in values where Self.isPlannedRow(object) {
            guard let event = Event(object) else {
                leftOut += 1
                continue
            }
            if days.contains(event.day) { events.append(event) }
        }
        add(events.sorted { $0.isBefore($1) })
    }

    /// The request asks for workouts only. An event without a category counts, one of another category does not.
    private static func isPlannedRow(_ event: JSONObject) -> Bool {
        guard let type = event.text("type"), types.contains(type),
            event["hide_from_athlete"] != .flag(true)
        else { return false }
        return switch event["category"] {
        case nil, .null?, .text("WORKOUT")?: true
        default: false
        }
    }

    private mutating func add(_ events: [Event]) {
        var (perDay, numbers): ([CalendarDay: Int], Set<UInt64>) = ([:], [])
        for event in events {
            perDay[event.day, default: 0] += 1
            guard perDay[event.day, default: 0] <= TrainingPlan.mostOnADay else {
                leftOut += 1
                continue
            }
            // The plan gives a repeated or missing number another id.
            let id = event.number.flatMap { numbers.insert($0).inserted ? "icu-\($0)" : nil } ?? ""
            guard
                let workout = try? PlannedWorkout(
                    id: id, day: event.day.text, workout: event.notation ?? "just-row", machine: "rower",
                    name: event.name, note: event.note)
            else {
                leftOut += 1
                continue
            }
            workouts.append(workout)
            if event.notation == nil { openWorkouts += 1 }
        }
    }
}

/// An event of the calendar.
private struct Event {
    let day: CalendarDay
    /// `2026-11-21T07:00:00`, often without a real time.
    let start: String
    /// The service's number of the event; nil if it is missing.
    let number: UInt64?
    let name: String
    let note: String
    /// The workout; nil if it cannot be expressed.
    let notation: String?

    /// Returns nil without a day, and without any content.
    init?(_ object: JSONObject) {
        guard let start = object.text("start_date_local"), start.utf8.count <= 40,
            start.count == 10 || start.dropFirst(10).first == "T",
            let day = CalendarDay(String(start.prefix(10)))
        else { return nil }
        (self.day, self.start) = (day, start)
        number = object.number("id")
        let document = object.object("workout_doc")
        name = Self.line(object.text("name") ?? "")
        note = Self.lines(object.text("description") ?? document?.text("description") ?? "")
        notation = document.flatMap { IntervalsICUWorkout.notation(of: $0) }
        if name.isEmpty, note.isEmpty, notation == nil { return nil }
    }

    /// The order of events, which does not depend on that of the answer.
    func isBefore(_ other: Event) -> Bool {
        let numbers = (number ?? .max, other.number ?? .max)
        return (start, numbers.0, name) < (other.start, numbers.1, other.name)
    }

    private static func line(_ text: String) -> String {
        shortened(text.unicodeScalars.map { isControl($0) ? " " : $0 }, PlannedWorkout.longestName)
    }

    private static func lines(_ text: String) -> String {
        let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        return shortened(
            lines.unicodeScalars.map { $0 != "\n" && isControl($0) ? " " : $0 }, PlannedWorkout.longestNote)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control
    }

    /// Removes white space at both ends, and ends a longer text with an ellipsis. Counts scalars, because a single
    /// character can have any number of them.
    private static func shortened(_ scalars: [Unicode.Scalar], _ most: Int) -> String {
        let start = scalars.drop { $0.properties.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        let trimmed = start[...last]
        var text = String.UnicodeScalarView()
        text.append(contentsOf: trimmed.count > most ? trimmed.prefix(most - 1) + ["\u{2026}"] : trimmed)
        return String(text)
    }
}
