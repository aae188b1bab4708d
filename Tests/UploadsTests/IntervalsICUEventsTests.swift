import Bytes
import HTTPClient
import Plans
import Testing
import Timeline

@testable import Uploads

/// The planned workouts in an answer of intervals.icu.
@Suite struct IntervalsICUEventsTests {
    private let days = CalendarDay("2026-12-01")!...CalendarDay("2026-12-15")!

    private func events(_ text: String) -> IntervalsICUEvents? {
        IntervalsICUEvents(parsing: Array(text.utf8), on: days)
    }

    /// An event with some members replaced or added.
    private func event(_ changes: [String: String] = [:]) -> String {
        var members = [
            "id": "7", "category": #""WORKOUT""#, "type": #""Rowing""#,
            "start_date_local": #""2026-12-03T07:00:00""#, "name": #""Steady""#,
            "description": #""- 30m 75%""#, "workout_doc": #"{"steps":[{"duration":1800}]}"#,
        ]
        members.merge(changes) { $1 }
        return "{"
            + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
            + "}"
    }

    @Test func readsAnEvent() throws {
        let found = try #require(events("[\(event())]"))
        let expected = try PlannedWorkout(
            id: "icu-7", day: "2026-12-03", workout: "30:00", machine: "rower", name: "Steady",
            note: "- 30m 75%")
        #expect(found.workouts == [expected] && found.openWorkouts == 0 && found.leftOut == 0)
        #expect(events("[\(event(["type": #""VirtualRow""#, "category": "null"]))]")?.workouts == [expected])
    }

    @Test(arguments: [
        ["type": #""SkiErg""#], ["type": #""Ride""#], ["type": "null"], ["type": "5"],
        ["category": #""NOTE""#], ["category": "1"], ["hide_from_athlete": "true"],
        ["start_date_local": #""2026-11-30T07:00:00""#], ["start_date_local": #""2026-12-16T00:00:00""#],
    ])
    func ignoresOtherEvents(_ changes: [String: String]) throws {
        let found = try #require(events("[\(event(changes)),null,5,[]]"))
        #expect(found.workouts == [] && found.leftOut == 0)
    }

    @Test(arguments: [
        ["start_date_local": "null"], ["start_date_local": "5"], ["start_date_local": #""""#],
        ["start_date_local": #""2026-13-03T07:00:00""#], ["start_date_local": #""2026-12-03X""#],
        ["name": "null", "description": #"" \n ""#, "workout_doc": "null"],
    ])
    func countsEventsWithoutDayOrContent(_ changes: [String: String]) throws {
        let found = try #require(events("[\(event(changes))]"))
        #expect(found.workouts == [] && found.leftOut == 1)
    }

    @Test(arguments: [
        "null", "5", "[]", "{}", #"{"steps":null}"#, #"{"steps":[]}"#, #"{"steps":[{"duration":5}]}"#,
    ])
    func plansAJustRowWithTheDescription(_ document: String) throws {
        let found = try #require(events("[\(event(["workout_doc": document]))]"))
        let workout = try #require(found.workouts.first)
        #expect(workout.workout == "just-row" && workout.name == "Steady" && workout.note == "- 30m 75%")
        #expect(found.openWorkouts == 1 && found.leftOut == 0)
    }

    @Test func limitsTexts() throws {
        let long = String(repeating: "e\\u0301", count: 5000)
        let found = events(
            "[\(event(["name": "\" a\\tb\\n\(long)\"", "description": "\"1\\r\\n2\\r3\\u0000\(long) \""]))]")
        let workout = try #require(found?.workouts.first)
        #expect(workout.name.hasPrefix("a b ") && workout.name.hasSuffix("\u{2026}"))
        #expect(workout.name.unicodeScalars.count == 60 && workout.note.unicodeScalars.count == 300)
        #expect(workout.note.hasPrefix("1\n2\n3 \u{E9}"))
        #expect(events("[\(event(["name": #"" \n ""#]))]")?.workouts.first?.name == "")
    }

    @Test func planAcceptsEveryAnswer() throws {
        // Numbers that are missing, repeated or damaged; more than a day can have.
        let numbers = ["7", "7", "null", "-1", "1e3", "99999999999999999999", #""7""#, "0", "8", "9"]
        let found = try #require(events("[" + numbers.map { event(["id": $0]) }.joined(separator: ",") + "]"))
        #expect(found.workouts.count == TrainingPlan.mostOnADay && found.leftOut == 2)
        let plan = try TrainingPlan(id: "plan", found.workouts)
        #expect(Set(plan.workouts.map(\.id)).count == 8)
        // The order of the answer does not matter.
        let reversed = events("[" + numbers.reversed().map { event(["id": $0]) }.joined(separator: ",") + "]")
        #expect(reversed?.workouts.map(\.id) == found.workouts.map(\.id))
    }

    @Test(arguments: [
        "", "null", "{}", "5", "<html>", "[", #"{"error":"x"}"#, String(repeating: "[", count: 100_000),
        String(repeating: #"[{"a":"#, count: 5000),
    ])
    func refusesOtherTexts(_ text: String) {
        #expect(events(text) == nil)
    }

    @Test func requestsAndOutcomes() throws {
        let calendar = try #require(
            UploadServices(enabled: [.intervalsICU], flows: []).calendar)
        let request = try #require(calendar.request(for: days, with: .key("k")))
        #expect(
            request.address == "https://intervals.icu/api/v1/athlete/0/events?oldest=2026-12-01"
                + "&newest=2026-12-15&category=WORKOUT&resolve=true")
        #expect(request.method == .get && request.credentials == .init(user: "API_KEY", password: "k"))
        #expect(calendar.request(for: days, with: .webhook(address: "https://a", secret: [])) == nil)
        let tokens = calendar.request(for: days, with: .tokens(OAuthTokens(access: "t")))
        #expect(tokens?.headers == [HTTPField("Authorization", "Bearer t")])
        #expect(UploadServices(enabled: [], flows: []).calendar == nil)
        func outcome(_ status: Int, _ body: String, _ headers: [HTTPField] = [])
            -> IntervalsICUCalendar.Outcome
        {
            calendar.outcome(
                of: HTTPAnswer(status: status, headers: headers, body: Array(body.utf8)), for: days)
        }
        #expect(outcome(200, "[]") == .events(try #require(events("[]"))))
        #expect(outcome(200, "{}") == .later("the service answered without a list of events"))
        #expect(outcome(401, #"{"error":"Unauthorized"}"#) == .unauthorized("Unauthorized"))
        #expect(outcome(403, "") == .unauthorized("the key is not accepted"))
        #expect(outcome(404, "") == .later("the service answered with status 404"))
        #expect(
            outcome(429, "", [HTTPField("Retry-After", "600")]) == .later("too many requests", delay: 600))
    }
}
