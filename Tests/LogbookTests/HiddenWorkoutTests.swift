import Foundation
import TestSupport
import Testing
import Timeline

@testable import Logbook
@testable import LogbookStores
@testable import WebServer

/// Each role's answers about a planned workout that is hidden until a time.
@Suite struct HiddenWorkoutTests {
    private typealias Object = [String: Any]
    private let clock = AdvancedClock()
    private let fixture: InterfaceFixture
    /// The day of the hidden workout, the day after tomorrow.
    private let day: CalendarDay
    /// Texts that only the hidden workout has.
    private static let secrets = ["6000m", "_m\":6000", "6k", "1:50", "bike", "28 spm"]
    /// Everything that contains a planned workout.
    private static let addresses =
        ["", "/export?format=csv", "/export?format=ics", "/adherence", "/adherence?athlete_id=zoe"].map {
            "/plans/winter" + $0
        } + ["/plans", "/athletes/zoe/plans"]

    init() async throws {
        try await self.init(server: nil)
    }

    private init(server: String?) async throws {
        fixture = try InterfaceFixture(server: server, roomClock: clock)
        day = ClubCalendar.utc.day(of: clock.unixMilliseconds()).advanced(by: 2)
        let body = #"""
            {"group":{"athletes":["zoe"]},"workouts":[{"day":"\#(day.text)","workout":"500m","id":"open"},
            {"day":"\#(day.text)","workout":"6000m@1:50-1:55","machine":"bike","name":"6k test","note":"28 spm",
            "id":"secret","shown_from":"00:00"}]}
            """#
        guard case .content = await fixture.answer("/plans/winter/set", .post, body: body) else {
            throw TestSupportError("the plan is not stored")
        }
    }

    private func text(_ address: String, as role: Role) async -> String {
        guard case .content(_, let bytes, _) = await fixture.answer(address, as: role) else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func showsSecret(_ address: String, as role: Role) async -> Bool {
        let text = await text(address, as: role)
        return Self.secrets.contains { text.contains($0) }
    }

    private func check() async throws {
        let shown = Self.addresses.filter { $0 != "/plans" }
        for address in Self.addresses {
            #expect(await !text(address, as: .athlete).isEmpty, "\(address)")
            #expect(await !showsSecret(address, as: .athlete), "\(address)")
            for role in [nil, Role.wall, .room] {
                let refusal = await fixture.refusal(address, as: role)?.status
                #expect(refusal == (role == nil ? "401 not_signed_in" : "403 not_allowed"), "\(address)")
            }
        }
        for role in [Role.coach, .captain] {
            for address in shown { #expect(await showsSecret(address, as: role), "\(address)") }
        }
        let next = try await fixture.object("/athletes/zoe/plans", as: .athlete)["plans"] as? [Object]
        let workouts = next?.first?["next"] as? [Object] ?? []
        #expect(workouts.map { $0["id"] as? String } == ["open", "secret"])
        #expect(workouts.last as NSDictionary? == ["id": "secret", "day": day.text, "shown_from": "00:00"])
        let plan = try await fixture.object("/plans/winter", as: .coach)["workouts"] as? [Object]
        #expect(plan?.last?["shown_from"] as? String == "00:00" && plan?.last?["workout"] as? String != nil)

        clock.advance(by: 2 * 86_400)
        for address in shown { #expect(await showsSecret(address, as: .athlete), "\(address)") }
    }

    @Test func onlyCoachesSeeItBeforeItsTime() async throws { try await check() }

    @Test(.enabled(if: InstalledPrograms.areAllowed)) func onlyCoachesSeeItInPostgreSQL() async throws {
        let server = try await PrivatePostgreSQL.shared.value.makeDatabase()
        try await HiddenWorkoutTests(server: server).check()
    }

    @Test func otherAnswersOfAnAthleteContainNothingOfIt() async throws {
        for endpoint in Endpoint.allCases where endpoint.route.method == .get && endpoint.readsStore {
            let address = endpoint.route.path.dropFirst(Endpoint.root.count)
                .replacing("{athlete_id}", with: "zoe").replacing("{plan_id}", with: "winter")
            for role in [Role.wall, .room, .athlete] {
                let text = await text(String(address), as: role)
                #expect(!text.contains("6k test") && !text.contains("6000m@"), "\(address)")
            }
        }
    }

    @Test func aChangedDayMovesTheTime() async throws {
        let later = day.advanced(by: 7)
        let body = #"{"put":[{"id":"secret","day":"\#(later.text)","workout":"6000m","shown_from":"00:00"}]}"#
        _ = await fixture.answer("/plans/winter/set", .post, body: body)
        clock.advance(by: 8 * 86_400)
        #expect(await !showsSecret("/plans/winter", as: .athlete))
        clock.advance(by: 86_400)
        #expect(await showsSecret("/plans/winter", as: .athlete))
    }

    @Test func refusesWrongTimes() async throws {
        let body = #"{"put":[{"day":"2026-12-01","workout":"500m","shown_from":"18"}]}"#
        let refusal = await fixture.refusal("/plans/winter/set", .post, body: body)
        let message = #"put[1].shown_from: "18" is not a valid time; write it as"#
        #expect(refusal?.message.hasPrefix(message) == true, "\(refusal?.message ?? "")")
    }
}
