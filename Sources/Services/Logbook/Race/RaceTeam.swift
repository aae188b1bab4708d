/// A team of a race: the ergs of one entry of a regatta, and their common result. An entry with one erg counts, too.
struct RaceTeam: Equatable, Sendable {
    /// One erg of the team.
    struct Member: Equatable, Sendable {
        let name: String
        let status: RaceLane.Status
        let result: RaceResult?
    }

    let entry: String
    let name: String
    let status: RaceLane.Status
    /// The mean of all members; nil until all have finished. Of a single erg, its result.
    let result: RaceResult?
    let falseStarts: Int
    let members: [Member]

    /// - Parameter lanes: The lanes of one entry; at least one.
    init(_ entry: String, _ lanes: [RaceLane], over piece: RaceSettings.Piece) {
        self.entry = entry
        name = lanes.first?.team ?? lanes.first?.name ?? ""
        status = Self.status(of: lanes.map(\.status))
        let results = lanes.compactMap(\.result)
        result =
            lanes.count == 1
            ? results.first
            : status == .finished && results.count == lanes.count ? Self.mean(of: results, over: piece) : nil
        falseStarts = lanes.reduce(0) { $0 + $1.falseStarts }
        members = lanes.map { Member(name: $0.name ?? "", status: $0.status, result: $0.result) }
    }

    /// A team has finished when all its ergs have; if one of them cannot any more, the team did not finish.
    private static func status(of ergs: [RaceLane.Status]) -> RaceLane.Status {
        if let first = ergs.first, ergs.allSatisfy({ $0 == first }) { return first }
        let isOpen = ergs.contains { $0 == .waiting || $0 == .armed || $0 == .rowing }
        guard isOpen else { return .didNotFinish }
        let hasStarted = ergs.contains { $0 == .rowing || $0 == .finished }
        return hasStarted ? .rowing : .waiting
    }

    /// The mean of results, rounded to the precision of a monitor.
    private static func mean(of results: [RaceResult], over piece: RaceSettings.Piece) -> RaceResult {
        func mean(_ values: [Int64]) -> Int64 {
            (values.reduce(0, +) + Int64(values.count) / 2) / Int64(values.count)
        }
        func meanOfAll(_ value: KeyPath<RaceResult, Int64?>) -> Int64? {
            let values = results.compactMap { $0[keyPath: value] }
            return values.count == results.count ? mean(values) : nil
        }
        let (time, distance) = (mean(results.map(\.centiseconds)), mean(results.map(\.decimeters)))
        var result = RaceResult(
            session: "", revision: results.map(\.revision).max() ?? 1, isComplete: true, centiseconds: time,
            decimeters: distance)
        result.paceCentiseconds = distance > 0 ? (time * 5000 + distance / 2) / distance : nil
        result.watts = meanOfAll(\.watts)
        result.strokeRate = meanOfAll(\.strokeRate)
        let machines = Set(results.map(\.machineType))
        result.machineType = machines.count == 1 ? results[0].machineType : nil
        let verified = results.map(\.isVerified)
        result.isVerified =
            verified.contains(false) ? false : verified.allSatisfy { $0 == true } ? true : nil
        return result
    }
}

extension Race {
    /// Whether the lanes are the ergs of teams.
    var hasTeams: Bool { lanes.contains { $0.team != nil } }

    /// The teams in the order of the results, with the places of the finishers; empty without teams.
    var teamResults: [(place: Int?, team: RaceTeam)] {
        guard hasTeams else { return [] }
        var entries: [String] = []
        for lane in lanes {
            if let entry = lane.entry, !entries.contains(entry) { entries.append(entry) }
        }
        let teams = entries.map { team(of: $0) }.compactMap(\.self)
        return RaceRanking.places(
            of: teams.map { ($0.status.sortOrder, $0.status == .finished, $0.result) }, over: settings.piece
        ).map { (place: $0.place, team: teams[$0.index]) }
    }

    /// The ergs of an entry; nil if it is not in the race.
    func team(of entry: String) -> RaceTeam? {
        let lanes = lanes.filter { $0.entry == entry }
        return lanes.isEmpty ? nil : RaceTeam(entry, lanes, over: settings.piece)
    }
}
