/// The results of a regatta, from the races of its heats.
struct RegattaResults {
    /// The state of a heat.
    enum HeatState: String, Sendable {
        /// Not set up yet, or to be rowed again.
        case drawn
        /// Its race is ready.
        case setUp = "set_up"
        case rowing
        case over
    }

    /// One entry in a heat.
    struct Line: Equatable, Sendable {
        enum Status: String, CaseIterable, Sendable {
            case waiting, rowing, finished
            case didNotFinish = "did_not_finish"
            case didNotStart = "did_not_start"
            case disqualified, scratched

            /// The sort order in a list of results.
            var sortOrder: Int {
                switch self {
                case .finished: 0
                case .rowing, .waiting: 1
                case .didNotFinish: 2
                case .didNotStart: 3
                case .disqualified: 4
                case .scratched: 5
                }
            }
        }

        /// How an entry advances to the final.
        enum Advance: String, Sendable { case place, time }

        let entry: String
        /// From 1.
        let lane: Int
        var status = Status.waiting
        var reason: String?
        /// The result of the monitor, or the mean of a team; also of a disqualified entry.
        var result: RaceResult?
        var falseStarts = 0
        /// The ergs of a team in its race; empty for entries with one erg.
        var members: [RaceTeam.Member] = []
        /// nil for entries that have not finished.
        var place: Int?
        var advances: Advance?
    }

    let event: RegattaEvent
    /// The races by id.
    let races: [String: Race]

    func state(of heat: RegattaHeat) -> HeatState {
        if let race = heat.race.flatMap({ races[$0] }) {
            switch race.phase {
            case .ready: return .setUp
            case .countdown, .rowing: return .rowing
            case .over: return .over
            }
        }
        let entries = heat.lanes.compactMap(\.self)
        let isDecided = entries.allSatisfy { entry in
            heat.mark(of: entry) != nil || event.entry(entry)?.scratched != nil
        }
        return isDecided && !entries.isEmpty ? .over : .drawn
    }

    /// Whether all heats before the final are over.
    var isFirstRoundOver: Bool {
        let heats = event.firstRound
        return !heats.isEmpty && heats.allSatisfy { state(of: $0) == .over }
    }

    // MARK: One heat

    /// The entries of a heat in the order of the results, with those that advance if the heat is over.
    func lines(of heat: RegattaHeat) -> [Line] {
        let ranked = plainLines(of: heat)
        let progression = event.progression
        guard !heat.isFinal, progression.hasFinal, state(of: heat) == .over else { return ranked }
        let advancing = isFirstRoundOver ? Set(fastest(progression.times).map(\.entry)) : []
        return ranked.map { line in
            var line = line
            if advancesByPlace(line) {
                line.advances = .place
            } else if advancing.contains(line.entry) {
                line.advances = .time
            }
            return line
        }
    }

    private func advancesByPlace(_ line: Line) -> Bool {
        line.place.map { $0 <= event.progression.places } ?? false
    }

    private func line(of entry: String, in heat: RegattaHeat, lane: Int) -> Line {
        var line = Line(entry: entry, lane: lane)
        let race = heat.race.flatMap { races[$0] }
        if let team = race?.team(of: entry) {
            line.result = team.result
            line.falseStarts = team.falseStarts
            if team.members.count > 1 { line.members = team.members }
            line.status =
                switch team.status {
                case .waiting, .armed: .waiting
                case .rowing: .rowing
                case .finished: .finished
                case .didNotFinish: .didNotFinish
                case .didNotStart: .didNotStart
                case .scratched: .scratched
                }
        } else if let reason = event.entry(entry)?.scratched {
            (line.status, line.reason) = (.scratched, reason)
        }
        if let mark = heat.mark(of: entry) {
            line.reason = mark.reason
            line.status =
                switch mark.status {
                case .didNotStart: .didNotStart
                case .didNotFinish: .didNotFinish
                case .disqualified: .disqualified
                }
        }
        return line
    }

    /// Sorts lines by result and numbers the finishers. Equal results share a place.
    private func ranked(_ lines: [Line], after places: Int = 0) -> [Line] {
        RaceRanking.places(
            of: lines.map { ($0.status.sortOrder, $0.status == .finished, $0.result) }, over: event.piece
        ).map { index, place in
            var line = lines[index]
            line.place = place.map { $0 + places }
            return line
        }
    }

    // MARK: Progression

    /// The fastest entries of all heats that do not advance by place. Equal results at the limit all advance.
    private func fastest(_ count: Int) -> [Line] {
        guard count > 0 else { return [] }
        let others = event.firstRound.flatMap { plainLines(of: $0) }.filter {
            $0.status == .finished && !advancesByPlace($0)
        }
        return ranked(others).filter { $0.place.map { $0 <= count } ?? false }
    }

    private func plainLines(of heat: RegattaHeat) -> [Line] {
        ranked(
            heat.lanes.enumerated().compactMap { index, entry in
                entry.map { line(of: $0, in: heat, lane: index + 1) }
            })
    }

    /// The entries that advance to the final, the best result first. A scratched entry is replaced by the next
    /// fastest one.
    var finalists: [String] {
        let scratched = Set(event.entries.filter { $0.scratched != nil }.map(\.id))
        let lines = event.firstRound.flatMap { plainLines(of: $0) }.filter { $0.status == .finished }
        let byPlace = lines.filter { advancesByPlace($0) }
        let missing = byPlace.filter { scratched.contains($0.entry) }.count
        let others = ranked(lines.filter { !advancesByPlace($0) && !scratched.contains($0.entry) })
        let count = event.progression.times + missing
        let byTime = others.filter { $0.place.map { $0 <= count } ?? false }
        return ranked(byPlace.filter { !scratched.contains($0.entry) } + byTime).map(\.entry)
    }

    // MARK: The event

    /// The results of the event: those of the final, then the others by their results in the heats. Without a final,
    /// all heats together.
    var standings: [Line] {
        let firstRound = event.firstRound.flatMap { plainLines(of: $0) }
        guard let final = event.final else { return ranked(firstRound) }
        let decided = plainLines(of: final)
        let inFinal = Set(decided.map(\.entry))
        let others = ranked(firstRound.filter { !inFinal.contains($0.entry) }, after: decided.count)
        return decided + others
    }

    /// The winner once the event is decided.
    var winners: [Line] {
        let isOver =
            event.final.map { state(of: $0) == .over }
            ?? (isFirstRoundOver && !event.progression.hasFinal)
        return isOver ? standings.filter { $0.place == 1 } : []
    }
}

extension Regatta {
    /// The event and heat to set up next: the first one that is not over, in the order of the events. A final that can
    /// be drawn has no heat yet.
    func next(_ races: [String: Race]) -> (event: RegattaEvent, heat: RegattaHeat?)? {
        for event in events {
            let results = RegattaResults(event: event, races: races)
            if let heat = event.heats.first(where: { results.state(of: $0) != .over }) {
                return (event, heat)
            }
            if event.progression.hasFinal, event.final == nil, results.isFirstRoundOver {
                return (event, nil)
            }
        }
        return nil
    }
}
