import Bests
import Bytes
import Contract
import PM5Codec
import TestSupport
import Testing

@testable import Rowing
@testable import TrainingFiles

/// Results as lines of the season table of Concept2's logbook. The contract's encoder writes their records.
@Suite struct Concept2TableTests {
    /// A zone two hours east of UTC.
    private static let east: @Sendable (Int64) -> Int64 = { $0 + 7_200_000 }

    private func fields(_ body: some RecordBody) throws -> JSONObject {
        var records = SessionRecords()
        records.add(body, at: SessionRecords.instant(0))
        let record = try #require(records.records.values.first?.first)
        return try #require(try JSONObject(parsing: record))
    }

    private func summary(
        _ type: WorkoutType, _ target: Rowing.Workout.Target,
        time: Duration = .milliseconds(1_271_340), distance: Int64 = 5000, isComplete: Bool = true,
        _ change: (inout Summary) -> Void = { _ in }
    ) throws -> JSONObject {
        // It ends at 17:24:11.
        let end = SessionRecords.instant(1_211_000)
        var summary = Summary(
            revision: 1, session: SessionRecords.session,
            workout: Rowing.Workout(type: type, target: target),
            startedAt: SessionRecords.instant(0), endedAt: end, at: end, result: time,
            distance: Meters(distance), strokes: 442, splits: 0, isComplete: isComplete)
        change(&summary)
        return try fields(summary)
    }

    private func split(
        _ type: IntervalType, _ metres: Int64, seconds: Int = 60, rest: Duration? = nil,
        restMetres: Int64? = nil, calories: Int? = nil, watts: Int? = nil
    ) throws -> JSONObject {
        var split = Split(
            session: SessionRecords.session, at: SessionRecords.instant(0), number: 1, type: type,
            distance: Meters(metres), duration: .seconds(seconds))
        (split.rest, split.calories, split.averagePowerWatts) = (rest, calories, watts)
        split.restDistance = restMetres.map { Meters($0) }
        return try fields(split)
    }

    private func cells(
        _ summary: JSONObject, _ splits: [JSONObject] = [], on machine: MachineKind = .rower
    ) throws -> [String: Substring] {
        let line = try #require(
            Concept2Table.line(summary, splits, on: machine, local: Self.east))
        let text = String(decoding: line, as: UTF8.self)
        #expect(text.hasSuffix("\r\n"))
        let found = text.dropLast().split(separator: ",", omittingEmptySubsequences: false)
        #expect(found.count == Concept2Table.columns.count)
        return Dictionary(uniqueKeysWithValues: zip(Concept2Table.columns, found))
            .filter { !$1.isEmpty }
    }

    @Test func writesALineForAPiece() throws {
        let summary = try summary(.fixedDistanceWithSplits, .distance(Meters(5000))) {
            $0.averagePace = Pace(centisecondsPer500m: 12_713)
            $0.averagePowerWatts = 170
            $0.averageStrokeRate = 21
            $0.calories = 311
            $0.averageHeartRate = 151
            $0.averageDragFactor = 126
            $0.machine = .modelE
        }
        #expect(
            try cells(summary) == [
                "Date": "2026-09-05 19:24:11", "Description": "5000m row",
                "Work Time (Formatted)": "21:11.3", "Work Time (Seconds)": "1271.3",
                "Work Distance": "5000", "Stroke Rate/Cadence": "21", "Stroke Count": "442",
                "Pace": "2:07.1", "Avg Watts": "170", "Cal/Hour": "881", "Total Cal": "311",
                "Avg Heart Rate": "151", "Drag Factor": "126", "Type": "RowErg", "Ranked": "No",
                "Comments": "01J7ZK3Q5XQ4W8G9T2V6B0C1DE",
            ])
    }

    @Test func namesWorkoutsAsConcept2Does() throws {
        let time = try summary(.fixedTimeWithSplits, .time(.seconds(1800)))
        #expect(try cells(time)["Description"] == "30:00 row")
        #expect(try cells(time, on: .ski)["Description"] == "30:00 ski")
        let calories = try summary(.fixedCaloriesWithSplits, .calories(100))
        #expect(try cells(calories)["Description"] == "100 cal row")
        let just = try summary(
            .justRowWithSplits, .none, time: .milliseconds(67_590), isComplete: false)
        #expect(try cells(just)["Description"] == "1:07 row")
        let long = try summary(.justRowWithSplits, .none, time: .seconds(3723))
        #expect(try cells(long)["Work Time (Formatted)"] == "1:02:03.0")
    }

    @Test func treatsPiecesStoppedEarlyAsJustRows() throws {
        for (type, target) in [
            (WorkoutType.fixedDistanceWithSplits, Rowing.Workout.Target.distance(Meters(5000))),
            (.fixedTimeWithSplits, .time(.seconds(1800))),
            (.fixedCaloriesWithSplits, .calories(100)),
            (.fixedWattMinutesWithSplits, .wattMinutes(300)),
        ] {
            let early = try summary(
                type, target, time: .milliseconds(509_900), distance: 2011, isComplete: false)
            #expect(try cells(early)["Description"] == "8:29 row")
            // The gateway did not receive the end.
            let partial = try summary(type, target, time: .milliseconds(509_900), distance: 2011) {
                $0.isPartial = true
            }
            #expect(try cells(partial)["Description"] == "8:29 row")
        }
    }

    @Test func separatesWorkAndRest() throws {
        let set = try summary(
            .fixedDistanceInterval, .distance(Meters(500)), isComplete: false)
        let rested = try split(.distance, 500, rest: .seconds(60), restMetres: 41)
        let last = try split(.distance, 500, rest: .milliseconds(7500))
        let cells = try cells(set, [rested, rested, last])
        #expect(cells["Description"] == "3x500m/1:00r row")
        #expect(cells["Rest Time (Formatted)"] == "2:07.5")
        #expect(cells["Rest Time (Seconds)"] == "127.5" && cells["Rest Distance"] == "82")
        let minutes = try [split(.time, 271), split(.time, 281)]
        #expect(try self.cells(set, minutes)["Description"] == "2x1:00 row")
        let burnt = try split(.calories, 281, calories: 20)
        #expect(try self.cells(set, [burnt, burnt])["Description"] == "2x20 cal row")
        let unlike = try [rested, split(.distance, 1000), split(.time, 250)]
        #expect(try self.cells(set, unlike)["Description"] == "v500m/1:00r...3 row")
        let undefined = try split(.distanceUndefinedRest, 500, rest: .seconds(75))
        #expect(try self.cells(set, [undefined, undefined])["Description"] == "2x500m/1:15r row")
        let work = try summary(.variableInterval, .wattMinutes(300))
        let effort = try split(.wattMinutes, 400, seconds: 90, watts: 199)
        #expect(try self.cells(work, [effort])["Description"] == "1x300 watt-minutes row")
    }

    @Test func writesABikeErgsPacePerKilometre() throws {
        let summary = try summary(.justRowWithSplits, .none) {
            $0.averagePace = Pace(centisecondsPer500m: 6019)
            $0.machine = .bikeWithArms
        }
        let cells = try cells(summary)
        #expect(cells["Pace"] == "2:00.3" && cells["Type"] == "BikeErg")
    }

    @Test func roundsValuesAsConcept2sLogbookDoes() throws {
        // From a published export: 242 m in 67.5 s is 2:19.4.
        let summary = try summary(.justRowWithSplits, .none, time: .milliseconds(67_460)) {
            $0.distance = Meters(decimeters: 2429)
            $0.averagePace = Pace(centisecondsPer500m: 13_946)
        }
        let cells = try cells(summary)
        #expect(cells["Work Time (Seconds)"] == "67.5" && cells["Work Distance"] == "242")
        #expect(cells["Pace"] == "2:19.4")
    }

    @Test func omitsSummariesWithoutAResult() throws {
        let none = try summary(.justRowWithSplits, .none, time: .zero, distance: 0)
        #expect(Concept2Table.line(none, [], on: .rower, local: { $0 }) == nil)
        #expect(Concept2Table.line(.empty, [], on: .rower, local: { $0 }) == nil)
        let text =
            #"{"session_type":"distance","target_distance_m":1e300,"ended_ms":1,"#
            + #""result_time_s":1e300,"distance_m":1e300,"calories_kcal":9007199254740993,"#
            + #""avg_pace_s_per_500m":1e308,"complete":true}"#
        let huge = try #require(try JSONObject(parsing: Array(text.utf8)))
        #expect(try cells(huge)["Work Distance"] == "1000000000000000")
    }

    @Test func survivesExtremeValues() {
        let vast = "1e300"
        let stroke = #"{"ts_ms":9007199254740991,"distance_m":\#(vast),"pace_s_per_500m":1e-300}"#
        let far = #"{"ts_ms":253402300799999,"elapsed_s":9e6,"distance_m":1e7,"stroke":7}"#
        let split = #"{"duration_s":\#(vast),"distance_m":\#(vast),"rest_s":\#(vast)}"#
        let long = #"{"split":9007199254740991,"duration_s":1e7,"distance_m":1e7,"rest_s":1e7}"#
        for start in ["9223372036854775807", "-9223372036854775808", "9007199254740991", "0", "1"] {
            for time in [vast, "1e7", "60"] {
                let summary =
                    #"{"started_ms":\#(start),"result_time_s":\#(time),"distance_m":-\#(vast)}"#
                let session = ExportedSession([
                    .stroke: [stroke, far].map { Array($0.utf8) },
                    .split: [split, long].map { Array($0.utf8) }, .summary: [Array(summary.utf8)],
                ])
                guard let session else { continue }
                #expect(!TCXActivity(session).bytes.isEmpty && !FITActivity(session).bytes.isEmpty)
            }
        }
    }
}
