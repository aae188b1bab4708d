import Bests
import Club
import HostRuntime
import TestSupport
import Testing
import Timeline
import Training

@testable import Contract
@testable import Logbook
@testable import LogbookStores
@testable import MQTTClient

/// Stored session metrics, compared with those computed from the records.
@Suite struct SessionMetricsUpdaterTests {
    private let fixture: InterfaceFixture
    private let history = AthleteHistory(in: .utc)
    private var traffic = Traffic()

    init() throws { fixture = try InterfaceFixture() }

    private static func id(_ number: Int) -> String { "01J7ZK3Q5XQ4W8G9T2V6B0C1\(number + 10)" }

    private func name(_ number: Int) -> SessionName {
        SessionName(gateway: traffic.gateway, session: Self.id(number))
    }

    /// An updater, by default after the end of the quarter with the sessions.
    private func updater(_ runtime: any Runtime = AdvancedClock.aYearLater) -> SessionMetricsUpdater {
        SessionMetricsUpdater(writer: fixture.writer, history: history, runtime: runtime)
    }

    private func decide(_ number: Int, _ state: SessionState) throws {
        var batch = StoreBatch(now: 1_788_627_100_000)
        batch.states[name(number)] = state
        _ = try fixture.store.commit(batch)
    }

    /// Checks all sessions and computes those without metrics.
    private func updateAll() throws {
        let updater = updater()
        updater.beginCheckIfDue()
        while try updater.step(in: fixture.store) {}
    }

    /// All values that answers get from metrics.
    private struct Answers: Equatable {
        var pieces: [[PieceTraining]] = []
        var sessions: [ClubSession] = []
    }

    private func answers() throws -> Answers {
        let store = fixture.store
        let club = ClubHistory(history)
        let list = try club.list(for: SeasonPeriod(Season(year: 2027), today: Self.today), in: store)
        return Answers(
            pieces: try store.athletes(after: nil, limit: 99).map {
                try history.pieces(of: $0.slug, in: store).pieces
            }, sessions: try club.sessions(of: list, in: store))
    }

    private static let today = CalendarDay(year: 2026, month: 11, day: 28)

    private func storedQuarters() throws -> Int64? {
        try fixture.store.database.number("SELECT count(*) FROM club_quarter")
    }

    private func removeAllMetrics() throws {
        try fixture.store.database.run("DELETE FROM session_metrics", [])
    }

    /// Whatever happens in whatever order, and whenever the metrics are stored, the answers are those from the records.
    @Test(arguments: 0..<6)
    mutating func storedMetricsEqualComputedOnes(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var messages: [Traffic.Message] = []
        for number in 0..<12 {
            let athlete = ["anna", "ben", "carl"].randomElement(using: &random) ?? ""
            messages += traffic.piece(
                Self.id(number), hour: number / 3, [100, 500, 700].randomElement(using: &random) ?? 0,
                by: athlete)
        }
        messages.shuffle(using: &random)
        var (stored, storedQuarters) = (0, 0)
        for _ in 0..<60 {
            let number = Int.random(in: 0..<12, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let count = min(messages.count, Int.random(in: 1...200, using: &random))
                try fixture.save(Array(messages.prefix(count)))
                messages.removeFirst(count)
            case 2:
                try decide(
                    number, [.verified, .verified, .gone, .differs, .missing].randomElement(using: &random)!)
            case 3: _ = try fixture.store.correct(name(number), to: .corrected("dora"), at: 5, by: nil)
            default: try updateAll()
            }
            if Bool.random(using: &random) { try updateAll() }
            let found = try answers()
            if try self.storedQuarters() == 1 { storedQuarters += 1 }
            for entry in try fixture.store.sessionMetrics.list(version: PieceTraining.version)
            where entry.hasMetrics {
                stored += 1
                let session = try #require(try fixture.store.session(entry.name))
                let metrics = try history.metrics(of: session, in: fixture.store)
                let body = try fixture.store.sessionMetrics.body(
                    of: entry.name, version: PieceTraining.version)
                #expect(metrics.body == body && metrics.summary == entry.summary)
            }
            if Int.random(in: 0..<4, using: &random) == 0 {
                try removeAllMetrics()
                #expect(try answers() == found)
            }
        }
        #expect(stored > 0 && storedQuarters > 0)
    }

    @Test mutating func aNewVersionIsComputedAgain() throws {
        for number in 0..<8 {
            try fixture.save(traffic.piece(Self.id(number), hour: number, 100, by: "anna"))
            if number < 7 { try decide(number, .verified) }
        }
        try updateAll()
        let store = fixture.store
        let count = "SELECT count(*) FROM session_metrics WHERE version = \(PieceTraining.version)"
        #expect(try store.database.number(count) == 8)
        let expected = try answers()
        // As a program with other formulas has written them.
        try store.database.run("UPDATE session_metrics SET version = 99, body = ?", [.bytes([7])])
        #expect(try answers() == expected)
        try updateAll()
        #expect(try store.database.number(count) == 8 && answers() == expected)
    }

    /// The present quarter changes all the time, and a quarter with sessions that are not computed is not known.
    @Test mutating func quartersAreStoredWhenTheyAreCompleteAndOver() throws {
        try fixture.save(traffic.piece(Self.id(1), hour: 1, 100, by: "anna"))
        try updateAll()
        #expect(try storedQuarters() == 1)
        let club = ClubHistory(history)
        let quarter = ClubQuarter(of: 1_788_627_000_000)
        for (now, isStored) in [
            (quarter.instants.upperBound - 1, false), (quarter.instants.upperBound, true),
        ] {
            try fixture.store.database.run("DELETE FROM club_quarter", [])
            #expect(try club.storeNextQuarter(before: now, in: fixture.store) == isStored)
            #expect(try storedQuarters() == (isStored ? 1 : 0))
        }
        // Of a club in another time zone.
        let other = ClubHistory(AthleteHistory(in: ClubCalendar(name: "Other/Zone", .utc)))
        let period = SeasonPeriod(Season(year: 2027), today: Self.today)
        #expect(try club.list(for: period, in: fixture.store).others.isEmpty)
        #expect(try other.list(for: period, in: fixture.store).others.count == 1)
        #expect(try other.storeNextQuarter(before: quarter.instants.upperBound, in: fixture.store))
        #expect(try storedQuarters() == 1 && club.list(for: period, in: fixture.store).others.count == 1)
        try removeAllMetrics()
        #expect(try storedQuarters() == 0)
        #expect(try !club.storeNextQuarter(before: quarter.instants.upperBound, in: fixture.store))
    }

    @Test mutating func computesInTheBackground() async throws {
        let clock = AdvancedClock()
        let updater = updater(clock)
        for number in 0..<8 {
            try fixture.save(traffic.piece(Self.id(number), hour: number, 100, by: "anna"))
            try decide(number, .verified)
        }
        let store = fixture.store
        func stored() throws -> Int64? { try store.database.number("SELECT count(*) FROM session_metrics") }
        clock.advance(by: 366 * 86_400)
        updater.tick()
        #expect(await eventually { (try? stored()) == 8 && (try? storedQuarters()) == 1 })
        try decide(3, .differs)
        #expect(try stored() == 7)
        #expect(try storedQuarters() == 0)
        updater.sessionsChanged([name(3), name(3)])
        #expect(await eventually { (try? stored()) == 8 && (try? storedQuarters()) == 1 })
        // Another process changed sessions: the next check finds them, hours later or soon after a removal.
        for isRemoval in [false, true] {
            try removeAllMetrics()
            if isRemoval { updater.recordsRemoved() }
            updater.tick()
            #expect(try stored() == 0)
            clock.advance(
                by: Int(
                    (isRemoval
                        ? SessionMetricsUpdater.removalCheckInterval : SessionMetricsUpdater.checkInterval)
                        / .seconds(1)))
            updater.tick()
            #expect(await eventually { (try? stored()) == 8 })
        }
    }
}
