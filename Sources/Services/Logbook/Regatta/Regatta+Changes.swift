/// Changes of a regatta that need no race: `name`, `place`, `day`, `ergs` and `events`, with entries, draw and
/// decisions.
extension Regatta {
    /// Applies an action. Throws if it is not possible, with the remedy.
    ///
    /// - Parameters:
    ///   - races: The races of the heats.
    ///   - random: Returns random numbers for a draw.
    mutating func apply(
        _ action: RegattaAction, _ races: [String: Race], random: () -> UInt64
    ) throws(InterfaceFault) {
        switch action {
        case .edit(let name, let place, let day, let ergs):
            if let name, !name.isEmpty { self.name = name }
            self.place = place ?? self.place
            self.day = day ?? self.day
            if let ergs { try setErgs(ergs) }
        case .setEvent(let id, let name, let piece, let kind, let places, let times):
            try setEvent(id, name, piece, kind, places, times)
        case .removeEvent(let id):
            let index = try index(of: id)
            guard !events[index].hasRaces else { throw Self.hasRaces }
            events.remove(at: index)
        case .importEntries(let event, let rows): try importEntries(rows, into: event)
        case .setEntry(let event, let id, let row): try setEntry(id, row, inEvent: try index(of: event))
        case .removeEntry(let event, let entry): try removeEntry(entry, from: try index(of: event))
        case .draw(let event, let method): try draw(try index(of: event), method, random)
        case .move(let event, let entry, let heat, let lane):
            try move(entry, to: heat, lane, inEvent: try index(of: event), races)
        case .scratch(let event, let entry, let reason):
            let (index, entry) = try self.index(of: event, entry)
            events[index].entries[entry].scratched = reason
        case .mark(let event, let heat, let entry, let status, let reason):
            try mark(try self.index(of: event, heat: heat), entry, status, reason)
        case .drawFinal(let event): try drawFinal(try index(of: event), races)
        case .again(let event, let heat, let reason):
            try annul(try self.index(of: event, heat: heat), reason, races)
        case .setUp, .undo: break
        }
    }

    // MARK: Finding

    func index(of event: String) throws(InterfaceFault) -> Int {
        if let index = events.firstIndex(where: { $0.id == event }) { return index }
        throw InterfaceFault(
            404, "unknown_event", "there is no event \"\(event.prefix(20))\"; reload the regatta")
    }

    private func index(of event: String, _ entry: String) throws(InterfaceFault) -> (event: Int, entry: Int) {
        let index = try index(of: event)
        if let found = events[index].entries.firstIndex(where: { $0.id == entry }) { return (index, found) }
        throw InterfaceFault(
            404, "unknown_entry", "there is no entry \"\(entry.prefix(20))\"; reload the regatta")
    }

    func index(of event: String, heat: String) throws(InterfaceFault) -> (event: Int, heat: Int) {
        let index = try index(of: event)
        if let found = events[index].heats.firstIndex(where: { $0.id == heat }) { return (index, found) }
        throw InterfaceFault(
            404, "unknown_heat", "there is no heat \"\(heat.prefix(20))\"; reload the regatta")
    }

    private static let hasRaces = InterfaceFault(
        409, "already_rowed", "a heat of this event has been rowed; undo that first")

    // MARK: Settings and events

    private mutating func setErgs(_ ergs: [LiveBoard.Place]) throws(InterfaceFault) {
        let used = events.map { event in
            let open = event.heats.filter { $0.race == nil }
            let last = open.compactMap { $0.lanes.lastIndex { $0 != nil } }.max() ?? -1
            return (last + 1) * event.kind.ergs
        }
        let needed = used.max() ?? 0
        guard ergs.count >= needed else {
            throw InterfaceFault(
                409, "lane_in_use", "a heat uses \(needed) ergs: choose at least \(needed), or draw again")
        }
        self.ergs = ergs
        for event in events.indices {
            let count = laneCount(of: events[event])
            for heat in events[event].heats.indices where events[event].heats[heat].race == nil {
                let lanes = events[event].heats[heat].lanes
                events[event].heats[heat].lanes =
                    lanes.prefix(count) + Array(repeating: nil, count: max(0, count - lanes.count))
            }
        }
    }

    private mutating func setEvent(
        _ id: String?, _ name: String?, _ piece: RaceSettings.Piece?, _ kind: RegattaEvent.Kind?,
        _ places: Int?, _ times: Int?
    ) throws(InterfaceFault) {
        var index = events.count
        if let id {
            index = try self.index(of: id)
            guard piece == nil || piece == events[index].piece || !events[index].hasRaces else {
                throw Self.hasRaces
            }
        } else {
            guard let name, !name.isEmpty, let piece else {
                throw InterfaceFault(400, "missing_field", "a new event needs a name and a distance or time")
            }
            _ = try addEvent(name, piece)
        }
        if let kind { try setKind(kind, ofEvent: index) }
        if let name, !name.isEmpty { events[index].name = name }
        events[index].piece = piece ?? events[index].piece
        events[index].progression.places = places ?? events[index].progression.places
        events[index].progression.times = times ?? events[index].progression.times
    }

    /// Changes the kind. With another number of ergs for each entry, the event loses its draw.
    private mutating func setKind(_ kind: RegattaEvent.Kind, ofEvent index: Int) throws(InterfaceFault) {
        guard kind != events[index].kind else { return }
        guard events[index].heats.allSatisfy(\.attempts.isEmpty) else { throw Self.hasRaces }
        for entry in events[index].entries { try Self.check(entry.members, of: entry.name, in: kind) }
        if kind.ergs != events[index].kind.ergs { events[index].heats = [] }
        events[index].kind = kind
    }

    private static func check(
        _ members: [RegattaEntry.Member], of entry: String, in kind: RegattaEvent.Kind
    ) throws(InterfaceFault) {
        guard members.count > kind.maximumMembers else { return }
        let rule =
            kind == .individual
            ? "only entries of a team or relay event have members: remove them, or change the kind of the event"
            : "at most \(kind.maximumMembers) are possible: remove some of them"
        throw InterfaceFault(
            409, "too_many_members", "\(entry.prefix(80)) has \(members.count) members, but \(rule)")
    }

    private mutating func addEvent(
        _ name: String, _ piece: RaceSettings.Piece
    ) throws(InterfaceFault) -> Int {
        guard events.count < Self.maximumEvents else {
            throw InterfaceFault(
                409, "too_many_events", "a regatta has at most \(Self.maximumEvents) events; remove one first"
            )
        }
        events.append(RegattaEvent(id: makeID("v"), name: name, piece: piece))
        return events.count - 1
    }

    // MARK: Entries

    /// Adds the rows to their events; an unknown name of an event creates one with the piece of the last event, or
    /// 2000 m. A row with the name and club of an entry changes it.
    private mutating func importEntries(
        _ rows: [RegattaEntries.Row], into event: String?
    ) throws(InterfaceFault) {
        for row in rows {
            var index: Int
            if row.event.isEmpty {
                guard let event else {
                    throw InterfaceFault(
                        400, "missing_field",
                        "\(row.name) has no event: add the column event, or choose an event")
                }
                index = try self.index(of: event)
            } else if let found = events.firstIndex(where: { $0.name == row.event }) {
                index = found
            } else {
                index = try addEvent(row.event, events.last?.piece ?? .distance(meters: 2000))
            }
            let same = events[index].entries.first { $0.name == row.name && $0.club == row.club }
            try setEntry(same?.id, row, inEvent: index)
        }
    }

    private mutating func setEntry(
        _ id: String?, _ row: RegattaEntries.Row, inEvent event: Int
    ) throws(InterfaceFault) {
        try Self.check(row.members, of: row.name, in: events[event].kind)
        var index = events[event].entries.count
        if let id {
            index = try self.index(of: events[event].id, id).entry
        } else {
            guard index < Self.maximumEntries else {
                throw InterfaceFault(
                    409, "too_many_entries",
                    "an event has at most \(Self.maximumEntries) entries; make a second event")
            }
            events[event].entries.append(RegattaEntry(id: makeID("n"), name: row.name))
        }
        events[event].entries[index].name = row.name
        events[event].entries[index].club = row.club
        events[event].entries[index].seedCentiseconds = row.seedCentiseconds
        events[event].entries[index].athlete = row.athlete
        events[event].entries[index].members = row.members
    }

    private mutating func removeEntry(_ id: String, from event: Int) throws(InterfaceFault) {
        let found = try index(of: events[event].id, id)
        guard !events[event].heats.contains(where: { !$0.attempts.isEmpty && $0.contains(id) }) else {
            throw InterfaceFault(
                409, "already_rowed", "this entry has a race; scratch it instead of removing it")
        }
        events[event].entries.remove(at: found.entry)
        for heat in events[event].heats.indices {
            events[event].heats[heat].lanes = events[event].heats[heat].lanes.map { $0 == id ? nil : $0 }
            events[event].heats[heat].marks.removeAll { $0.entry == id }
        }
    }

    // MARK: Heats

    private mutating func draw(
        _ event: Int, _ method: RegattaDraw.Method, _ random: () -> UInt64
    ) throws(InterfaceFault) {
        guard events[event].heats.allSatisfy(\.attempts.isEmpty) else { throw Self.hasRaces }
        let count = laneCount(of: events[event])
        guard count >= Race.laneCount.lowerBound else {
            let needed = Race.laneCount.lowerBound * events[event].kind.ergs
            throw InterfaceFault(
                409, "no_lanes", "choose the ergs of the lanes first: at least \(needed) for two entries")
        }
        let starters = events[event].starters
        guard starters.count >= Race.laneCount.lowerBound else {
            throw InterfaceFault(409, "no_entries", "add at least two entries before the draw")
        }
        let lanes = RegattaDraw.heats(of: starters, method, lanes: count, random: random)
        events[event].heats = []
        for (index, lanes) in lanes.enumerated() {
            events[event].heats.append(RegattaHeat(id: makeID("h"), number: index + 1, lanes: lanes))
        }
    }

    private mutating func move(
        _ entry: String, to heat: String?, _ lane: Int?, inEvent event: Int, _ races: [String: Race]
    ) throws(InterfaceFault) {
        _ = try index(of: events[event].id, entry)
        let isFinal = try heat.map { id throws(InterfaceFault) in
            try self.events[event].heats[self.index(of: self.events[event].id, heat: id).heat].isFinal
        }
        let from = events[event].heats.firstIndex {
            $0.contains(entry) && (isFinal == nil ? $0.race == nil : $0.isFinal == isFinal)
        }
        let old = from.flatMap { index in
            events[event].heats[index].lanes.firstIndex(of: entry).map { (heat: index, lane: $0) }
        }
        if let old, events[event].heats[old.heat].race != nil { throw Self.isSetUp }
        guard let heat else {
            if let old { events[event].heats[old.heat].lanes[old.lane] = nil }
            return
        }
        let target = try index(of: events[event].id, heat: heat).heat
        guard events[event].heats[target].race == nil else { throw Self.isSetUp }
        let lanes = events[event].heats[target].lanes
        guard let place = lane.map({ $0 - 1 }) ?? lanes.firstIndex(of: nil), lanes.indices.contains(place)
        else {
            throw InterfaceFault(409, "no_lane", "this heat has no free lane; choose a lane to swap with")
        }
        let occupant = lanes[place]
        if let old { events[event].heats[old.heat].lanes[old.lane] = occupant }
        events[event].heats[target].lanes[place] = entry
    }

    private static let isSetUp = InterfaceFault(
        409, "already_rowed", "the race of this heat is set up; row the heat again to change its lanes")

    private mutating func mark(
        _ place: (event: Int, heat: Int), _ entry: String, _ status: RegattaHeat.Mark.Status?,
        _ reason: String
    ) throws(InterfaceFault) {
        guard events[place.event].heats[place.heat].contains(entry) else {
            throw InterfaceFault(404, "unknown_entry", "the entry is not in this heat; reload the regatta")
        }
        events[place.event].heats[place.heat].marks.removeAll { $0.entry == entry }
        if let status {
            events[place.event].heats[place.heat].marks.append(
                RegattaHeat.Mark(entry: entry, status: status, reason: reason))
        }
    }

    /// Adds the final with the entries that advance, the fastest in the middle lanes.
    mutating func drawFinal(_ event: Int, _ races: [String: Race]) throws(InterfaceFault) {
        let results = RegattaResults(event: events[event], races: races)
        guard events[event].progression.hasFinal else {
            throw InterfaceFault(
                409, "no_final", "choose first how many places or times advance to the final")
        }
        guard results.isFirstRoundOver else {
            throw InterfaceFault(
                409, "heats_open", "row all heats before the final, or mark who did not start")
        }
        if let final = events[event].final {
            guard final.attempts.isEmpty else { throw Self.hasRaces }
            events[event].heats.removeAll(where: \.isFinal)
        }
        let finalists = results.finalists
        let count = laneCount(of: events[event])
        guard finalists.count <= count else {
            throw InterfaceFault(
                409, "too_many_finalists",
                "\(finalists.count) entries advance, but there are \(count) lanes: "
                    + "choose more ergs, scratch an entry, or let fewer places or times advance")
        }
        guard finalists.count >= Race.laneCount.lowerBound else {
            throw InterfaceFault(409, "no_entries", "fewer than two entries advance to the final")
        }
        let lanes = RegattaDraw.lanes(for: finalists, of: count)
        events[event].heats.append(RegattaHeat(id: makeID("h"), number: 1, isFinal: true, lanes: lanes))
    }

    private mutating func annul(
        _ place: (event: Int, heat: Int), _ reason: String, _ races: [String: Race]
    ) throws(InterfaceFault) {
        guard let id = events[place.event].heats[place.heat].race else {
            throw InterfaceFault(409, "not_rowed", "this heat has no race yet")
        }
        if let race = races[id], race.phase == .countdown || race.phase == .rowing {
            throw InterfaceFault(
                409, "race_under_way", "the race is running; recall or end it on the race page")
        }
        let last = events[place.event].heats[place.heat].attempts.count - 1
        events[place.event].heats[place.heat].attempts[last].annulled = reason
        events[place.event].heats[place.heat].marks = []
    }

    // MARK: Races

    /// Appends the race that was set up for a heat. A race that never started gives way to it.
    mutating func add(_ race: String, to place: (event: Int, heat: Int), replacing former: String?) {
        for event in events.indices {
            for heat in events[event].heats.indices {
                events[event].heats[heat].attempts.removeAll { $0.race == former }
            }
        }
        events[place.event].heats[place.heat].attempts.append(RegattaHeat.Attempt(race: race))
    }
}
