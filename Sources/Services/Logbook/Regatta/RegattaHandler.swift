import Bytes
import Contract
import HostRuntime
import LogbookStores
import People
import Timeline
import WebServer

/// Answers HTTP requests for the archive of races and for regattas.
struct RegattaHandler: Sendable {
    /// The maximum number of regattas.
    static let maximum = 1000

    let reader: StoreQueue?
    let writer: StoreQueue?
    let races: RaceService
    let runtime: any Runtime
    let log: SystemLog
    private let parsedRaces = ParsedRaces()

    init(
        reader: StoreQueue?, writer: StoreQueue?, races: RaceService, runtime: any Runtime, log: SystemLog
    ) {
        (self.reader, self.writer, self.races) = (reader, writer, races)
        (self.runtime, self.log) = (runtime, log)
    }

    // MARK: Reading

    /// The newest races and regattas, without the races of regattas.
    func archive(
        after cursor: ArchiveCursor?, limit: Int, to identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        let isPublic = !identity.role.includes(.coach)
        return try queue(reader).answer { store in
            let (clock, names) = (runtime.wall(), try names(isPublic, in: store))
            let found = try store.raceDocuments.newest(
                [.race, .regatta], before: cursor?.id, limit: limit + 1)
            let entries = try found.map { (id: $0.id, json: try entry(of: $0, names, clock, in: store)) }
            let page = RecordRequestHandler.Page("races", of: entries, limit) {
                ArchiveCursor(id: $0.id)
            } _: {
                $0.json
            }
            return RecordRequestHandler.json { page.write(into: &$0) }
        }
    }

    /// One race or regatta of the archive; nil if its format is unknown.
    private func entry(
        of document: StoredRaceDocument, _ names: AthleteNames, _ clock: WallClock, in store: any LogbookStore
    ) throws -> [UInt8]? {
        if document.kind == .regatta {
            guard let regatta = Regatta(stored: document.body) else { return nil }
            let races = try loadRaces(of: regatta, in: store)
            return JSONWriter.object { regatta.writeEntry(to: &$0, races) }
        }
        guard let race = RaceArchive.race(in: document, clock) else { return nil }
        return JSONWriter.object { race.writeEntry(to: &$0, names, clock) }
    }

    /// One race with its results and its recalled attempts.
    func race(_ id: String, to identity: AccessControl.Identity) throws(InterfaceFault) -> WebAnswer {
        let isPublic = !identity.role.includes(.coach)
        return try queue(reader).answer { store in
            let race = try storedRace(id, in: store)
            return RecordRequestHandler.json { json in
                race.write(to: &json, runtime.wall(), withAttempts: true, isPublic: isPublic)
            }
        }
    }

    /// The results of a race as CSV. Without a store, only recent races have them.
    func raceResults(_ id: String, to identity: AccessControl.Identity) throws(InterfaceFault) -> WebAnswer {
        let isPublic = !identity.role.includes(.coach)
        @Sendable func table(_ race: Race, _ names: AthleteNames) -> WebAnswer {
            RecordRequestHandler.attachment(
                "text/csv; charset=utf-8", RaceResultsCSV.bytes(of: race, names: names), "race-\(id).csv")
        }
        guard let reader else {
            guard let race = races.race(id) else { throw Self.unknownRace }
            return table(race, AthleteNames())
        }
        return reader.answer { store in
            table(try storedRace(id, in: store), try names(isPublic, in: store))
        }
    }

    /// The results of a race in the format of the Concept2 race programs.
    func ergRaceFile(_ id: String) throws(InterfaceFault) -> WebAnswer {
        try queue(reader).answer { store in
            let race = try storedRace(id, in: store)
            let regatta = try race.settings.regatta.flatMap { try store.raceDocuments.document($0, .regatta) }
                .flatMap { Regatta(stored: $0.body) }
            let heat = regatta?.events.flatMap(\.heats).first { $0.race == id }
            let marked = Set((heat?.marks ?? []).map(\.entry))
            let file = ErgRaceResults.bytes(of: race, names: try names(false, in: store), without: marked)
            return RecordRequestHandler.attachment("text/plain; charset=utf-8", file, "race-\(id).txt")
        }
    }

    func regatta(_ id: String, to identity: AccessControl.Identity) throws(InterfaceFault) -> WebAnswer {
        let isPublic = !identity.role.includes(.coach)
        return try queue(reader).answer { store in
            let (document, regatta) = try stored(id, in: store)
            return answer(regatta, document, try loadRaces(of: regatta, in: store), isPublic: isPublic)
        }
    }

    /// All results as CSV.
    func results(_ id: String) throws(InterfaceFault) -> WebAnswer {
        try queue(reader).answer { store in
            let (_, regatta) = try stored(id, in: store)
            let bytes = RegattaResultsCSV.bytes(of: regatta, try loadRaces(of: regatta, in: store))
            return RecordRequestHandler.attachment("text/csv; charset=utf-8", bytes, "regatta-\(id).csv")
        }
    }

    private func queue(_ queue: StoreQueue?) throws(InterfaceFault) -> StoreQueue {
        if let queue { return queue }
        throw RecordRequestHandler.noStore
    }

    /// The names of athletes whom a gateway did not name; none for the public.
    private func names(_ isPublic: Bool, in store: any LogbookStore) throws -> AthleteNames {
        isPublic ? AthleteNames() : try PeopleRepository.names(in: store)
    }

    private func storedRace(_ id: String, in store: any LogbookStore) throws -> Race {
        if let race = try races.race(id) ?? RaceArchive.race(id, runtime.wall(), in: store) { return race }
        throw Self.unknownRace
    }

    private static let unknownRace = InterfaceFault(
        404, "unknown_race", "there is no such race; /api/v1/races lists all races")

    private func stored(
        _ id: String, in store: any LogbookStore
    ) throws -> (document: StoredRaceDocument, regatta: Regatta) {
        guard let document = try store.raceDocuments.document(id, .regatta),
            let regatta = Regatta(stored: document.body)
        else {
            throw InterfaceFault(
                404, "unknown_regatta", "there is no regatta \"\(id.prefix(40))\"; /races lists all regattas")
        }
        return (document, regatta)
    }

    private func loadRaces(of regatta: Regatta, in store: any LogbookStore) throws -> [String: Race] {
        let clock = runtime.wall()
        var found: [String: Race] = [:]
        for id in regatta.raceIDs {
            found[id] = try races.race(id) ?? parsedRaces.race(id, clock, in: store)
        }
        return found
    }

    private func answer(
        _ regatta: Regatta, _ document: StoredRaceDocument, _ races: [String: Race], isPublic: Bool = false
    ) -> WebAnswer {
        RecordRequestHandler.json { json in
            regatta.write(to: &json, with: races, isPublic: isPublic)
            json.field("changed_ms", document.changedAt)
            json.field("can_undo", !isPublic && document.formerBody != nil)
        }
    }

    // MARK: Changing

    func create(_ body: [UInt8], by identity: AccessControl.Identity) throws(InterfaceFault) -> WebAnswer {
        let id = "\(runtime.makeULID())"
        let regatta: Regatta
        do throws(CommandFault) { regatta = try RegattaAction.creation(body, id: id) } catch {
            throw InterfaceFault(error)
        }
        return try queue(writer).answer { store in
            let document = StoredRaceDocument(
                id: id, kind: .regatta, changedAt: runtime.unixMilliseconds(),
                body: JSONWriter.object(regatta.write))
            try store.raceDocuments.save(document)
            log.notice("\(identity.name ?? "") creates the regatta \(regatta.name)")
            return answer(regatta, document, [:])
        }
    }

    func remove(_ id: String, by identity: AccessControl.Identity) throws(InterfaceFault) -> WebAnswer {
        try queue(writer).answer { store in
            let (_, regatta) = try stored(id, in: store)
            _ = try store.raceDocuments.remove(id, .regatta)
            log.notice("\(identity.name ?? "") removes the regatta \(regatta.name)")
            return .json(Array("{}".utf8))
        }
    }

    func change(
        _ id: String, _ body: [UInt8], by identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        let action: RegattaAction
        do throws(CommandFault) { action = try RegattaAction(body) } catch { throw InterfaceFault(error) }
        return try queue(writer).answer { store in
            do {
                return try store.atomically { try change(id, action, by: identity.name ?? "", in: store) }
            } catch let refusal as RaceService.Refusal { return refusal.answer }
        }
    }

    private func change(
        _ id: String, _ action: RegattaAction, by sender: String, in store: any LogbookStore
    ) throws -> WebAnswer {
        let (document, before) = try stored(id, in: store)
        if action == .undo { return try undo(document, in: store) }
        var (regatta, races) = (before, try loadRaces(of: before, in: store))
        regatta.removeUnknownRaces(races)
        if case .setUp(let event, let heat, let name) = action {
            try setUp(&regatta, &races, event, heat, name, by: sender)
        } else {
            try regatta.apply(try withAthletes(action, in: store), races) { runtime.random() }
        }
        guard regatta != before else { return answer(regatta, document, races) }
        return try save(regatta, replacing: document, races, in: store)
    }

    /// Adds the athletes to imported entries, and to members, that have the name of one athlete and no id.
    private func withAthletes(_ action: RegattaAction, in store: any LogbookStore) throws -> RegattaAction {
        switch action {
        case .importEntries(let event, let rows):
            let names = try names(false, in: store)
            return .importEntries(
                event: event,
                rows.map { row in
                    var row = Self.withMembers(row, names)
                    row.athlete = row.athlete ?? names.id(named: row.name)
                    return row
                })
        case .setEntry(let event, let id, let row) where !row.members.isEmpty:
            return .setEntry(event: event, id, Self.withMembers(row, try names(false, in: store)))
        default: return action
        }
    }

    private static func withMembers(_ row: RegattaEntries.Row, _ names: AthleteNames) -> RegattaEntries.Row {
        var row = row
        for index in row.members.indices {
            row.members[index].athlete =
                row.members[index].athlete ?? names.id(named: row.members[index].name)
        }
        return row
    }

    private func save(
        _ regatta: Regatta, replacing document: StoredRaceDocument, _ races: [String: Race],
        in store: any LogbookStore
    ) throws -> WebAnswer {
        var new = document
        new.changedAt = max(runtime.unixMilliseconds(), document.changedAt + 1)
        (new.body, new.formerBody) = (JSONWriter.object(regatta.write), document.body)
        try store.raceDocuments.save(new)
        return answer(regatta, new, races)
    }

    /// Swaps the content with the one before the last change, so that a second undo repeats the change.
    private func undo(_ document: StoredRaceDocument, in store: any LogbookStore) throws -> WebAnswer {
        guard let former = document.formerBody.flatMap({ Regatta(stored: $0) }) else {
            throw InterfaceFault(409, "nothing_to_undo", "nothing was changed yet")
        }
        return try save(former, replacing: document, try loadRaces(of: former, in: store), in: store)
    }

    /// Creates the race of a heat; without a heat, of the next one.
    private func setUp(
        _ regatta: inout Regatta, _ races: inout [String: Race], _ event: String?, _ heat: String?,
        _ name: String?, by sender: String
    ) throws {
        let place: (event: Int, heat: Int)
        if let event, let heat {
            place = try regatta.index(of: event, heat: heat)
        } else {
            guard let next = regatta.next(races) else {
                throw InterfaceFault(409, "no_heat", "all heats are over; draw another event")
            }
            let index = try regatta.index(of: next.event.id)
            if next.heat == nil { try regatta.drawFinal(index, races) }
            let heats = regatta.events[index].heats
            place = (
                index, next.heat.flatMap { heat in heats.firstIndex { $0.id == heat.id } } ?? heats.count - 1
            )
        }
        let chosen = regatta.events[place.event].heats[place.heat]
        if let race = chosen.race.flatMap({ races[$0] }), race.phase != .ready {
            throw InterfaceFault(
                409, "already_rowed", "this heat has a race; choose \"row again\" to repeat it")
        }
        let event = regatta.events[place.event]
        let lanes = regatta.raceLanes(of: chosen, in: event)
        guard Set(lanes.map(\.entry)).count >= Race.laneCount.lowerBound else {
            throw InterfaceFault(
                409, "too_few_lanes",
                "fewer than two entries start in this heat: move another one to it, or mark who did not start"
            )
        }
        var settings = RaceSettings(name: name ?? event.name, piece: event.piece, sender: sender)
        (settings.regatta, settings.location) = (regatta.id, regatta.place)
        let (race, replaced) = try self.races.setUp(settings, lanes, by: sender).get()
        regatta.add(race.id, to: place, replacing: replaced)
        races[race.id] = race
    }
}

extension Regatta {
    /// The lanes of a race for a heat: the entries that are not scratched or marked, each at the ergs of its lane.
    func raceLanes(of heat: RegattaHeat, in event: RegattaEvent) -> [RaceLane] {
        heat.lanes.enumerated().flatMap { index, id -> [RaceLane] in
            let ergs = ergs(ofLane: index, in: event)
            guard let entry = id.flatMap(event.entry), entry.scratched == nil, heat.mark(of: entry.id) == nil,
                ergs.count == event.kind.ergs
            else { return [] }
            return ergs.enumerated().map { number, erg in
                raceLane(at: erg, of: entry, number, in: event.kind)
            }
        }
    }

    /// - Parameter number: The number of the erg among those of the entry, from 0.
    private func raceLane(
        at erg: LiveBoard.Place, of entry: RegattaEntry, _ number: Int, in kind: RegattaEvent.Kind
    ) -> RaceLane {
        var lane = RaceLane(at: erg)
        lane.entry = entry.id
        switch kind {
        case .individual: (lane.name, lane.athlete) = (entry.name, entry.athlete)
        // Its session counts to nobody.
        case .relay: lane.name = entry.name
        case .team:
            let member = entry.members.dropFirst(number).first
            (lane.name, lane.athlete) = (member?.name ?? "\(number + 1)", member?.athlete)
            lane.team = entry.name
        }
        return lane
    }

    /// Removes races that gave way to another one before they started.
    mutating func removeUnknownRaces(_ races: [String: Race]) {
        for event in events.indices {
            for heat in events[event].heats.indices {
                events[event].heats[heat].attempts.removeAll { $0.annulled == nil && races[$0.race] == nil }
            }
        }
    }

    /// Writes the entry in the archive.
    fileprivate func writeEntry(to json: inout JSONWriter, _ races: [String: Race]) {
        json.field("regatta_id", id)
        json.field("name", name)
        json.field("place", place)
        json.field("day", day.text)
        json.field("entries", events.reduce(0) { $0 + $1.entries.count })
        json.list("events", of: events) { json, event in
            json.field("name", event.name)
            let winners = RegattaResults(event: event, races: races).winners
            json.field("winners", winners.compactMap { event.entry($0.entry)?.name })
        }
    }
}

extension Race {
    /// Writes the entry in the archive.
    fileprivate func writeEntry(to json: inout JSONWriter, _ names: AthleteNames, _ clock: WallClock) {
        json.field("race_id", id)
        json.field("name", settings.name)
        switch settings.piece {
        case .distance(let meters): json.field("distance_m", meters)
        case .time(let seconds): json.field("duration_s", seconds)
        }
        json.field("signal_ms", clock.unixMilliseconds(at: signal ?? createdAt))
        if !settings.location.isEmpty { json.field("place", settings.location) }
        json.field("entries", activeLanes.count)
        let winners = results.filter { $0.place == 1 }.map(\.lane)
        json.list("winners", of: winners) { json, lane in
            json.field("name", lane.name ?? lane.athlete.flatMap(names.known))
            json.field("gw", lane.place.gateway.slug)
            json.field("erg", lane.place.erg?.slug)
        }
        if let result = winners.first?.result {
            json.object("result") { result.write(to: &$0, isPublic: true) }
        }
    }
}
