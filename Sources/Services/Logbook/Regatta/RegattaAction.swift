import Bytes
import Contract
import Timeline

/// What a coach changes in a regatta. Unknown fields of a request are errors.
enum RegattaAction: Equatable, Sendable {
    /// Changes the settings; nil values stay.
    case edit(name: String?, place: String?, day: CalendarDay?, ergs: [LiveBoard.Place]?)
    /// Adds an event, or changes one; nil values stay.
    case setEvent(
        String?, name: String?, piece: RaceSettings.Piece?, kind: RegattaEvent.Kind? = nil, places: Int?,
        times: Int?)
    case removeEvent(String)
    /// Adds entries; rows without an event are of `event`.
    case importEntries(event: String?, [RegattaEntries.Row])
    /// Adds an entry, or changes one.
    case setEntry(event: String, String?, RegattaEntries.Row)
    case removeEntry(event: String, String)
    case draw(event: String, RegattaDraw.Method)
    /// Puts an entry into a lane, and its occupant into the former lane of the entry. Without a lane, into the first
    /// free one; without a heat, out of its heat.
    case move(event: String, entry: String, heat: String?, lane: Int?)
    /// Scratches an entry with a reason; with nil, it starts again.
    case scratch(event: String, entry: String, reason: String?)
    /// Decides about an entry in a heat; nil withdraws the decision.
    case mark(event: String, heat: String, entry: String, RegattaHeat.Mark.Status?, reason: String)
    case drawFinal(event: String)
    /// Sets the race of a heat up; without a heat, that of the next one. Without a name, it has that of the event.
    case setUp(event: String?, heat: String?, name: String?)
    /// The heat is rowed again; its race stays in the record.
    case again(event: String, heat: String, reason: String)
    /// Undoes the last change.
    case undo
}

extension RegattaAction {
    static let maximumReasonLength = 120
    static let maximumTextLength = 1 << 17

    init(_ body: [UInt8]) throws(CommandFault) {
        var fields = CommandFields(try CommandFields.object(body))
        guard let word = try fields.text("do") else { throw fields.missing("do") }
        self = try Self.action(word, &fields)
        try fields.finish()
    }

    private static func action(
        _ word: String, _ fields: inout CommandFields
    ) throws(CommandFault) -> RegattaAction {
        switch word {
        case "edit": return try edit(&fields)
        case "event":
            return .setEvent(
                try fields.text("event_id"), name: try name("name", &fields), piece: try piece(&fields),
                kind: try kind(&fields),
                places: try fields.integer("advance_places", in: 0...Race.laneCount.upperBound),
                times: try fields.integer("advance_times", in: 0...Race.laneCount.upperBound))
        case "remove_event": return .removeEvent(try required("event_id", &fields))
        case "import":
            let text = try required("text", &fields)
            guard text.utf8.count <= maximumTextLength else {
                throw fields.wrong("text", "must have at most \(maximumTextLength) bytes")
            }
            let event = try fields.text("event_id")
            do throws(InterfaceFault) {
                return .importEntries(event: event, try RegattaEntries.rows(in: text))
            } catch { throw CommandFault(.badValue, error.message) }
        case "entry":
            return .setEntry(
                event: try required("event_id", &fields), try fields.text("entry_id"), try row(&fields))
        case "remove_entry":
            return .removeEntry(
                event: try required("event_id", &fields), try required("entry_id", &fields))
        case "draw":
            let event = try required("event_id", &fields)
            guard let method = RegattaDraw.Method(rawValue: try required("by", &fields)) else {
                throw fields.wrong("by", "must be serpentine, fastest_last or lot")
            }
            return .draw(event: event, method)
        case "move":
            return .move(
                event: try required("event_id", &fields), entry: try required("entry_id", &fields),
                heat: try fields.text("heat_id"),
                lane: try fields.integer("lane", in: 1...Race.laneCount.upperBound))
        case "scratch":
            return .scratch(
                event: try required("event_id", &fields), entry: try required("entry_id", &fields),
                reason: try reason(&fields))
        case "unscratch":
            return .scratch(
                event: try required("event_id", &fields), entry: try required("entry_id", &fields),
                reason: nil)
        case "mark":
            let (event, heat) = (try required("event_id", &fields), try required("heat_id", &fields))
            let (entry, text) = (try required("entry_id", &fields), try fields.text("standing"))
            let status = text.flatMap(RegattaHeat.Mark.Status.init)
            guard text == nil || status != nil else {
                throw fields.wrong("standing", "must be did_not_start, did_not_finish or disqualified")
            }
            return .mark(event: event, heat: heat, entry: entry, status, reason: try reason(&fields))
        case "final": return .drawFinal(event: try required("event_id", &fields))
        case "set_up":
            let (event, heat) = (try fields.text("event_id"), try fields.text("heat_id"))
            guard (heat == nil) == (event == nil) else {
                throw fields.missing(heat == nil ? "heat_id" : "event_id")
            }
            return .setUp(event: event, heat: heat, name: try name("name", &fields))
        case "again":
            return .again(
                event: try required("event_id", &fields), heat: try required("heat_id", &fields),
                reason: try reason(&fields))
        case "undo": return .undo
        default: throw fields.wrong("do", "must be one of the actions in /api/v1/openapi.json")
        }
    }

    /// A new regatta: `{"name", "place", "day", "ergs"}`.
    static func creation(_ body: [UInt8], id: String) throws(CommandFault) -> Regatta {
        var fields = CommandFields(try CommandFields.object(body))
        guard case .edit(let name, let place, let day, let ergs) = try edit(&fields) else {
            throw fields.missing("name")
        }
        try fields.finish()
        guard let name, !name.isEmpty else { throw fields.missing("name") }
        guard let day else { throw fields.missing("day") }
        var regatta = Regatta(id: id, name: name, day: day)
        regatta.place = place ?? ""
        regatta.ergs = ergs ?? []
        return regatta
    }

    private static func edit(_ fields: inout CommandFields) throws(CommandFault) -> RegattaAction {
        let (name, place) = (try name("name", &fields), try name("place", &fields))
        let text = try fields.text("day")
        let day = text.flatMap { CalendarDay($0) }
        guard text == nil || day != nil else { throw fields.wrong("day", "must be a day such as 2026-11-28") }
        guard let list = try fields.list("ergs") else {
            return .edit(name: name, place: place, day: day, ergs: nil)
        }
        let ergs = list.isEmpty ? [] : try RequestedCommand.places(list, fields)
        return .edit(name: name, place: place, day: day, ergs: ergs)
    }

    private static func piece(_ fields: inout CommandFields) throws(CommandFault) -> RaceSettings.Piece? {
        let meters = try fields.integer("distance_m", in: 100...50_000)
        let seconds = try fields.integer("duration_s", in: 20...9 * 3600)
        guard meters == nil || seconds == nil else {
            throw fields.wrong("duration_s", "and distance_m exclude each other")
        }
        return meters.map { .distance(meters: $0) } ?? seconds.map { .time(seconds: $0) }
    }

    private static func kind(_ fields: inout CommandFields) throws(CommandFault) -> RegattaEvent.Kind? {
        let name = try fields.text("kind")
        let size = try fields.integer("team_size", in: RegattaEvent.Kind.teamSizes)
        guard size == nil || name == "team" else { throw fields.wrong("team_size", "needs the kind team") }
        switch name {
        case nil: return nil
        case "individual": return .individual
        case "relay": return .relay
        case "team":
            guard let size else { throw fields.missing("team_size") }
            return .team(size: size)
        default: throw fields.wrong("kind", "must be individual, team or relay")
        }
    }

    private static func members(
        _ fields: inout CommandFields
    ) throws(CommandFault) -> [RegattaEntry.Member] {
        var members: [RegattaEntry.Member] = []
        for (index, value) in (try fields.list("members") ?? []).enumerated() {
            let path = "members[\(index + 1)]"
            guard case .object(let object) = value else {
                throw CommandFault(.badValue, "\(path) must be an object")
            }
            var inner = CommandFields(object, path: path + ".")
            var member = RegattaEntry.Member(name: try required("name", &inner))
            guard member.name.count <= RegattaEntries.maximumNameLength else {
                throw inner.wrong(
                    "name", "must have at most \(RegattaEntries.maximumNameLength) characters")
            }
            member.athlete = try athlete(&inner)
            try inner.finish()
            members.append(member)
        }
        return members
    }

    private static func athlete(_ fields: inout CommandFields) throws(CommandFault) -> String? {
        guard let athlete = try fields.text("athlete_id"), !athlete.isEmpty else { return nil }
        guard AthleteID.isValid(athlete) else {
            throw fields.wrong("athlete_id", "must be \(AthleteID.rule)")
        }
        return athlete
    }

    private static func row(_ fields: inout CommandFields) throws(CommandFault) -> RegattaEntries.Row {
        var row = RegattaEntries.Row()
        row.name = try required("name", &fields)
        row.club = try fields.text("club") ?? ""
        guard row.name.count <= RegattaEntries.maximumNameLength,
            row.club.count <= RegattaEntries.maximumNameLength
        else {
            throw fields.wrong(
                "name", "and club must have at most \(RegattaEntries.maximumNameLength) characters")
        }
        if let seed = try fields.text("seed"), !seed.isEmpty {
            guard let time = RegattaEntries.seed(seed) else {
                throw fields.wrong("seed", "must be a time such as 6:45.3")
            }
            row.seedCentiseconds = time
        }
        row.athlete = try athlete(&fields)
        row.members = try members(&fields)
        return row
    }

    private static func required(
        _ field: String, _ fields: inout CommandFields
    ) throws(CommandFault) -> String {
        guard let text = try fields.text(field), !text.isEmpty else { throw fields.missing(field) }
        return text
    }

    private static func name(
        _ field: String, _ fields: inout CommandFields
    ) throws(CommandFault) -> String? {
        guard let text = try fields.text(field) else { return nil }
        guard text.count <= RaceRequest.maximumNameLength else {
            throw fields.wrong(field, "must have at most \(RaceRequest.maximumNameLength) characters")
        }
        return text
    }

    private static func reason(_ fields: inout CommandFields) throws(CommandFault) -> String {
        let text = try fields.text("reason") ?? ""
        guard text.count <= maximumReasonLength else {
            throw fields.wrong("reason", "must have at most \(maximumReasonLength) characters")
        }
        return text
    }
}
