import Bests
import Bytes
import Timeline

/// A plan as a calendar (RFC 5545): an all-day event for each workout. Its UID stays the same when the day
/// or the workout changes.
///
/// The event's title is the workout, alone or after its name and a colon: `Steady: 40:00`. Calendars show,
/// keep and edit titles, while some lose custom properties. For the same reason the machine is a category, and
/// so is the time from which athletes see the workout: `shown from 18:00`. A hidden workout has a title that is
/// no workout, so that its calendar cannot be imported.
package enum PlanCalendar {
    /// - Parameter stamp: last change of the plan in Unix milliseconds.
    package static func bytes(of plan: TrainingPlan, stamp: Int64) -> [UInt8] {
        var lines = [
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//rowgate//rowgate-logbook//EN",
            "X-WR-CALNAME:" + escaped(plan.title),
        ]
        for workout in plan.workouts { lines += event(of: workout, in: plan, stamp) }
        lines.append("END:VCALENDAR")
        return lines.flatMap(folded)
    }

    private static func event(
        of workout: PlannedWorkout, in plan: TrainingPlan, _ stamp: Int64
    ) -> [String] {
        let moment = CivilTime(unixMilliseconds: stamp).rfc3339.prefix(19)
            .filter { $0 != "-" && $0 != ":" }
        let day = workout.day.firstDay
        let categories = [workout.machine?.rawValue, workout.revealTime.map { revealCategory + $0.text }]
            .compactMap { $0 }
        let category = categories.isEmpty ? [] : ["CATEGORIES:" + categories.joined(separator: ",")]
        let note = workout.note.isEmpty ? [] : ["DESCRIPTION:" + escaped(workout.note)]
        return [
            "BEGIN:VEVENT", "UID:\(workout.id)@\(plan.id).rowgate", "DTSTAMP:\(moment)Z",
            "DTSTART;VALUE=DATE:\(digits(day))",
            "DTEND;VALUE=DATE:\(digits(day.advanced(by: 1)))",
            "SUMMARY:" + escaped(workout.title),
        ] + category + note + ["TRANSP:TRANSPARENT", "END:VEVENT"]
    }

    /// The beginning of the category that contains the time from which athletes see a workout.
    fileprivate static let revealCategory = "shown from "

    private static func digits(_ day: CalendarDay) -> String {
        day.text.split(separator: "-").joined()
    }

    private static func escaped(_ text: String) -> String {
        [("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\n", "\\n")]
            .reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    /// Maximum octets of a line without its end.
    private static let longestLine = 75

    /// Folds a line at the maximum length without splitting a character; continuation lines begin with a
    /// space.
    private static func folded(_ line: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var length = 0
        for scalar in line.unicodeScalars {
            let octets = Array(String(scalar).utf8)
            if length + octets.count > longestLine {
                bytes += "\r\n ".utf8
                length = 1
            }
            bytes += octets
            length += octets.count
        }
        return bytes + Array("\r\n".utf8)
    }
}

extension PlannedWorkout {
    /// The title of a calendar event; `PlanCalendar.content` parses it.
    package var title: String {
        if order == nil, let revealTime {
            return "Test piece, shown from \(revealTime.day(before: day.firstDay).text) \(revealTime.time)"
        }
        return name.isEmpty ? workout : "\(name): \(workout)"
    }
}

// MARK: Reading

extension PlanCalendar {
    /// The plan data in a calendar.
    package struct Content: Equatable, Sendable {
        /// The calendar's name; nil if it has none.
        package var title: String?
        /// In the calendar's order.
        package var workouts: [PlannedWorkout] = []
    }

    /// Reads the events of a calendar. Alarms, time zone definitions, tasks, cancelled events and unknown
    /// properties are ignored.
    ///
    /// An event that begins at a time counts for the club's day at that instant. The time is in UTC, or in
    /// a time zone that `zone` finds. A time without a zone, or in an unknown one, counts for its own date.
    ///
    /// - Parameters:
    ///   - plan: events of this plan are recognised by their UIDs; others get new ids.
    ///   - calendar: the club's calendar.
    ///   - zone: finds a time zone by its IANA name; nil for an unknown name.
    package static func content(
        of bytes: [UInt8], plan: String, in calendar: ClubCalendar,
        zone: (String) -> ClubCalendar?
    ) throws(PlanFault) -> Content {
        var content = Content()
        var open: [String] = []
        var event = CalendarEvent()
        var isCalendar = false
        for line in CalendarLine.all(in: try PlanText.checked(bytes)) {
            switch line.name {
            case "BEGIN":
                open.append(line.value.uppercased())
                isCalendar = isCalendar || open == ["VCALENDAR"]
                if open == ["VCALENDAR", "VEVENT"] { event = CalendarEvent(line: line.number) }
            case "END":
                guard open.popLast() == line.value.uppercased() else {
                    throw PlanFault(
                        "END:\(line.value.prefix(40)) has no matching BEGIN",
                        "export the calendar again", at: PlanFault.FilePosition(line: line.number))
                }
                guard open == ["VCALENDAR"], line.value.uppercased() == "VEVENT" else { continue }
                let workout = try event.workout(of: plan) { $0.day(in: calendar, zone: zone) }
                if let workout { content.workouts.append(workout) }
            case "X-WR-CALNAME" where open == ["VCALENDAR"], "NAME" where open == ["VCALENDAR"]:
                content.title = line.text
            default:
                if open == ["VCALENDAR", "VEVENT"] { event.add(line) }
            }
        }
        guard isCalendar, open.isEmpty else {
            throw PlanFault(
                isCalendar ? "END:VCALENDAR is missing" : "BEGIN:VCALENDAR is missing",
                "export the calendar again, as iCalendar (.ics)")
        }
        return content
    }
}

/// An event that is being read.
private struct CalendarEvent {
    private static let relevantProperties: Set = [
        "UID", "DTSTART", "SUMMARY", "DESCRIPTION", "STATUS", "RRULE", "RDATE",
    ]

    var line = 0
    private var properties: [String: CalendarLine] = [:]
    /// Of all lines, in lower case. Events may have several lines of them.
    private var categories: [String] = []

    init(line: Int = 0) { self.line = line }

    mutating func add(_ line: CalendarLine) {
        if line.name == "CATEGORIES" {
            categories += line.value.lowercased().split(separator: ",").map { PlanText.trimmed(String($0)) }
        }
        guard Self.relevantProperties.contains(line.name), properties[line.name] == nil else { return }
        properties[line.name] = line
    }

    /// Nil for a cancelled event.
    ///
    /// - Parameter day: returns the day of a DTSTART line.
    func workout(
        of plan: String, day: (CalendarLine) -> String
    ) throws(PlanFault) -> PlannedWorkout? {
        if properties["STATUS"]?.value.uppercased() == "CANCELLED" { return nil }
        if let rule = properties["RRULE"] ?? properties["RDATE"] {
            throw PlanFault(
                "repeating events are not supported", "create an event for each day",
                at: PlanFault.FilePosition(line: rule.number))
        }
        guard let start = properties["DTSTART"] else {
            throw PlanFault(
                "the event has no DTSTART", "set its day", of: .day,
                at: PlanFault.FilePosition(line: line))
        }
        guard let summary = properties["SUMMARY"] else {
            throw PlanFault(
                "the event has no title", "write the workout in the title: 2000m, or Steady: 40:00",
                of: .workout, at: PlanFault.FilePosition(line: line))
        }
        let (name, workout) = Self.parts(of: PlanText.trimmed(summary.text))
        do throws(PlanFault) {
            return try PlannedWorkout(
                id: id(in: plan), day: day(start), workout: workout,
                machine: machine, name: name,
                note: PlanText.trimmed(properties["DESCRIPTION"]?.text ?? ""), shownFrom: shownFrom,
                at: PlanFault.FilePosition(line: summary.number))
        } catch {
            var fault = error
            if error.column == .day { fault.filePosition?.line = start.number }
            if error.column == .note {
                fault.filePosition?.line = properties["DESCRIPTION"]?.number ?? line
            }
            throw fault
        }
    }

    /// The first category that is a machine; events may have other categories.
    private var machine: String {
        categories.first { MachineKind(rawValue: $0) != nil } ?? ""
    }

    /// The time of the category `shown from 18:00`. A wrong time is a fault, because the workout would be visible.
    private var shownFrom: String {
        let start = PlanCalendar.revealCategory
        return categories.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) } ?? ""
    }

    /// The workout's id if the event belongs to the plan; empty otherwise.
    private func id(in plan: String) -> String {
        let parts = (properties["UID"]?.value ?? "").split(separator: "@")
        return parts.count == 2 && parts[1] == plan + ".rowgate" ? String(parts[0]) : ""
    }

    /// Splits a title at the last colon that is followed by a space.
    private static func parts(of title: String) -> (name: String, workout: String) {
        let bytes = Array(title.utf8)
        let last = bytes.indices.dropLast().last {
            bytes[$0] == UInt8(ascii: ":") && bytes[$0 + 1] == UInt8(ascii: " ")
        }
        guard let last else { return ("", title) }
        return (
            PlanText.trimmed(String(decoding: bytes[..<last], as: UTF8.self)),
            PlanText.trimmed(String(decoding: bytes[(last + 1)...], as: UTF8.self))
        )
    }
}

/// A line of a calendar, unfolded.
private struct CalendarLine {
    /// Line number of its beginning in the file, from 1.
    let number: Int
    /// In upper case.
    let name: String
    /// By upper-case name, without quotes.
    let parameters: [String: String]
    /// As written.
    let value: String

    /// The value as text, with escapes resolved.
    var text: String {
        var text = ""
        var isEscaped = false
        for character in value {
            if isEscaped {
                text.append(character == "n" || character == "N" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                text.append(character)
            }
        }
        return text
    }

    /// Lines end at a line feed; carriage returns are removed.
    static func all(in bytes: [UInt8]) -> [CalendarLine] {
        var lines: [(number: Int, bytes: [UInt8])] = []
        let parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let line = part.filter { $0 != UInt8(ascii: "\r") }
            let isFolded = line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t")
            if isFolded, !lines.isEmpty {
                lines[lines.count - 1].bytes += line.dropFirst()
            } else if !line.isEmpty {
                lines.append((index + 1, Array(line)))
            }
        }
        return lines.compactMap { CalendarLine($0.number, $0.bytes) }
    }

    /// Nil for a line without a colon. A colon in quotes belongs to a parameter.
    private init?(_ number: Int, _ bytes: [UInt8]) {
        var isQuoted = false
        let colon = bytes.firstIndex { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == UInt8(ascii: ":") && !isQuoted
        }
        guard let colon else { return nil }
        let parts = Self.parts(bytes[..<colon])
        self.number = number
        name = parts[0].uppercased()
        var parameters: [String: String] = [:]
        for part in parts.dropFirst() {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            parameters[pair[0].uppercased()] = pair[1].filter { $0 != "\"" }
        }
        self.parameters = parameters
        value = String(decoding: bytes[(colon + 1)...], as: UTF8.self)
    }

    /// Splits name and parameters. A semicolon in quotes does not separate.
    private static func parts(_ bytes: ArraySlice<UInt8>) -> [String] {
        var parts: [[UInt8]] = [[]]
        var isQuoted = false
        for byte in bytes {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: ";"), !isQuoted {
                parts.append([])
            } else {
                parts[parts.count - 1].append(byte)
            }
        }
        return parts.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the club's day of a date, `20261201`, or of a time, `20261201T183000Z`, as `2026-12-01`.
    /// Returns any other value unchanged.
    func day(in calendar: ClubCalendar, zone: (String) -> ClubCalendar?) -> String {
        let digits = value.prefix { $0 != "T" }
        guard digits.count == 8, digits.allSatisfy(\.isDigit) else { return value }
        let date = "\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.suffix(2))"
        guard let day = CalendarDay(date), let time = milliseconds(of: value.dropFirst(9)) else {
            return date
        }
        let local = day.number * CivilTime.dayMilliseconds + time
        if value.last == "Z" { return calendar.day(of: local).text }
        guard let name = parameters["TZID"] else { return date }
        // Some programs put a prefix in front of the zone's name.
        let parts = name.split(separator: "/")
        for index in parts.indices {
            guard let found = zone(parts[index...].joined(separator: "/")) else { continue }
            return calendar.day(of: found.instant(ofLocal: local)).text
        }
        return date
    }

    /// Milliseconds after midnight of `183000` or `183000Z`.
    private func milliseconds(of time: Substring) -> Int64? {
        let digits = time.last == "Z" ? time.dropLast() : time
        guard digits.count == 6, digits.allSatisfy(\.isDigit), let number = Int64(digits) else {
            return nil
        }
        let (hour, minute, second) = (number / 10_000, number / 100 % 100, number % 100)
        guard hour < 24, minute < 60, second <= 60 else { return nil }
        return (hour * 3600 + minute * 60 + second) * 1000
    }
}

extension Character {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
