import Bytes
import Contract
import Timeline

/// A regatta as JSON: for the store, and with results for the pages. Reading sets `place`, `ergs` and `events`.
extension Regatta {
    /// Writes the stored form into an open object.
    func write(to json: inout JSONWriter) {
        writeHead(to: &json)
        json.field("next_number", nextNumber)
        json.list("events", of: events) { json, event in
            event.writeHead(to: &json)
            json.list("entries", of: event.entries) { $1.write(to: &$0, isPublic: false) }
            json.list("heats", of: event.heats) { $1.write(to: &$0) }
        }
    }

    private func writeHead(to json: inout JSONWriter) {
        json.field("regatta_id", id)
        json.field("name", name)
        json.field("place", place)
        json.field("day", day.text)
        json.list("ergs", of: ergs) { json, place in
            json.field("gw", place.gateway.slug)
            json.field("erg", place.erg?.slug)
        }
    }

    /// Reads the stored form. Returns nil if it is unknown.
    init?(stored body: [UInt8]) {
        guard let fields = try? JSONObject(parsing: body), let id = fields.text("regatta_id"),
            let name = fields.text("name"), let day = fields.text("day").flatMap({ CalendarDay($0) }),
            let number = fields.number("next_number")
        else { return nil }
        self.init(id: id, name: name, day: day, nextNumber: Int(number))
        place = fields.text("place") ?? ""
        for object in fields.objects("ergs") {
            guard let gateway = object.text("gw").flatMap({ GatewayID($0) }),
                let erg = object.text("erg").flatMap({ StationID($0) })
            else { return nil }
            ergs.append(LiveBoard.Place(gateway: gateway, erg: erg))
        }
        for object in fields.objects("events") {
            guard let event = RegattaEvent(stored: object) else { return nil }
            events.append(event)
        }
    }

    // MARK: For the pages

    /// Writes the regatta with its results into an open object.
    ///
    /// - Parameters:
    ///   - races: The races of its heats.
    ///   - isPublic: Whether to leave out the ids of athletes and sessions.
    func write(to json: inout JSONWriter, with races: [String: Race], isPublic: Bool) {
        writeHead(to: &json)
        if let next = next(races) {
            json.object("next") { json in
                json.field("event_id", next.event.id)
                json.field("heat_id", next.heat?.id)
            }
        }
        json.list("events", of: events) { json, event in
            event.write(to: &json, with: races, isPublic: isPublic)
        }
    }
}

extension RegattaEvent {
    fileprivate func writeHead(to json: inout JSONWriter) {
        json.field("event_id", id)
        json.field("name", name)
        switch piece {
        case .distance(let meters): json.field("distance_m", meters)
        case .time(let seconds): json.field("duration_s", seconds)
        }
        json.field("kind", kind.name)
        if case .team(let size) = kind { json.field("team_size", size) }
        json.field("advance_places", progression.places)
        json.field("advance_times", progression.times)
    }

    fileprivate init?(stored fields: JSONObject) {
        guard let id = fields.text("event_id"), let name = fields.text("name") else { return nil }
        if let meters = fields.number("distance_m") {
            self.init(id: id, name: name, piece: .distance(meters: Int(meters)))
        } else if let seconds = fields.number("duration_s") {
            self.init(id: id, name: name, piece: .time(seconds: Int(seconds)))
        } else {
            return nil
        }
        switch fields.text("kind") {
        case nil, "individual": kind = .individual
        case "relay": kind = .relay
        case "team":
            guard let size = fields.number("team_size").flatMap({ Int(exactly: $0) }),
                Kind.teamSizes.contains(size)
            else { return nil }
            kind = .team(size: size)
        default: return nil
        }
        progression = Progression(
            places: Int(fields.number("advance_places") ?? 0),
            times: Int(fields.number("advance_times") ?? 0))
        for object in fields.objects("entries") {
            guard let entry = RegattaEntry(stored: object) else { return nil }
            entries.append(entry)
        }
        for object in fields.objects("heats") {
            guard let heat = RegattaHeat(stored: object) else { return nil }
            heats.append(heat)
        }
    }

    fileprivate func write(to json: inout JSONWriter, with races: [String: Race], isPublic: Bool) {
        let results = RegattaResults(event: self, races: races)
        writeHead(to: &json)
        json.list("entries", of: entries) { $1.write(to: &$0, isPublic: isPublic) }
        json.list("heats", of: heats) { json, heat in
            json.field("heat_id", heat.id)
            json.field("number", heat.number)
            json.field("final", heat.isFinal)
            json.field("state", results.state(of: heat).rawValue)
            json.field("race_id", heat.race)
            json.list("annulled", of: heat.attempts.filter { $0.annulled != nil }) { json, attempt in
                json.field("race_id", attempt.race)
                json.field("reason", attempt.annulled)
            }
            json.list("lanes", of: results.lines(of: heat)) { json, line in
                line.write(to: &json, isPublic: isPublic)
            }
        }
        if progression.hasFinal, final == nil { json.field("finalists", results.finalists) }
        json.list("results", of: heats.isEmpty ? [] : results.standings) { json, line in
            line.write(to: &json, isPublic: isPublic)
        }
        json.field("winners", results.winners.map(\.entry))
    }
}

extension RegattaResults.Line {
    fileprivate func write(to json: inout JSONWriter, isPublic: Bool) {
        json.field("entry_id", entry)
        json.field("lane", lane)
        json.field("standing", status.rawValue)
        json.field("reason", reason)
        json.field("place", place)
        json.field("advances", advances?.rawValue)
        if falseStarts > 0 { json.field("false_starts", falseStarts) }
        if !members.isEmpty {
            json.list("members", of: members) { $1.write(to: &$0, isPublic: isPublic) }
        }
        guard let result, status == .finished || status == .didNotFinish || status == .disqualified else {
            return
        }
        json.object("result") { result.write(to: &$0, isPublic: isPublic) }
    }
}

extension RaceTeam.Member {
    func write(to json: inout JSONWriter, isPublic: Bool) {
        json.field("name", name)
        json.field("standing", status.rawValue)
        if let result { json.object("result") { result.write(to: &$0, isPublic: isPublic) } }
    }
}

extension RegattaEntry {
    fileprivate func write(to json: inout JSONWriter, isPublic: Bool) {
        json.field("entry_id", id)
        json.field("name", name)
        json.field("club", club)
        if !isPublic { json.field("athlete_id", athlete) }
        if !members.isEmpty {
            json.list("members", of: members) { json, member in
                json.field("name", member.name)
                if !isPublic { json.field("athlete_id", member.athlete) }
            }
        }
        json.field("seed_s", seedCentiseconds, places: 2)
        json.field("scratched", scratched)
    }

    fileprivate init?(stored fields: JSONObject) {
        guard let id = fields.text("entry_id") else { return nil }
        // The name of an erased athlete is missing.
        self.init(id: id, name: fields.text("name") ?? "")
        club = fields.text("club") ?? ""
        athlete = fields.text("athlete_id")
        members = fields.objects("members").map { object in
            Member(name: object.text("name") ?? "", athlete: object.text("athlete_id"))
        }
        seedCentiseconds = fields.units("seed_s", places: 2)
        scratched = fields.text("scratched")
    }
}

extension RegattaHeat {
    fileprivate func write(to json: inout JSONWriter) {
        json.field("heat_id", id)
        json.field("number", number)
        json.field("final", isFinal)
        json.field("lane_count", lanes.count)
        let used = lanes.enumerated().filter { $0.element != nil }
        json.list("lanes", of: used) { json, lane in
            json.field("lane", lane.offset + 1)
            json.field("entry_id", lane.element)
        }
        json.list("attempts", of: attempts) { json, attempt in
            json.field("race_id", attempt.race)
            json.field("annulled", attempt.annulled)
        }
        json.list("marks", of: marks) { json, mark in
            json.field("entry_id", mark.entry)
            json.field("standing", mark.status.rawValue)
            json.field("reason", mark.reason)
        }
    }

    fileprivate init?(stored fields: JSONObject) {
        guard let id = fields.text("heat_id"), let number = fields.number("number"),
            let count = fields.number("lane_count"), count <= UInt64(Race.laneCount.upperBound)
        else { return nil }
        self.init(
            id: id, number: Int(number), isFinal: fields["final"] == .flag(true),
            lanes: Array(repeating: nil, count: Int(count)))
        for object in fields.objects("lanes") {
            guard let lane = object.number("lane"), (1...count).contains(lane) else { return nil }
            lanes[Int(lane) - 1] = object.text("entry_id")
        }
        for object in fields.objects("attempts") {
            guard let race = object.text("race_id") else { return nil }
            attempts.append(Attempt(race: race, annulled: object.text("annulled")))
        }
        for object in fields.objects("marks") {
            guard let entry = object.text("entry_id"),
                let status = object.text("standing").flatMap(Mark.Status.init)
            else { return nil }
            marks.append(Mark(entry: entry, status: status, reason: object.text("reason") ?? ""))
        }
    }
}

extension JSONObject {
    /// The objects of a list; empty if there is no such list.
    func objects(_ name: String) -> [JSONObject] {
        guard case .list(let values)? = self[name] else { return [] }
        return values.compactMap { if case .object(let object) = $0 { object } else { nil } }
    }
}
