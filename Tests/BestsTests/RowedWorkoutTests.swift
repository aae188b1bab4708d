import Bytes
import Testing

@testable import Bests

/// What a session was set to, from its records.
@Suite struct RowedWorkoutTests {
    private static let total = RowedPoint(centiseconds: 40_000, decimetres: 20_000)

    private static func workout(_ told: String, _ splits: [String] = []) -> RowedWorkout? {
        func fields(_ text: String) -> JSONObject {
            (try? JSONObject(parsing: Array(text.utf8))) ?? .empty
        }
        return RowedWorkout(fields(told), splits.map(fields), total: total, isComplete: true)
    }

    private static func split(_ metres: Double, _ seconds: Double, rest: Double) -> String {
        #"{"type":"distance","distance_m":\#(metres),"duration_s":\#(seconds),"rest_s":\#(rest)}"#
    }

    @Test func singlePieces() {
        // Goal: pieces are written as on a whiteboard. Method: distance, time, and what is neither.
        #expect(
            Self.workout(#"{"session_type":"distance","target_distance_m":2000}"#)?.row == "2000m")
        #expect(Self.workout(#"{"session_type":"time","target_time_s":1800.0}"#)?.row == "30:00")
        #expect(Self.workout(#"{"session_type":"time","target_time_s":5400}"#)?.row == "1:30:00")
        #expect(Self.workout(#"{"session_type":"just_row"}"#) == nil)
        #expect(Self.workout(#"{"session_type":"calories","target_calories_kcal":100}"#) == nil)
        #expect(Self.workout(#"{"session_type":"distance","target_distance_m":2000.5}"#) == nil)
    }

    @Test func intervals() throws {
        // Goal: intervals are known again, whatever the monitor says of the last one's rest. Method: equal
        // ones; ones that differ; the monitor's own, which end with a part of one.
        let told =
            #"{"session_type":"intervals","workout":"variable_interval","in_target_ratio":0.815}"#
        let three = (1...3).map { Self.split(500, 100, rest: $0 == 3 ? 12 : 60) }
        let workout = try #require(Self.workout(told, three))
        #expect(workout.row == "3x500m/1:00r" && workout.inTarget == 815)
        #expect(workout.parts[0].rowed == RowedPoint(centiseconds: 10_000, decimetres: 5000))
        let mixed = [Self.split(500, 100, rest: 60), Self.split(1000, 210, rest: 90)]
        #expect(Self.workout(told, mixed)?.row == "500m/1:00r+1000m/1:00r")
        let timed = #"{"type":"time_undefined_rest","duration_s":120,"distance_m":512}"#
        #expect(Self.workout(told, [timed, timed])?.row == "2x2:00/r")
        let own =
            #"{"session_type":"intervals","workout":"fixed_distance_interval","target_distance_m":500}"#
        let ended = try #require(Self.workout(own, three + [Self.split(211, 45, rest: 0)]))
        #expect(ended.row == "3x500m/1:00r" && ended.isComplete)
        #expect(Self.workout(told, []) == nil)
        #expect(
            Self.workout(told, [#"{"type":"calories","distance_m":500,"duration_s":9}"#]) == nil)
    }
}
