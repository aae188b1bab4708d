import Bytes
import Testing

@testable import Contract
@testable import Logbook
@testable import Timeline

/// The draw, the progression and the results of a regatta.
@Suite struct RegattaTests {
    private static let now = BootInstant(nanoseconds: 0).advanced(by: .seconds(1000))
    private let clock = WallClock(
        bootID: "b", unixMillisecondsAtBoot: 1_790_000_000_000, isSynchronized: true)
    private var regatta = Regatta(id: "R", name: "Sprints", day: CalendarDay(number: 20_000))
    private var races: [String: Race] = [:]

    init() throws {
        regatta.ergs = (1...4).map { Self.erg($0) }
        try apply(.setEvent(nil, name: "Women", piece: .distance(meters: 1000), places: 0, times: 0))
    }

    private static func erg(_ number: Int) -> LiveBoard.Place {
        // Lanes 3 and 4 are in another room.
        LiveBoard.Place(gateway: GatewayID(number < 3 ? "b" : "c")!, erg: StationID("e-\(number)"))
    }

    private var event: RegattaEvent { regatta.events[0] }
    private var results: RegattaResults { RegattaResults(event: event, races: races) }

    private mutating func apply(_ action: RegattaAction) throws { try regatta.apply(action, races) { 0 } }

    /// Adds entries with seed times of 200 s and more, one second apart.
    private mutating func enter(_ count: Int, seeded: Bool = true) throws {
        for number in 1...count {
            let seed = seeded ? Int64(20_000 + number * 100) : nil
            let row = RegattaEntries.Row(name: "N\(number)", seedCentiseconds: seed)
            try apply(.setEntry(event: event.id, nil, row))
        }
    }

    private func name(_ entry: String?) -> String { entry.flatMap(event.entry)?.name ?? "-" }
    private func id(_ name: String) throws -> String {
        try #require(event.entries.first { $0.name == name }?.id)
    }

    /// Rows a heat: the seconds of each name; nil for one that did not finish.
    private mutating func row(_ heat: Int, _ times: [String: Double?]) {
        let heat = event.heats[heat]
        var lanes = regatta.raceLanes(of: heat, in: event)
        for index in lanes.indices {
            guard let time = times[lanes[index].name ?? ""] else { continue }
            lanes[index].status = time == nil ? .didNotFinish : .finished
            lanes[index].result = RaceResult(
                session: "S", revision: 1, isComplete: time != nil,
                centiseconds: Int64((time ?? 60) * 100), decimeters: time == nil ? 2000 : 10_000)
        }
        let race = Race(
            "race-\(heat.id)", RaceSettings(name: "", piece: event.piece, sender: "anna"),
            createdAt: Self.now,
            .over, signal: Self.now, countdownBegan: Self.now, ended: Self.now, lanes: lanes, attempts: [])
        races[race.id] = race
        let index = event.heats.firstIndex { $0.id == heat.id } ?? 0
        regatta.add(race.id, to: (0, index), replacing: nil)
    }

    // MARK: The draw

    @Test mutating func drawsASerpentineWithTheFastestInTheMiddle() throws {
        try enter(10)
        try apply(.draw(event: event.id, .serpentine))
        let lanes = event.heats.map { $0.lanes.map(name) }
        // Three heats of 4, 3 and 3: seeds 1, 6, 7, then 2, 5, 8, then 3, 4, 9 and 10.
        #expect(lanes == [["N7", "N1", "N6", "-"], ["N8", "N2", "N5", "-"], ["N9", "N3", "N4", "N10"]])
        #expect(event.heats.map(\.number) == [1, 2, 3])
    }

    @Test mutating func drawsTheFastestIntoTheLastHeat() throws {
        try enter(9)
        try apply(.draw(event: event.id, .fastestLast))
        let heats = event.heats.map { Set($0.lanes.compactMap(\.self).map(name)) }
        #expect(heats == [["N7", "N8", "N9"], ["N4", "N5", "N6"], ["N1", "N2", "N3"]])
    }

    @Test mutating func drawsEntriesWithoutSeedTimesBehindOthersAndByLot() throws {
        try enter(2, seeded: false)
        try enter(2)
        try apply(.draw(event: event.id, .serpentine))
        #expect(event.heats.count == 1 && name(event.heats[0].lanes[1]) == "N1")
        #expect(event.entry(event.heats[0].lanes[1] ?? "")?.seedCentiseconds != nil)
        try apply(.draw(event: event.id, .lot))
        #expect(event.heats[0].lanes.compactMap(\.self).count == 4)
    }

    @Test mutating func drawLeavesOutScratchedEntriesAndNeedsErgsAndEntries() throws {
        #expect(throws: InterfaceFault.self) { try apply(.draw(event: event.id, .lot)) }
        try enter(3)
        try apply(.scratch(event: event.id, entry: try id("N2"), reason: "ill"))
        try apply(.draw(event: event.id, .serpentine))
        #expect(Set(event.heats[0].lanes.map(name)) == ["N1", "N3", "-"])
        try apply(.edit(name: nil, place: nil, day: nil, ergs: nil))
        #expect(throws: InterfaceFault.self) {
            try apply(.edit(name: nil, place: nil, day: nil, ergs: [Self.erg(1)]))
        }
    }

    @Test mutating func movesEntriesByHandAndSwapsLanes() throws {
        try enter(8)
        try apply(.draw(event: event.id, .serpentine))
        let (first, second) = (event.heats[0], event.heats[1])
        let moved = try #require(first.lanes[0])
        let occupant = try #require(second.lanes[3])
        try apply(.move(event: event.id, entry: moved, heat: second.id, lane: 4))
        #expect(event.heats[1].lanes[3] == moved && event.heats[0].lanes[0] == occupant)
        try apply(.move(event: event.id, entry: moved, heat: nil, lane: nil))
        #expect(event.heats[1].lanes[3] == nil)
        // A late entry gets the free lane.
        try apply(.move(event: event.id, entry: moved, heat: second.id, lane: nil))
        #expect(event.heats[1].lanes[3] == moved)
        #expect(throws: InterfaceFault.self) {
            try apply(.move(event: event.id, entry: moved, heat: second.id, lane: 5))
        }
        row(0, [:])
        #expect(throws: InterfaceFault.self) {
            try apply(.move(event: event.id, entry: moved, heat: first.id, lane: 1))
        }
        #expect(throws: InterfaceFault.self) { try apply(.draw(event: event.id, .lot)) }
    }

    // MARK: Results and progression

    @Test mutating func placesAndTimesAdvanceToTheFinal() throws {
        try enter(8)
        try apply(.setEvent(event.id, name: nil, piece: nil, places: 1, times: 2))
        try apply(.draw(event: event.id, .serpentine))
        #expect(Set(event.heats[0].lanes.map(name)) == ["N1", "N4", "N5", "N8"])
        row(0, ["N1": 200, "N4": 201, "N5": 202, "N8": nil])
        #expect(results.lines(of: event.heats[0]).map(\.advances) == [.place, nil, nil, nil])
        #expect(throws: InterfaceFault.self) { try apply(.drawFinal(event: event.id)) }
        row(1, ["N2": 210, "N3": 211, "N6": 201.5, "N7": 212])
        let first = results.lines(of: event.heats[0])
        #expect(first.map { name($0.entry) } == ["N1", "N4", "N5", "N8"])
        #expect(first.map(\.place) == [1, 2, 3, nil])
        #expect(first.map(\.advances) == [.place, .time, .time, nil])
        #expect(results.lines(of: event.heats[1]).map(\.advances) == [.place, nil, nil, nil])
        #expect(results.finalists.map(name) == ["N1", "N4", "N6", "N5"])
        #expect(regatta.next(races)?.heat == nil && regatta.next(races)?.event.id == event.id)
        // A scratched finalist is replaced by the next fastest.
        try apply(.scratch(event: event.id, entry: try id("N4"), reason: "ill"))
        #expect(results.finalists.map(name) == ["N1", "N6", "N5", "N2"])
        try apply(.drawFinal(event: event.id))
        let final = try #require(event.final)
        #expect(final.lanes.map(name) == ["N5", "N1", "N6", "N2"])
        #expect(results.winners == [] && regatta.next(races)?.heat == final)
        row(2, ["N1": 205, "N6": 199, "N5": 203, "N2": nil])
        #expect(results.standings.map { name($0.entry) } == ["N6", "N5", "N1", "N2", "N4", "N3", "N7", "N8"])
        #expect(results.standings.map(\.place) == [1, 2, 3, nil, 5, 6, 7, nil])
        #expect(results.winners.map { name($0.entry) } == ["N6"])
        #expect(regatta.next(races) == nil)
    }

    @Test mutating func equalTimesMayNeedMoreLanesThanThereAre() throws {
        try enter(6)
        try apply(.setEvent(event.id, name: nil, piece: nil, places: 1, times: 2))
        try apply(.draw(event: event.id, .serpentine))
        row(0, ["N1": 200, "N4": 205, "N5": 206])
        row(1, ["N2": 201, "N3": 206, "N6": 206])
        #expect { try apply(.drawFinal(event: event.id)) } throws: {
            ($0 as? InterfaceFault)?.code == "too_many_finalists"
        }
        for name in ["N3", "N6"] { try apply(.scratch(event: event.id, entry: try id(name), reason: "")) }
        try apply(.drawFinal(event: event.id))
        #expect(event.final?.lanes.compactMap(\.self).count == 4)
    }

    @Test mutating func heatsAloneDecideByTimeAndShareEqualPlaces() throws {
        try enter(6)
        try apply(.draw(event: event.id, .fastestLast))
        row(0, ["N4": 201, "N5": 200, "N6": 203])
        #expect(results.winners == [])
        row(1, ["N1": 200, "N2": 202, "N3": nil])
        #expect(results.standings.map(\.place) == [1, 1, 3, 4, 5, nil])
        #expect(Set(results.winners.map { name($0.entry) }) == ["N5", "N1"])
    }

    @Test mutating func decisionsReplaceResultsAndCanBeWithdrawn() throws {
        try enter(3)
        try apply(.draw(event: event.id, .serpentine))
        row(0, ["N1": 200, "N2": 201, "N3": 202])
        let (heat, entry) = (event.heats[0].id, try id("N1"))
        try apply(
            .mark(event: event.id, heat: heat, entry: entry, .disqualified, reason: "second false start"))
        let lines = results.lines(of: event.heats[0])
        #expect(lines.map { name($0.entry) } == ["N2", "N3", "N1"] && lines.map(\.place) == [1, 2, nil])
        #expect(lines[2].status == .disqualified && lines[2].reason == "second false start")
        #expect(results.winners.map { name($0.entry) } == ["N2"])
        try apply(.mark(event: event.id, heat: heat, entry: entry, nil, reason: ""))
        #expect(results.lines(of: event.heats[0]).map(\.place) == [1, 2, 3])
    }

    @Test mutating func heatThatIsRowedAgainKeepsTheEarlierRace() throws {
        try enter(3)
        try apply(.draw(event: event.id, .serpentine))
        row(0, ["N1": 200, "N2": 201, "N3": 202])
        try apply(.again(event: event.id, heat: event.heats[0].id, reason: "wrong distance"))
        #expect(results.state(of: event.heats[0]) == .drawn)
        #expect(event.heats[0].attempts.map(\.annulled) == ["wrong distance"])
        #expect(results.lines(of: event.heats[0]).allSatisfy { $0.result == nil && $0.status == .waiting })
        #expect(throws: InterfaceFault.self) {
            try apply(.again(event: event.id, heat: event.heats[0].id, reason: ""))
        }
    }

    @Test mutating func heatWithoutStartersIsOver() throws {
        try enter(2)
        try apply(.draw(event: event.id, .serpentine))
        let heat = event.heats[0].id
        try apply(.mark(event: event.id, heat: heat, entry: try id("N1"), .didNotStart, reason: ""))
        #expect(results.state(of: event.heats[0]) == .drawn)
        try apply(.scratch(event: event.id, entry: try id("N2"), reason: ""))
        #expect(results.state(of: event.heats[0]) == .over)
        #expect(results.lines(of: event.heats[0]).map(\.status) == [.didNotStart, .scratched])
    }

    @Test mutating func storedFormIsReadBackAsItWas() throws {
        try enter(5)
        try apply(.draw(event: event.id, .serpentine))
        row(0, ["N1": 200])
        try apply(.again(event: event.id, heat: event.heats[0].id, reason: "why"))
        try apply(.scratch(event: event.id, entry: try id("N2"), reason: ""))
        let heat = event.heats[1]
        let entry = try #require(heat.lanes.compactMap(\.self).first)
        try apply(.mark(event: event.id, heat: heat.id, entry: entry, .didNotFinish, reason: "cramp"))
        let stored = JSONWriter.object(regatta.write)
        #expect(Regatta(stored: stored) == regatta)
        #expect(Regatta(stored: Array("{}".utf8)) == nil)
    }

    // MARK: Entries from a table

    @Test mutating func importsATableWithEventsAndSeedTimes() throws {
        let text =
            "\u{FEFF}Event;Name;Club;Seed\r\nWomen;Ana;RC;3:20,5\r\nMen;Ben;\"A; B\";\r\nMen;Cal;;1:02:03\r\n"
        try apply(.importEntries(event: nil, try RegattaEntries.rows(in: text)))
        #expect(regatta.events.map(\.name) == ["Women", "Men"])
        #expect(regatta.events[1].piece == .distance(meters: 1000))
        #expect(regatta.events[0].entries.map(\.seedCentiseconds) == [20_050])
        #expect(regatta.events[1].entries.map(\.club) == ["A; B", ""])
        #expect(regatta.events[1].entries.map(\.seedCentiseconds) == [nil, 372_300])
        // Again with another time: no second entry.
        try apply(
            .importEntries(event: nil, try RegattaEntries.rows(in: "event,name,club,seed\nWomen,Ana,RC,3:19"))
        )
        #expect(regatta.events[0].entries.map(\.seedCentiseconds) == [19_900])
    }

    @Test(arguments: [
        ("", "line 1: the table is empty"), ("name,x\nA,1", "line 1: unknown column \"x\""),
        ("club\nRC", "line 1: each column once"), ("name\n", "line 1: the table has no entries"),
        ("name,seed\nA,fast", "line 2: \"fast\" is not a seed time"),
        ("name,seed\nA,1:75", "line 2: \"1:75\" is not"),
        ("name,club\nA\n,RC", "line 3: the name is missing"),
        ("name\nA,B", "line 2: there are more cells"),
        ("name,athlete_id\nA,a b", "line 2: \"a b\" is not an athlete"),
    ])
    func refusesInvalidTables(text: String, message: String) {
        let fault = #expect(throws: InterfaceFault.self) { try RegattaEntries.rows(in: text) }
        #expect(fault?.message.hasPrefix(message) == true, "\(fault?.message ?? "")")
    }

    // MARK: Files

    @Test mutating func writesResultsAsATable() throws {
        try apply(.setEntry(event: event.id, nil, RegattaEntries.Row(name: "=Ana", club: "RC, A")))
        try apply(.setEntry(event: event.id, nil, RegattaEntries.Row(name: "Bea")))
        try apply(.draw(event: event.id, .serpentine))
        row(0, ["=Ana": 200.12, "Bea": nil])
        let lines = String(decoding: RegattaResultsCSV.bytes(of: regatta, races), as: UTF8.self)
            .split(separator: "\r\n")
        #expect(lines.count == 3 && lines[0].hasPrefix("event,event_place,round,heat,place"))
        #expect(lines[1].hasPrefix("Women,1,heat,1,1,"))
        #expect(lines[1].contains(",'=Ana,\"RC, A\",finished,,200.12,1000.0,"))
        #expect(lines[2].contains(",Bea,,did_not_finish,,60.00,200.0,"))
    }

    @Test mutating func writesTheFormatOfTheConcept2RacePrograms() throws {
        // As in a result file of the Venue Race application, with its spaces before the pace.
        for (name, seed) in [("Kilcoyne  P.", 1), ("Gifford,  G.", 2), ("Stahl", 3), ("Marked", 4)] {
            let row = RegattaEntries.Row(name: name, seedCentiseconds: Int64(seed))
            try apply(.setEntry(event: event.id, nil, row))
        }
        try apply(.setEvent(event.id, name: nil, piece: .distance(meters: 2000), places: nil, times: nil))
        try apply(.draw(event: event.id, .serpentine))
        var lanes = regatta.raceLanes(of: event.heats[0], in: event)
        let times: [String: Int64] = ["Kilcoyne  P.": 38_740, "Gifford,  G.": 39_510, "Marked": 38_000]
        for index in lanes.indices {
            guard let time = times[lanes[index].name ?? ""] else {
                lanes[index].status = .didNotStart
                continue
            }
            lanes[index].status = .finished
            lanes[index].result = RaceResult(
                session: "S", revision: 1, isComplete: true, centiseconds: time, decimeters: 20_000,
                paceCentiseconds: time / 4)
        }
        let race = Race(
            "r", RaceSettings(name: "", piece: event.piece, sender: ""), createdAt: Self.now, .over,
            signal: Self.now, countdownBegan: Self.now, ended: Self.now, lanes: lanes, attempts: [])
        let file = ErgRaceResults.bytes(of: race, names: .init(), without: [try id("Marked")])
        #expect(
            String(decoding: file, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
                == [
                    "Race Results", "103", "",
                    "Place,Time Rowed,Meters Rowed,Boat/Team Name,Avg. Pace,ID,Bib Number,Class",
                    "1,06:27.4,2000,Kilcoyne  P.,  1:36.9,,2,", "2,06:35.1,2000,Gifford   G.,  1:38.8,,3,",
                    "",
                    "Detailed Results", "", "Place,Lane,Rower Name,,Time,Distance,Avg. Pace,ID,Class", "",
                    "1,2,Kilcoyne  P.,,06:27.4,2000,1:36.9,,", "2,3,Gifford   G.,,06:35.1,2000,1:38.8,,", "",
                ])
        #expect(ErgRaceResults.time(372_345, minutes: 2) == "62:03.5")
    }
}
