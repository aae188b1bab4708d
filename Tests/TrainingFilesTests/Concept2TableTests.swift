import Bests
import Bytes
import TestSupport
import Testing

@testable import TrainingFiles

/// Results as a line of the table that Concept2's logbook gives of a season.
@Suite struct Concept2TableTests {
    /// 2026-09-05T17:24:11Z, somewhere two hours east of it.
    private static let ended = 1_788_629_051_000
    private static let east: @Sendable (Int64) -> Int64 = { $0 + 7_200_000 }

    private func summary(
        _ workout: String, time: Double = 1271.34, distance: Double = 5000, more: String = ""
    ) throws -> JSONObject {
        let text =
            #"{"session_id":"01J7ZK3Q5XQ4W8G9T2V6B0C1DE","workout":{\#(workout)},"#
            + #""ended_ms":\#(Self.ended),"result_time_s":\#(time),"distance_m":\#(distance),"#
            + #""strokes":442\#(more)}"#
        return try #require(try JSONObject(parsing: Array(text.utf8)))
    }

    private func split(_ fields: String) throws -> JSONObject {
        try #require(try JSONObject(parsing: Array("{\(fields)}".utf8)))
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

    @Test func aPieceIsALine() throws {
        // Goal: the cells of a season's export, in its form. Method: 5000 m with all that a summary may
        // tell; what is Concept2's own stays empty.
        let told =
            #","avg_pace_s_per_500m":127.13,"avg_power_w":170,"avg_stroke_rate_spm":21,"#
            + #""calories_kcal":311,"avg_heart_rate_bpm":151,"drag_factor_avg":126"#
        let cells = try cells(
            summary(#""session_type":"distance","target_distance_m":5000.0"#, more: told))
        #expect(
            cells == [
                "Date": "2026-09-05 19:24:11", "Description": "5000m row",
                "Work Time (Formatted)": "21:11.3", "Work Time (Seconds)": "1271.3",
                "Work Distance": "5000", "Stroke Rate/Cadence": "21", "Stroke Count": "442",
                "Pace": "2:07.1", "Avg Watts": "170", "Cal/Hour": "881", "Total Cal": "311",
                "Avg Heart Rate": "151", "Drag Factor": "126", "Type": "RowErg", "Ranked": "No",
                "Comments": "01J7ZK3Q5XQ4W8G9T2V6B0C1DE",
            ])
    }

    @Test func theWorkoutIsNamedAsConcept2NamesIt() throws {
        // Goal: a diary shows what was rowed. Method: each kind of workout, and each machine.
        let time = #""session_type":"time","target_time_s":1800.00"#
        #expect(try cells(summary(time))["Description"] == "30:00 row")
        #expect(try cells(summary(time), on: .ski)["Description"] == "30:00 ski")
        let calories = #""session_type":"calories","target_calories_kcal":100"#
        #expect(try cells(summary(calories))["Description"] == "100 cal row")
        let just = #""session_type":"just_row""#
        #expect(try cells(summary(just, time: 67.59))["Description"] == "1:07 row")
        #expect(try cells(summary(just, time: 3723))["Work Time (Formatted)"] == "1:02:03.0")
    }

    @Test func intervalsTellTheirRest() throws {
        // Goal: work and rest apart. Method: equal intervals of a distance, of a time and of calories, and
        // unequal ones.
        let set = try summary(#""session_type":"intervals""#)
        let rested = #""type":"distance","distance_m":500.0,"rest_s":60.00,"rest_distance_m":41.2"#
        let last = #""type":"distance","distance_m":500.0,"rest_s":7.50"#
        let cells = try cells(set, [split(rested), split(rested), split(last)])
        #expect(cells["Description"] == "3x500m/1:00r row")
        #expect(cells["Rest Time (Formatted)"] == "2:07.5")
        #expect(cells["Rest Time (Seconds)"] == "127.5" && cells["Rest Distance"] == "82")
        let minutes = try split(#""type":"time","distance_m":271.3,"duration_s":60.00,"rest_s":0"#)
        let more = try split(#""type":"time","distance_m":281.3,"duration_s":60.00"#)
        #expect(try self.cells(set, [minutes, more])["Description"] == "2x1:00 row")
        let burnt = try split(#""type":"calories","calories_kcal":20,"distance_m":281.3"#)
        #expect(try self.cells(set, [burnt, burnt])["Description"] == "2x20 cal row")
        let other = try split(#""type":"distance","distance_m":1000.0"#)
        #expect(
            try self.cells(set, [split(rested), other])["Description"] == "v500m/1:00r...2 row")
    }

    @Test func paceOfABicycleIsOfAKilometre() throws {
        let told = try summary(
            #""session_type":"just_row""#, more: #","avg_pace_s_per_500m":60.10"#)
        let cells = try cells(told, on: .bike)
        #expect(cells["Pace"] == "2:00.2" && cells["Type"] == "BikeErg")
    }

    @Test func whatIsNoResultIsNoLine() throws {
        // Goal: neither a made-up line, nor an end of the program. Method: summaries that lack a result,
        // and figures beyond all rowing.
        for (time, distance) in [(0.0, 0.0), (-1, 10)] {
            let none = try summary(#""session_type":"just_row""#, time: time, distance: distance)
            #expect(Concept2Table.line(none, [], on: .rower, local: { $0 }) == nil)
        }
        #expect(Concept2Table.line(.empty, [], on: .rower, local: { $0 }) == nil)
        let huge = try summary(
            #""session_type":"distance","target_distance_m":1e300"#, time: 1e300, distance: 1e300,
            more: #","calories_kcal":9007199254740993,"avg_pace_s_per_500m":1e308"#)
        #expect(try cells(huge)["Work Distance"] == "1000000000000000")
    }

    @Test func otherFilesTakeAnyFigure() {
        // Goal: a file of records that a stranger published, or none, and no end of the program. Method:
        // figures beyond all rowing, at the beginning and in strokes, splits and summaries.
        let vast = "1e300"
        let stroke = #"{"ts_ms":9007199254740991,"distance_m":\#(vast),"pace_s_per_500m":1e-300}"#
        let split = #"{"duration_s":\#(vast),"distance_m":\#(vast),"rest_s":\#(vast)}"#
        for start in ["9223372036854775807", "-9223372036854775808", "9007199254740991", "0"] {
            let summary =
                #"{"started_ms":\#(start),"result_time_s":\#(vast),"distance_m":-\#(vast)}"#
            let found = [stroke, split, summary].map { [Array($0.utf8)] }
            let session = RowedSession([.stroke: found[0], .split: found[1], .summary: found[2]])
            guard let session else {
                #expect(start == "0")
                continue
            }
            #expect(!TCXDocument(session).bytes.isEmpty && !FITActivity(session).bytes.isEmpty)
        }
    }
}
