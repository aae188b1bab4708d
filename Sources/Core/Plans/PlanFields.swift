import Bests
import Bytes
import Contract

// Plans and their adherence as JSON, for programs and for the store.

extension TrainingPlan {
    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        writeHead(into: &json)
        json.list("workouts", of: workouts) { json, workout in workout.write(into: &json) }
    }

    /// Writes the members without the workouts.
    package func writeHead(into json: inout JSONWriter) {
        json.field("id", id)
        json.field("title", title)
        json.field("from", days?.lowerBound.text)
        json.field("to", days?.upperBound.text)
        json.object("group") { json in
            json.field("name", group.name)
            json.field("athletes", group.athletes)
        }
    }

    /// Reads the output of `write`. Throws if the stored bytes are damaged.
    package init(stored bytes: [UInt8], id: String) throws(PlanFault) {
        let object = (try? JSONObject(parsing: bytes)) ?? .empty
        var fields = CommandFields(object)
        do throws(CommandFault) {
            let title = try fields.text("title") ?? ""
            let group = try fields.group()
            let workouts = try fields.workouts()
            self = try Self.made(id, title, group ?? Group(), workouts ?? [])
        } catch {
            throw PlanFault(error.message, "import it again")
        }
    }

    /// Like `init`, but throws a command fault.
    package static func made(
        _ id: String, _ title: String, _ group: Group, _ workouts: [PlannedWorkout]
    ) throws(CommandFault) -> TrainingPlan {
        do throws(PlanFault) {
            return try TrainingPlan(id: id, title: title, group: group, workouts)
        } catch { throw CommandFault(.badValue, "\(error)") }
    }
}

extension PlannedWorkout {
    /// Writes the members into an open object; empty ones are omitted, and so is all content of a hidden workout.
    package func write(into json: inout JSONWriter) {
        json.field("id", id)
        json.field("day", day.text)
        json.field("workout", order == nil ? nil : workout)
        json.field("machine", machine?.rawValue)
        json.field("name", name.isEmpty ? nil : name)
        json.field("note", note.isEmpty ? nil : note)
        json.field("shown_from", revealTime?.text)
    }
}

extension PlannedWorkout {
    /// Writes the fields of the command `workout`, so that clients can send it to a monitor.
    fileprivate func writeFields(into json: inout JSONWriter) {
        guard order != nil, let notation = try? WorkoutNotation(parsing: workout) else { return }
        json.key("fields")
        json.value(json: notation.json)
    }
}

extension CommandFields {
    /// `"group": {"name": "...", "athletes": ["..."]}`; nil if absent.
    package mutating func group() throws(CommandFault) -> TrainingPlan.Group? {
        guard let object = try object("group")?.object else { return nil }
        var inner = CommandFields(object, path: "group.")
        var group = TrainingPlan.Group(name: try inner.text("name") ?? "")
        for value in try inner.list("athletes") ?? [] {
            guard case .text(let slug) = value else {
                throw inner.wrong("athletes", "must be a list of texts")
            }
            group.athletes.append(slug)
        }
        try inner.finish()
        return group
    }

    /// `"workouts": [{"day": "2026-12-01", "workout": "2000m"}]`; nil if absent.
    package mutating func workouts(
        _ name: String = "workouts"
    ) throws(CommandFault) -> [PlannedWorkout]? {
        guard let values = try list(name) else { return nil }
        var workouts: [PlannedWorkout] = []
        for (index, value) in values.enumerated() {
            let path = "\(name)[\(index + 1)]"
            guard case .object(let object) = value else {
                throw CommandFault(.badValue, "\(path) must be an object")
            }
            var inner = CommandFields(object, path: path + ".")
            var texts: [PlanColumn: String] = [:]
            for column in PlanColumn.allCases {
                guard let text = try inner.text(column.rawValue) else {
                    if column.isOptional { continue }
                    throw inner.missing(column.rawValue)
                }
                texts[column] = text
            }
            try inner.finish()
            do throws(PlanFault) {
                workouts.append(
                    try PlannedWorkout(
                        id: texts[.id] ?? "", day: texts[.day] ?? "",
                        workout: texts[.workout] ?? "", machine: texts[.machine] ?? "",
                        name: texts[.name] ?? "", note: texts[.note] ?? "",
                        shownFrom: texts[.shownFrom] ?? ""))
            } catch { throw CommandFault(.badValue, "\(path).\(error)") }
        }
        return workouts
    }
}

extension Adherence {
    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        json.field("kind", FigureKind.computed.rawValue)
        json.field("formula", Self.formula)
        json.object("counts") { writeCounts(into: &$0) }
        json.list("days", of: days) { json, day in day.write(into: &json) }
    }

    /// Writes the number of workouts with each verdict, including zeros.
    package func writeCounts(
        on range: ClosedRange<TrainingSpan>? = nil, into json: inout JSONWriter
    ) {
        let counts = counts(on: range)
        for verdict in Verdict.allCases {
            json.key(verdict.rawValue)
            json.value(counts[verdict] ?? 0)
        }
    }
}

extension Adherence.Day {
    fileprivate func write(into json: inout JSONWriter) {
        json.field("day", day.text)
        json.list("workouts", of: items) { json, item in
            item.planned.write(into: &json)
            json.field("verdict", item.verdict.rawValue)
            if item.verdict == .upcoming { item.planned.writeFields(into: &json) }
            guard let session = item.session else { return }
            json.field("share_pct", item.share)
            json.field("reasons", item.reasons.map(\.rawValue))
            json.object("session", session.write)
        }
        json.list("extra", of: extra) { json, extra in
            extra.session.write(into: &json)
            json.field("time_s", extra.total.centiseconds, places: 2)
            json.field("distance_m", extra.total.decimetres, places: 1)
        }
    }
}
