import Bests
import Bytes
import Contract
import Timeline

/// A session as a store keeps it for the statistics of the club, in about fifteen bytes.
package struct StoredClubSession: Equatable, Sendable {
    package struct Erg: Hashable, Sendable {
        package let gateway: GatewayID
        package let station: StationID

        package init(gateway: GatewayID, station: StationID) {
            (self.gateway, self.station) = (gateway, station)
        }
    }

    /// A ranked result.
    package struct Ranked: Equatable, Sendable {
        package var event: RankedEvent
        /// The ULID of the session.
        package var session: String
        /// Unix milliseconds.
        package var startedAt: Int64

        package init(event: RankedEvent, session: String, startedAt: Int64) {
            (self.event, self.session, self.startedAt) = (event, session, startedAt)
        }
    }

    package var erg: Erg
    /// An athlete id; nil for a session without an athlete.
    package var athlete: String?
    /// The club's day on which it began.
    package var day: CalendarDay
    /// Work time and distance.
    package var total: WorkPoint
    /// nil if the records do not name it.
    package var machine: MachineKind?
    /// nil if it is not a ranked result.
    package var ranked: Ranked?

    package init(
        at erg: Erg, by athlete: String?, on day: CalendarDay, total: WorkPoint, machine: MachineKind?,
        ranked: Ranked?
    ) {
        (self.erg, self.athlete, self.day, self.total) = (erg, athlete, day, total)
        (self.machine, self.ranked) = (machine, ranked)
    }

    private var rankedResult: ClubSession.Ranked? {
        ranked.map { ranked in
            ClubSession.Ranked(
                ranked.event, of: PieceName(gateway: erg.gateway, session: ranked.session), total: total,
                startedAt: ranked.startedAt)
        }
    }

    /// The session as it counts; nil without an athlete.
    ///
    /// - Parameter machine: returns the machine now at an erg, for sessions whose records do not name their machine;
    ///   nil if unknown, which counts as a RowErg.
    package func counted(machine: (GatewayID, StationID) -> MachineKind?) -> ClubSession? {
        guard let athlete else { return nil }
        return ClubSession(
            by: athlete, on: day, machine: self.machine ?? machine(erg.gateway, erg.station) ?? .rower,
            total: total, ranked: rankedResult)
    }

    // MARK: Selection

    /// The sessions that statistics of other seasons need: the first one, the last one of each athlete in each season,
    /// and the best ranked ones of each athlete, machine, event and calendar year.
    package static func selected(from sessions: [Self]) -> [Self] {
        struct Best: Hashable {
            let athlete: String
            /// nil for a recorded machine.
            let erg: Erg?
            let machine: MachineKind?
            let event: RankedEvent
            let year: Int64
        }
        struct Stay: Hashable {
            let athlete: String
            let season: Season
        }
        var bests: [Best: (index: Int, result: ClubSession.Ranked)] = [:]
        var last: [Stay: Int] = [:]
        var first: Int?
        for (index, session) in sessions.enumerated() {
            guard let athlete = session.athlete else { continue }
            if first.map({ session.day < sessions[$0].day }) ?? true { first = index }
            let stay = Stay(athlete: athlete, season: Season(of: session.day))
            if last[stay].map({ session.day > sessions[$0].day }) ?? true { last[stay] = index }
            guard let result = session.rankedResult else { continue }
            let best = Best(
                athlete: athlete, erg: session.machine == nil ? session.erg : nil, machine: session.machine,
                event: result.event, year: session.day.year)
            if bests[best].map({ result.replaces($0.result) }) ?? true { bests[best] = (index, result) }
        }
        var chosen = Set(bests.values.map(\.index)).union(last.values)
        if let first { chosen.insert(first) }
        return chosen.sorted().map { sessions[$0] }
    }

    // MARK: Coding

    /// The version of the bytes.
    package static let version = 1

    package static func encode(_ sessions: [Self]) -> [UInt8] {
        ByteCoder.bytes { coder in
            var coding = Coding(sessions)
            coding.code(with: &coder)
        }
    }

    /// Returns nil for damaged bytes.
    package static func decode(_ bytes: [UInt8]) -> [Self]? {
        ByteCoder.read(bytes) { coder in
            var coding = Coding([])
            coding.code(with: &coder)
            return coding.sessions
        }
    }
}

/// The bytes of sessions: the athletes and ergs once, then the sessions, which name them by their positions.
private struct Coding {
    var sessions: [StoredClubSession]
    private var athletes: [String]
    private var ergs: [StoredClubSession.Erg]
    private var athleteIndex: [String: Int] = [:]
    private var ergIndex: [StoredClubSession.Erg: Int] = [:]

    init(_ sessions: [StoredClubSession]) {
        self.sessions = sessions
        athletes = Set(sessions.compactMap(\.athlete)).sorted()
        ergs = Set(sessions.map(\.erg)).sorted {
            ($0.gateway.slug, $0.station.slug) < ($1.gateway.slug, $1.station.slug)
        }
        for (index, athlete) in athletes.enumerated() { athleteIndex[athlete] = index }
        for (index, erg) in ergs.enumerated() { ergIndex[erg] = index }
    }

    mutating func code(with coder: inout ByteCoder) {
        coder.list(&athletes, blank: "") { $1.code(with: &$0) }
        var names = ergs.map { [$0.gateway.slug, $0.station.slug] }
        coder.list(&names, blank: ["", ""]) { coder, erg in
            erg[0].code(with: &coder)
            erg[1].code(with: &coder)
        }
        if coder.isReading {
            for name in names {
                guard let gateway = GatewayID(name[0]), let station = StationID(name[1]) else {
                    coder.refuse()
                    return
                }
                ergs.append(StoredClubSession.Erg(gateway: gateway, station: station))
            }
        }
        var coded = sessions.map(Optional.some)
        coder.list(&coded, blank: nil) { coder, session in
            if let session {
                write(session, to: &coder)
            } else {
                session = read(from: &coder)
                if session == nil { coder.refuse() }
            }
        }
        sessions = coded.compactMap(\.self)
    }

    private func write(_ session: StoredClubSession, to coder: inout ByteCoder) {
        coder.write(session.athlete.map { (athleteIndex[$0] ?? 0) + 1 } ?? 0)
        coder.write(ergIndex[session.erg] ?? 0)
        coder.write(session.day.number)
        coder.write(session.total.centiseconds)
        coder.write(session.total.decimetres)
        coder.write(session.machine.flatMap { MachineKind.allCases.firstIndex(of: $0) }.map { $0 + 1 } ?? 0)
        coder.write(session.ranked.map { $0.event.rank + 1 } ?? 0)
        guard let ranked = session.ranked else { return }
        coder.write(ranked.startedAt)
        coder.write(ranked.session)
    }

    private func read(from coder: inout ByteCoder) -> StoredClubSession? {
        let (athlete, erg): (Int, Int) = (coder.read(), coder.read())
        let day: Int64 = coder.read()
        let total = WorkPoint(centiseconds: coder.read(), decimetres: coder.read())
        let (machine, event): (Int, Int) = (coder.read(), coder.read())
        guard ergs.indices.contains(erg), (0...athletes.count).contains(athlete),
            (0...MachineKind.allCases.count).contains(machine), (0...RankedEvent.all.count).contains(event)
        else { return nil }
        var ranked: StoredClubSession.Ranked?
        if event > 0 {
            let startedAt: Int64 = coder.read()
            ranked = StoredClubSession.Ranked(
                event: RankedEvent.all[event - 1], session: coder.read(), startedAt: startedAt)
        }
        return StoredClubSession(
            at: ergs[erg], by: athlete > 0 ? athletes[athlete - 1] : nil, on: CalendarDay(number: day),
            total: total, machine: machine > 0 ? MachineKind.allCases[machine - 1] : nil, ranked: ranked)
    }
}
