import Bytes
import Testing

@testable import Contract
@testable import Logbook
@testable import Timeline

/// Events in which an entry has several ergs or several people.
@Suite struct RegattaTeamTests {
    private static let now = BootInstant(nanoseconds: 0).advanced(by: .seconds(1000))
    private let clock = WallClock(
        bootID: "b", unixMillisecondsAtBoot: 1_790_000_000_000, isSynchronized: true)
    private var regatta = Regatta(id: "R", name: "Sprints", day: CalendarDay(number: 20_000))
    private var races: [String: Race] = [:]

    init() throws {
        regatta.ergs = (1...7).map { LiveBoard.Place(gateway: GatewayID("b")!, erg: StationID("e-\($0)")) }
        try make(.team(size: 2))
    }

    private var event: RegattaEvent { regatta.events[0] }
    private var results: RegattaResults { RegattaResults(event: event, races: races) }

    private mutating func apply(_ action: RegattaAction) throws { try regatta.apply(action, races) { 0 } }

    private mutating func make(
        _ kind: RegattaEvent.Kind, _ piece: RaceSettings.Piece = .distance(meters: 1000)
    ) throws {
        regatta.events = []
        try apply(.setEvent(nil, name: "Pairs", piece: piece, kind: kind, places: 0, times: 0))
    }

    /// Adds teams with members `A1`, `A2`; the first has the best seed time.
    private mutating func enter(_ names: [String], members: Int = 2) throws {
        for (index, name) in names.enumerated() {
            var row = RegattaEntries.Row(name: name, seedCentiseconds: Int64(20_000 + index))
            row.members = (1...members).map {
                RegattaEntry.Member(name: "\(name)\($0)", athlete: "\(name)-\($0)")
            }
            try apply(.setEntry(event: event.id, nil, row))
        }
    }

    private func name(_ entry: String?) -> String { entry.flatMap(event.entry)?.name ?? "-" }

    /// Rows a heat: hundredths of a second, or tenths of a metre in a time, by the name of the lane; nil for one that did
    /// not finish.
    private mutating func row(_ heat: Int, _ values: [String: Int64?]) {
        let heat = event.heats[heat]
        var lanes = regatta.raceLanes(of: heat, in: event)
        for index in lanes.indices {
            guard let value = values[lanes[index].name ?? ""] else { continue }
            lanes[index].status = value == nil ? .didNotFinish : .finished
            guard let value else { continue }
            var result = RaceResult(
                session: "S", revision: 1, isComplete: true, centiseconds: 24_000, decimeters: 10_000)
            if case .distance = event.piece {
                result = RaceResult(
                    session: "S", revision: 1, isComplete: true, centiseconds: value, decimeters: 10_000)
            } else {
                result = RaceResult(
                    session: "S", revision: 1, isComplete: true, centiseconds: 24_000, decimeters: value)
            }
            (result.watts, result.isVerified) = (200 + Int64(index), true)
            lanes[index].result = result
        }
        var settings = RaceSettings(name: "", piece: event.piece, sender: "anna")
        settings.regatta = regatta.id
        let race = Race(
            "race-\(heat.id)", settings, createdAt: Self.now, .over, signal: Self.now,
            countdownBegan: Self.now,
            ended: Self.now, lanes: lanes, attempts: [])
        races[race.id] = race
        let index = event.heats.firstIndex { $0.id == heat.id } ?? 0
        regatta.add(race.id, to: (0, index), replacing: nil)
    }

    @Test mutating func teamHasErgsNextToEachOtherWithItsMembers() throws {
        try enter(["A", "B", "C", "D"])
        try apply(.draw(event: event.id, .fastestLast))
        // Seven ergs are three lanes of two, so four teams need two heats.
        #expect(event.heats.map { $0.lanes.map(name) } == [["-", "C", "D"], ["-", "A", "B"]])
        let lanes = regatta.raceLanes(of: event.heats[1], in: event)
        #expect(lanes.map { $0.place.erg?.slug } == ["e-3", "e-4", "e-5", "e-6"])
        #expect(lanes.map(\.name) == ["A1", "A2", "B1", "B2"])
        #expect(lanes.map(\.athlete) == ["A-1", "A-2", "B-1", "B-2"])
        #expect(lanes.map(\.team) == ["A", "A", "B", "B"])
    }

    @Test mutating func meanOfTheTimesDecidesOverADistance() throws {
        try enter(["A", "B", "C"])
        try apply(.draw(event: event.id, .serpentine))
        row(0, ["A1": 20_000, "A2": 20_101, "B1": 19_000, "B2": 21_050, "C1": 18_000, "C2": nil])
        let lines = results.lines(of: event.heats[0])
        #expect(lines.map { name($0.entry) } == ["B", "A", "C"] && lines.map(\.place) == [1, 2, nil])
        #expect(lines.map { $0.result?.centiseconds } == [20_025, 20_051, nil])
        #expect(lines[1].result?.paceCentiseconds == 10_026 && lines[1].result?.isVerified == true)
        #expect(
            lines[2].status == .didNotFinish && lines[2].members.map(\.status) == [.finished, .didNotFinish])
        #expect(results.winners.map { name($0.entry) } == ["B"])
    }

    @Test mutating func meanOfTheDistancesDecidesInATime() throws {
        try make(.team(size: 2), .time(seconds: 240))
        try enter(["A", "B"])
        try apply(.draw(event: event.id, .serpentine))
        row(0, ["A1": 12_000, "A2": 12_001, "B1": 12_100, "B2": 12_003])
        let lines = results.lines(of: event.heats[0])
        #expect(lines.map { name($0.entry) } == ["B", "A"])
        #expect(lines.map { $0.result?.decimeters } == [12_052, 12_001])
    }

    @Test mutating func equalTeamsShareAPlaceAndTheFinalIsDrawnWithTeams() throws {
        try apply(.setEvent(event.id, name: nil, piece: nil, places: 1, times: 1))
        try enter(["A", "B", "C", "D"])
        try apply(.draw(event: event.id, .serpentine))
        row(0, ["A1": 20_000, "A2": 20_200, "D1": 20_100, "D2": 20_100])
        #expect(results.lines(of: event.heats[0]).map(\.place) == [1, 1])
        row(1, ["B1": 20_000, "B2": 20_000, "C1": 20_500, "C2": 20_500])
        // Both winners of the first heat advance, so all four teams would, and there are lanes for three.
        let fault = #expect(throws: InterfaceFault.self) { try apply(.drawFinal(event: event.id)) }
        #expect(fault?.message.hasPrefix("4 entries advance, but there are 3 lanes: ") == true)
        try apply(.setEvent(event.id, name: nil, piece: nil, places: nil, times: 0))
        try apply(.drawFinal(event: event.id))
        #expect(Set(event.final?.lanes.map(name) ?? []) == ["A", "B", "D"])
    }

    @Test mutating func relayHasOneErgAndNoAthlete() throws {
        try make(.relay)
        try enter(["A", "B"], members: 3)
        try apply(.draw(event: event.id, .serpentine))
        let lanes = regatta.raceLanes(of: event.heats[0], in: event)
        #expect(Set(lanes.map(\.name)) == ["A", "B"])
        #expect(lanes.allSatisfy { $0.athlete == nil && $0.team == nil })
        row(0, ["A": 20_000, "B": 20_100])
        let lines = results.lines(of: event.heats[0])
        #expect(lines.map { name($0.entry) } == ["A", "B"] && lines[0].members.isEmpty)
    }

    @Test mutating func refusesTooManyMembersAndTooFewErgs() throws {
        #expect(throws: InterfaceFault.self) { try enter(["A"], members: 3) }
        try enter(["B", "C"])
        var fault = #expect(throws: InterfaceFault.self) {
            try apply(.setEvent(event.id, name: nil, piece: nil, kind: .individual, places: nil, times: nil))
        }
        #expect(fault?.code == "too_many_members")
        #expect(fault?.message.hasPrefix("B has 2 members, but only entries of a team") == true)
        try apply(.setEvent(event.id, name: nil, piece: nil, kind: .team(size: 4), places: nil, times: nil))
        fault = #expect(throws: InterfaceFault.self) { try apply(.draw(event: event.id, .lot)) }
        #expect(fault?.message == "choose the ergs of the lanes first: at least 8 for two entries")
        try apply(.setEvent(event.id, name: nil, piece: nil, kind: .team(size: 3), places: nil, times: nil))
        try apply(.draw(event: event.id, .lot))
        // Two lanes of three ergs are drawn.
        fault = #expect(throws: InterfaceFault.self) {
            try apply(.edit(name: nil, place: nil, day: nil, ergs: Array(regatta.ergs.prefix(5))))
        }
        #expect(fault?.message == "a heat uses 6 ergs: choose at least 6, or draw again")
        try apply(.setEvent(event.id, name: nil, piece: nil, kind: .team(size: 2), places: nil, times: nil))
        #expect(event.heats.isEmpty, "the draw was for another number of ergs")
    }

    @Test mutating func storedFormsAreReadBackAsTheyWere() throws {
        try enter(["A", "B"])
        try apply(.draw(event: event.id, .serpentine))
        row(0, ["A1": 20_000, "A2": 20_101, "B1": 19_000, "B2": 21_050])
        #expect(Regatta(stored: JSONWriter.object(regatta.write)) == regatta)
        let race = try #require(races.values.first)
        let body = JSONWriter.object { race.write(to: &$0, clock) }
        let fields = try #require(try JSONObject(parsing: body))
        let read = try #require(Race(stored: fields, clock))
        #expect(
            read.lanes.map(\.team) == race.lanes.map(\.team) && read.teamResults.map { $0.place } == [1, 2])
        #expect(String(decoding: body, as: UTF8.self).contains("\"teams\":[{\"entry_id\":"))
        try make(.relay)
        try enter(["A"], members: 16)
        #expect(Regatta(stored: JSONWriter.object(regatta.write)) == regatta)
    }

    @Test mutating func importsMembersFromATable() throws {
        let text = "event,name,members\nPairs,A,Ana Bell / Bea\nPairs,B,\n"
        try apply(.importEntries(event: nil, try RegattaEntries.rows(in: text)))
        #expect(event.entries.map { $0.members.map(\.name) } == [["Ana Bell", "Bea"], []])
        let long = String(repeating: "x", count: 81)
        let fault = #expect(throws: InterfaceFault.self) {
            try RegattaEntries.rows(in: "name,members\nA,Bea/\(long)")
        }
        #expect(fault?.message == "line 2: a name in members has more than 80 characters")
    }

    @Test mutating func filesHaveTeamsAndMembers() throws {
        try enter(["A", "B"])
        try apply(.draw(event: event.id, .serpentine))
        row(0, ["A1": 20_000, "A2": 20_100, "B1": 19_000, "B2": 20_000])
        let table = String(decoding: RegattaResultsCSV.bytes(of: regatta, races), as: UTF8.self)
        #expect(table.contains("Pairs,1,heat,1,1,3,B,,finished,,195.00,1000.0,"))
        #expect(table.contains(",team,B1/B2\r\n"))
        let race = try #require(races.values.first)
        let file = String(
            decoding: ErgRaceResults.bytes(of: race, names: .init(), without: []), as: UTF8.self)
        #expect(file.contains("1,03:15.0,1000,B,  1:37.5,,3,\r\n2,03:20.5,1000,A,  1:40.3,,1,\r\n"))
        #expect(file.contains("1,3,B1,,03:10.0,1000,,,\r\n1,4,B2,,03:20.0,1000,,,\r\n2,1,A1,,03:20.0,"))
        let lines = String(decoding: RaceResultsCSV.bytes(of: race, names: .init()), as: UTF8.self)
        #expect(lines.contains("B-1,B1,finished,190.00,1000.0,,202,,true,0,,,,B\r\n"))
    }
}
