import Contract
import Foundation
import HTTPClient
import HostRuntime
import LogbookStores
import People
import TestSupport
import Testing
import Timeline

@testable import Logbook
@testable import Plans
@testable import Uploads
@testable import WebServer

/// Planned workouts of intervals.icu become plans of their athletes; the service behaves as documented.
@Suite(.timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed && PythonPackage.hasTrainingFiles))
struct PlannedWorkoutReaderTests {
    private let services: UploadServicesProcess
    private let fixture: InterfaceFixture
    private let clock = AdvancedClock()
    private let reader: PlannedWorkoutReader
    private let uploads: UploadService

    private static let path = "/intervals/api/v1/athlete/0/events"
    private static let account = "/me/uploads/intervals_icu"
    private static let plan = "/plans/\(IntervalsPlan.id(of: InterfaceFixture.athlete))"

    init() async throws {
        services = try await UploadServicesProcess()
        fixture = try InterfaceFixture(clock: clock, uploads: services.prepared())
        uploads = try #require(fixture.uploads)
        reader = uploads.planReader()
    }

    private func connect(key: String = "icu-key") async throws {
        let answer = await fixture.answer(Self.account, as: .athlete, .post, body: #"{"key":"\#(key)"}"#)
        guard case .content = answer else { throw TestSupportError("\(answer)") }
    }

    /// Connects another athlete, who is the service's second user.
    private func connectBen() async throws {
        let tokens = try await services.control("token", ["service": "intervals", "user": 2])
        let credentials = UploadCredentials.tokens(
            OAuthTokens(access: try #require(tokens["access_token"] as? String)))
        let vault = services.prepared().vault
        try fixture.store.uploadAccounts.save(
            StoredUploadAccount(
                athlete: "ben", destination: "intervals_icu", label: "Ben",
                secret: vault.encrypted(credentials, of: "ben", at: .intervalsICU), since: 1))
    }

    private func day(_ number: Int64) -> String {
        ClubCalendar.utc.day(of: clock.unixMilliseconds()).advanced(by: number).text
    }

    private func event(_ id: Int, on day: String, _ name: String, steps: [[String: Any]]) -> [String: Any] {
        [
            "id": id, "category": "WORKOUT", "type": "Rowing", "start_date_local": "\(day)T00:00:00",
            "name": name, "description": "as the coach wrote it", "workout_doc": ["steps": steps],
        ]
    }

    private func plan(_ events: [[String: Any]], user: Int = 1) async throws {
        try await services.control("events", ["user": user, "events": events])
    }

    /// Reads all accounts whose time has come.
    private func read() async {
        // Two readings of the time may differ by a millisecond in either direction.
        clock.advance(by: 1)
        while await reader.step() {}
    }

    private func requests() async throws -> [String] { try await services.requests(below: Self.path) }

    private func workouts() async throws -> [[String: String]] {
        try await fixture.object(Self.plan, as: .athlete)["workouts"] as? [[String: String]] ?? []
    }

    private func slugs() throws -> [String] { try fixture.store.plans().map(\.slug) }

    private func problem() throws -> String? {
        try fixture.store.uploadAccounts.all(of: InterfaceFixture.athlete).first?.problem
    }

    @Test func aPlanAppearsChangesAndDisappears() async throws {
        let day = day(2)
        let rest: [String: Any] = ["duration": 60, "intensity": "rest"]
        let pace: [String: Any] = ["start": 85, "end": 90, "units": "%pace"]
        let resolved: [String: Any] = ["start": 500.0 / 115, "end": 500.0 / 110]
        let work: [String: Any] = ["distance": 500, "duration": 113, "pace": pace, "_pace": resolved]
        let other = event(4, on: self.day(15), "After two weeks", steps: [["duration": 600]])
        let first = event(3, on: day, "Intervals", steps: [["reps": 4, "steps": [work, rest]]])
        try await plan([first, other])
        await read()
        #expect(try await requests() == [], "nobody is connected")
        try await connect()
        await read()
        #expect(
            try await workouts() == [
                [
                    "id": "icu-3", "day": day, "workout": "4x500m/1:00r@1:50-1:55", "machine": "rower",
                    "name": "Intervals", "note": "as the coach wrote it",
                ]
            ])
        let stored = try await fixture.object(Self.plan)
        #expect(stored["title"] as? String == "intervals.icu: zoe")
        #expect((stored["group"] as? [String: Any])?["athletes"] as? [String] == ["zoe"])
        let changed = stored["changed_ms"] as? Int

        // Not more than once an hour, also after another connection.
        try await plan([event(3, on: self.day(3), "Longer", steps: [["distance": 6000]])])
        clock.advance(by: 3590)
        try await connect()
        await read()
        #expect(try await requests() == ["GET 200"])
        clock.advance(by: 20)
        await read()
        #expect(try await workouts().map { $0["workout"] } == ["6000m"])
        clock.advance(by: 3610)
        await read()
        let same = try await fixture.object(Self.plan)["changed_ms"] as? Int
        clock.advance(by: 3610)
        await read()
        #expect(try await fixture.object(Self.plan)["changed_ms"] as? Int == same && same != changed)
        #expect(try await requests().count == 4)

        guard case .json = await fixture.answer(Self.account, as: .athlete, .delete) else {
            throw TestSupportError("not disconnected")
        }
        #expect(try slugs() == [])
        clock.advance(by: 3610)
        await read()
        #expect(try await requests().count == 4)
    }

    @Test func anEmptyCalendarIsNoPlan() async throws {
        try await connect()
        await read()
        #expect(try slugs() == [])
        try await plan([event(1, on: day(1), "Easy", steps: [["duration": 1800]])])
        clock.advance(by: 3610)
        await read()
        #expect(try slugs().count == 1)
        try await plan([])
        clock.advance(by: 3610)
        await read()
        #expect(try slugs() == [])
    }

    @Test(arguments: ["key", "token"])
    func accessThatIsNotAcceptedIsAProblem(_ kind: String) async throws {
        try await plan([event(1, on: day(1), "Easy", steps: [["duration": 1800]])])
        try await connect()
        await read()
        if kind == "key" {
            try await services.control("key", ["key": "another"])
        } else {
            // The athlete did not permit to read the calendar.
            let tokens = try await services.control(
                "token", ["service": "intervals", "scope": "ACTIVITY:WRITE"])
            let credentials = UploadCredentials.tokens(
                OAuthTokens(access: try #require(tokens["access_token"] as? String)))
            var account = try #require(try fixture.store.uploadAccounts.all().first)
            account.secret = services.prepared().vault.encrypted(
                credentials, of: account.athlete, at: .intervalsICU)
            try fixture.store.uploadAccounts.update(account)
        }
        clock.advance(by: 3610)
        await read()
        #expect(try problem() == "Access denied")
        #expect(try slugs().count == 1, "the plan stays as it was")
        for _ in 0..<3 {
            clock.advance(by: 3610)
            await read()
        }
        #expect(try await requests() == ["GET 200", "GET 403"])
        try await connect(key: kind == "key" ? "another" : "icu-key")
        await read()
        #expect(try problem() == nil)
        #expect(try await requests() == ["GET 200", "GET 403", "GET 200"])
    }

    @Test func otherPlansStayAsTheyAre() async throws {
        let coachs = ["intervals-icu", "intervals-icu-zoe", "intervals-icu-0123456789abcdef0", "winter"]
        for id in coachs {
            let body = """
                {"title":"intervals.icu","group":{"athletes":["zoe"]},
                "workouts":[{"day":"2026-12-01","workout":"2000m"}]}
                """
            guard case .content = await fixture.answer("/plans/\(id)/set", .post, body: body) else {
                throw TestSupportError("\(id) was not stored")
            }
        }
        let before = try fixture.store.plans()
        try await plan([event(1, on: day(1), "Easy", steps: [["duration": 1800]])])
        try await plan([event(1, on: day(1), "Hard", steps: [["distance": 2000]])], user: 2)
        try await connect()
        try await connectBen()
        await read()
        let bens = IntervalsPlan.id(of: "ben")
        #expect(try Set(slugs()) == Set(coachs + [IntervalsPlan.id(of: "zoe"), bens]))
        let listed = try await fixture.object("/plans")["plans"] as? [[String: Any]] ?? []
        #expect(
            listed.prefix(4).compactMap { $0["id"] as? String } == coachs.sorted(), "people's plans are first"
        )
        #expect(await fixture.refusal("/plans/\(bens)", as: .athlete)?.status == "404 unknown_plan")
        let refusal = await fixture.refusal("/plans/\(bens)/set", .post, body: #"{"title":"mine"}"#)
        #expect(refusal?.status == "400 bad_value" && refusal?.message.contains("intervals.icu") == true)
        let ben = try fixture.store.plans().first { $0.slug == bens }
        #expect(ben.map { String(decoding: $0.body, as: UTF8.self) }?.contains("2000m") == true)

        _ = await fixture.answer(Self.account, as: .athlete, .delete)
        clock.advance(by: 3610)
        await read()
        #expect(try fixture.store.plans().filter { coachs.contains($0.slug) } == before)
        #expect(try fixture.store.plans().filter { !coachs.contains($0.slug) } == [try #require(ben)])
    }

    @Test func failuresWaitForTheNextHour() async throws {
        try await plan([event(1, on: day(1), "Easy", steps: [["duration": 1800]])])
        try await connect()
        await read()
        let plans = try fixture.store.plans()
        let failures: [[String: Any]] = [
            ["status": 503], ["close": true], ["status": 200, "body": "[{"], ["status": 200, "body": "{}"],
            ["status": 200, "body": String(repeating: "[", count: 100_000)], ["status": 404],
        ]
        for failure in failures {
            let path: [String: Any] = ["path_prefix": Self.path, "count": 1]
            try await services.control("next", path.merging(failure) { $1 })
            clock.advance(by: 3610)
            let count = try await requests().count
            await read()
            await read()
            #expect(try await requests().count == count + 1, "\(failure)")
            #expect(try problem() == nil && fixture.store.plans() == plans, "\(failure)")
        }
        // The service asks for three hours.
        try await services.control(
            "next",
            ["path_prefix": Self.path, "count": 1, "status": 429, "headers": ["Retry-After": "10800"]])
        clock.advance(by: 3610)
        await read()
        let count = try await requests().count
        clock.advance(by: 7000)
        await read()
        #expect(try await requests().count == count)
        clock.advance(by: 3900)
        await read()
        #expect(try await requests().count == count + 1)
    }

    @Test func aRestartDoesNotReadAgain() async throws {
        try await connect()
        await read()
        clock.advance(by: 1000)
        let restarted = uploads.planReader()
        #expect(await !restarted.step())
        #expect(try await requests().count == 1)
        clock.advance(by: 2700)
        #expect(await restarted.step())
        #expect(try await requests().count == 2)
    }

    @Test func plansOfPeopleLeaveRoom() async throws {
        for number in 0..<PlanRepository.maximumPlans {
            try PlanRepository.save(TrainingPlan(id: "plan-\(number)", []), at: 1, in: fixture.store)
        }
        try await plan([event(1, on: day(1), "Easy", steps: [["duration": 1800]])])
        try await connect()
        await read()
        #expect(try slugs().count == PlanRepository.maximumPlans + 1)
        _ = try fixture.store.removePlan("plan-0")
        #expect(await fixture.refusal("/plans/plan-0/set", .post, body: "{}") == nil)
        #expect(await fixture.refusal("/plans/other/set", .post, body: "{}")?.status == "409 too_many_plans")
    }

    /// An athlete disconnects, or is erased, while the service answers.
    @Test func anAnswerAfterTheEndIsForgotten() async throws {
        try await connect()
        let (writer, day) = (fixture.writer, day(1))
        let reader = uploads.planReader { _ throws(HTTPFailure) in
            _ = try? await writer.result { store in
                try IntervalsPlan.removeWithAccount(of: InterfaceFixture.athlete, in: store)
            }
            let event = #"[{"id":1,"type":"Rowing","name":"Easy","start_date_local":"\#(day)T07:00:00"}]"#
            return HTTPAnswer(status: 200, body: Array(event.utf8))
        }
        #expect(await reader.step())
        #expect(try slugs() == [] && fixture.store.uploadAccounts.all() == [])
    }

    @Test func erasureRemovesThePlan() async throws {
        try await plan([event(1, on: day(1), "Easy", steps: [["duration": 1800]])])
        try await connect()
        await read()
        #expect(try slugs().count == 1)
        try PlanRepository.removeFromGroups("zoe", at: 5, in: fixture.store)
        #expect(try slugs() == [])
        clock.advance(by: 3610)
        await read()
        #expect(try slugs().count == 1, "the account is still there")
        try IntervalsPlan.removeWithAccount(of: "zoe", in: fixture.store)
        #expect(try slugs() == [])
    }

    @Test func aMergedAthleteHasOnePlan() async throws {
        try await plan([event(1, on: day(1), "Easy", steps: [["duration": 1800]])])
        try await plan([event(1, on: day(1), "Hard", steps: [["distance": 2000]])], user: 2)
        try await connect()
        try await connectBen()
        await read()
        for athlete in ["ben", "zoe"] {
            try PeopleRepository.save(AthleteProfile(id: athlete, name: athlete), at: 1, in: fixture.store)
        }
        _ = try MergeRepository.merge(
            "ben", into: "zoe", at: clock.unixMilliseconds(), by: nil, in: fixture.store)
        clock.advance(by: 3610)
        await read()
        #expect(try slugs() == [IntervalsPlan.id(of: "zoe")])
        #expect(try await workouts().map { $0["name"] } == ["Easy"])
    }

    @Test func pastDaysStayForTheAdherence() throws {
        let today = CalendarDay("2026-12-30")!
        func workout(_ id: String, _ day: String) throws -> PlannedWorkout {
            try PlannedWorkout(id: id, day: day, workout: "2000m")
        }
        let id = IntervalsPlan.id(of: "zoe")
        let former = try TrainingPlan(
            id: id,
            [
                workout("icu-1", "2026-12-01"), workout("icu-2", "2026-12-02"),
                workout("icu-3", "2026-12-29"),
                workout("icu-4", "2026-12-29"), workout("icu-5", "2026-12-30"),
                workout("icu-6", "2027-01-02"),
            ])
        let plan = try IntervalsPlan.plan(
            id, for: "zoe", named: "zoe", [workout("icu-4", "2026-12-31")], replacing: former, today: today)
        #expect(plan?.workouts.map(\.id) == ["icu-2", "icu-3", "icu-4"])
        #expect(try IntervalsPlan.plan(id, for: "zoe", named: "zoe", [], replacing: nil, today: today) == nil)
    }

    @Test func idsAreReserved() {
        for athlete in ["zoe", "Z o e", String(repeating: "x", count: 64)] {
            let id = IntervalsPlan.id(of: athlete)
            #expect(Slug.isValid(id) && IntervalsPlan.isID(id), "\(id)")
        }
        for id in ["intervals-icu", "intervals-icu-", "intervals-icu-zoe", "winter"] {
            #expect(!IntervalsPlan.isID(id))
        }
    }
}
