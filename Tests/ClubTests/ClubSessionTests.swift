import Bests
import Contract
import People
import TestSupport
import Testing
import Timeline

@testable import Club

/// Sessions as a store keeps them.
@Suite struct ClubSessionTests {
    private static let athletes = ["anna", "ben", "carl", "dora"]

    /// Sessions of four seasons, some of them ranked, some without an athlete, and some on unknown machines.
    private static func sessions(_ count: Int, using random: inout SeededGenerator) -> [ClubSession] {
        let first = CalendarDay(year: 2023, month: 4, day: 20)
        return (0..<count).map { number in
            let erg = ClubSession.Erg(
                gateway: GatewayID(["boathouse", "annex"].randomElement(using: &random)!)!,
                station: StationID("erg-\(Int.random(in: 1...3, using: &random))")!)
            let day = first.advanced(by: .random(in: 0...1320, using: &random))
            let ranked: ClubSession.Ranked? =
                Bool.random(using: &random)
                ? .init(
                    event: [.metres(2000), .metres(500), .seconds(1800)].randomElement(using: &random)!,
                    session: "01J7ZK3Q5XQ4W8G9T2V6B0C1\(number % 90 + 10)",
                    startedAt: day.number * 86_400_000 + Int64(number)) : nil
            return ClubSession(
                at: erg,
                by: Int.random(in: 0..<9, using: &random) == 0
                    ? nil : Self.athletes.randomElement(using: &random), on: day,
                total: WorkPoint(
                    centiseconds: .random(in: 40_000...42_000, using: &random), decimetres: 20_000),
                machine: Int.random(in: 0..<3, using: &random) == 0
                    ? nil : MachineKind.allCases.randomElement(using: &random),
                ranked: ranked)
        }
    }

    private static func decode(_ bytes: [UInt8]) -> [ClubSession]? {
        var sessions: [ClubSession] = []
        let isRead = ClubSession.append(bytes, to: &sessions)
        #expect(isRead || sessions.isEmpty)
        return isRead ? sessions : nil
    }

    @Test(arguments: 0..<20)
    func decodesWhatWasEncoded(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let sessions = Self.sessions(Int(seed) * 7, using: &random)
        let bytes = ClubSession.encode(sessions)
        #expect(Self.decode(bytes) == sessions)
        var more = sessions
        #expect(ClubSession.append(bytes, to: &more) && more == sessions + sessions)
        #expect(bytes.count < 500 + 60 * sessions.count)
        // Damaged bytes are refused, or are other sessions.
        for _ in 0..<200 where !bytes.isEmpty {
            var damaged = bytes
            damaged[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            _ = Self.decode(damaged)
            #expect(sessions.isEmpty || Self.decode(Array(bytes.dropLast())) == nil)
        }
    }

    /// An overview needs only the selected sessions of quarters without a counted day.
    @Test(arguments: 0..<40)
    func selectedSessionsAreEnoughForOtherSeasons(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let sessions = Self.sessions(.random(in: 1...400, using: &random), using: &random)
        let today = try #require(sessions.map(\.day).max())
        let quarters = Dictionary(grouping: sessions) { $0.day.number / 91 }.values
        let people = try [
            ClubFixture.athlete("anna", gender: .female, born: 2006),
            ClubFixture.athlete("ben", gender: .male, born: 1995, .lightweight),
            ClubFixture.athlete("dora", isArchived: true), ClubFixture.athlete("never"),
        ]
        let others = Set(sessions.compactMap(\.athlete)).subtracting(people.map(\.id)).sorted()
        let athletes = people + others.map { ClubAthlete(id: $0) }
        func machine(_ gateway: GatewayID, _ station: StationID) -> MachineKind? {
            station.slug == "erg-1" ? .ski : nil
        }
        for year in [Int64(0), 2023, 2024, 2025, 2026, 2027] {
            let period = SeasonPeriod(year > 0 ? Season(year: year) : nil, today: today)
            func overview(_ sessions: [ClubSession]) -> SeasonOverview {
                let assumed = sessions.map { session in
                    var session = session
                    session.machine = session.machine ?? machine(session.erg.gateway, session.erg.station)
                    return session
                }
                return SeasonOverview(of: assumed, by: athletes, in: [], only: nil, period)
            }
            let needed = quarters.flatMap { quarter in
                quarter.contains { period.countedDays.contains($0.day) }
                    ? quarter : ClubSession.selected(from: quarter)
            }
            #expect(overview(needed) == overview(sessions), "season \(year)")
            #expect(needed.count <= sessions.count)
        }
        #expect(
            ClubSession.selected(from: ClubSession.selected(from: sessions))
                == ClubSession.selected(from: sessions))
    }
}
