import Bests
import Bytes
import Contract
import Timeline

/// A session as the statistics of a club count it. It is small, because a store has many sessions.
package struct ClubSession: Equatable, Sendable {
    package struct Erg: Hashable, Sendable {
        package let gateway: GatewayID
        package let station: StationID

        package init(gateway: GatewayID, station: StationID) {
            (self.gateway, self.station) = (gateway, station)
        }
    }

    /// A ranked result over an event, which is that of the whole session.
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

    /// Time, distance and instant of a ranked result, for comparisons.
    struct Score: ComparableResult {
        let centiseconds: Int64
        let decimetres: Int64
        let date: Int64
    }

    package var erg: Erg
    /// An athlete id; nil for a session without an athlete, which counts for nobody.
    package var athlete: String?
    /// The club's day on which it began; it counts for this day.
    package var day: CalendarDay
    /// Work time and distance.
    package var total: WorkPoint
    /// nil if the records do not name it; it then counts as a RowErg.
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

    var score: Score? {
        ranked.map {
            Score(centiseconds: total.centiseconds, decimetres: total.decimetres, date: $0.startedAt)
        }
    }

    /// The ranked result as it is shown.
    var result: EventResult? {
        ranked.map { ranked in
            EventResult(
                ranked: ranked.event, of: PieceName(gateway: erg.gateway, session: ranked.session),
                total: total, startedAt: ranked.startedAt)
        }
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
        var bests: [Best: (index: Int, score: Score)] = [:]
        var last: [Stay: Int] = [:]
        var first: Int?
        for (index, session) in sessions.enumerated() {
            guard let athlete = session.athlete else { continue }
            if first.map({ session.day < sessions[$0].day }) ?? true { first = index }
            let stay = Stay(athlete: athlete, season: Season(of: session.day))
            if last[stay].map({ session.day > sessions[$0].day }) ?? true { last[stay] = index }
            guard let event = session.ranked?.event, let score = session.score else { continue }
            let best = Best(
                athlete: athlete, erg: session.machine == nil ? session.erg : nil, machine: session.machine,
                event: event, year: session.day.year)
            if bests[best].map({ score.replaces($0.score) }) ?? true { bests[best] = (index, score) }
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
            var names = Names(of: sessions)
            names.code(with: &coder)
            coder.write(sessions.count)
            for session in sessions { names.write(session, to: &coder) }
        }
    }

    /// Appends the sessions of these bytes. Returns false for damaged bytes, and appends nothing.
    package static func append(_ bytes: [UInt8], to sessions: inout [Self]) -> Bool {
        let before = sessions.count
        let isRead = ByteCoder.read(bytes) { coder -> Bool? in
            var names = Names(of: [])
            names.code(with: &coder)
            let count: Int = coder.read()
            for _ in 0..<max(0, count) {
                guard !coder.isDamaged, let session = names.read(from: &coder) else { return nil }
                sessions.append(session)
            }
            return true
        }
        if isRead == nil { sessions.removeSubrange(before...) }
        return isRead != nil
    }
}

/// The athletes and ergs of coded sessions. They come first, and sessions name them by their positions.
private struct Names {
    private var athletes: [String]
    private var ergs: [ClubSession.Erg]
    private var athleteIndex: [String: Int] = [:]
    private var ergIndex: [ClubSession.Erg: Int] = [:]

    init(of sessions: [ClubSession]) {
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
        guard coder.isReading else { return }
        for name in names {
            guard let gateway = GatewayID(name[0]), let station = StationID(name[1]) else {
                coder.refuse()
                return
            }
            ergs.append(ClubSession.Erg(gateway: gateway, station: station))
        }
    }

    func write(_ session: ClubSession, to coder: inout ByteCoder) {
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

    /// Returns nil for damaged bytes.
    func read(from coder: inout ByteCoder) -> ClubSession? {
        let (athlete, erg): (Int, Int) = (coder.read(), coder.read())
        let day: Int64 = coder.read()
        let total = WorkPoint(centiseconds: coder.read(), decimetres: coder.read())
        let (machine, event): (Int, Int) = (coder.read(), coder.read())
        guard ergs.indices.contains(erg), (0...athletes.count).contains(athlete),
            (0...MachineKind.allCases.count).contains(machine), (0...RankedEvent.all.count).contains(event)
        else { return nil }
        var ranked: ClubSession.Ranked?
        if event > 0 {
            let startedAt: Int64 = coder.read()
            ranked = ClubSession.Ranked(
                event: RankedEvent.all[event - 1], session: coder.read(), startedAt: startedAt)
        }
        return ClubSession(
            at: ergs[erg], by: athlete > 0 ? athletes[athlete - 1] : nil, on: CalendarDay(number: day),
            total: total, machine: machine > 0 ? MachineKind.allCases[machine - 1] : nil, ranked: ranked)
    }
}
