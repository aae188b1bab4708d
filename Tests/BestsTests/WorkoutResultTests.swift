import Bytes
import Testing

@testable import Bests

/// Parsing the workout of a session.
@Suite struct WorkoutResultTests {
    private static let total = WorkPoint(centiseconds: 40_000, decimetres: 20_000)

    private static func workout(_ head: String, _ splits: [String] = []) -> WorkoutResult? {
        func fields(_ text: String) -> JSONObject {
            (try? JSONObject(parsing: Array(text.utf8))) ?? .empty
        }
        return WorkoutResult(fields(head), splits.map(fields), total: total, isComplete: true)
    }

    private static func split(_ metres: Double, _ seconds: Double, rest: Double) -> String {
        #"{"type":"distance","distance_m":\#(metres),"duration_s":\#(seconds),"rest_s":\#(rest)}"#
    }

    @Test func formatsSinglePieces() {
        #expect(
            Self.workout(#"{"session_type":"distance","target_distance_m":2000}"#)?.notation == "2000m")
        #expect(Self.workout(#"{"session_type":"time","target_time_s":1800.0}"#)?.notation == "30:00")
        #expect(Self.workout(#"{"session_type":"time","target_time_s":5400}"#)?.notation == "1:30:00")
        #expect(Self.workout(#"{"session_type":"just_row"}"#) == nil)
        #expect(Self.workout(#"{"session_type":"calories","target_calories_kcal":100}"#) == nil)
        #expect(Self.workout(#"{"session_type":"distance","target_distance_m":2000.5}"#) == nil)
    }

    @Test func formatsIntervals() throws {
        // Equal intervals, different ones, and the monitor's own ones, which end with an incomplete
        // interval.
        let head =
            #"{"session_type":"intervals","workout":"variable_interval","in_target_ratio":0.815}"#
        let three = (1...3).map { Self.split(500, 100, rest: $0 == 3 ? 12 : 60) }
        let workout = try #require(Self.workout(head, three))
        #expect(workout.notation == "3x500m/1:00r" && workout.inTarget == 815)
        #expect(workout.parts[0].result == WorkPoint(centiseconds: 10_000, decimetres: 5000))
        let mixed = [Self.split(500, 100, rest: 60), Self.split(1000, 210, rest: 90)]
        #expect(Self.workout(head, mixed)?.notation == "500m/1:00r+1000m/1:00r")
        let timed = #"{"type":"time_undefined_rest","duration_s":120,"distance_m":512}"#
        #expect(Self.workout(head, [timed, timed])?.notation == "2x2:00/r")
        let own =
            #"{"session_type":"intervals","workout":"fixed_distance_interval","target_distance_m":500}"#
        let ended = try #require(Self.workout(own, three + [Self.split(211, 45, rest: 0)]))
        #expect(ended.notation == "3x500m/1:00r" && ended.isComplete)
        #expect(Self.workout(head, []) == nil)
        #expect(
            Self.workout(head, [#"{"type":"calories","distance_m":500,"duration_s":9}"#]) == nil)
    }
}
