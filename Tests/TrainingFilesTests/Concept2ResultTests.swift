import Bytes
import PM5Simulator
import Testing
import Timeline

@testable import TrainingFiles

/// Sessions of a simulated monitor as the JSON for Concept2's logbook.
struct Concept2ResultTests {
    private func result(
        _ room: SimulatedSession, in calendar: ClubCalendar = .utc,
        weightClass: Concept2Result.WeightClass = .heavyweight
    ) throws -> JSONObject {
        let session = try #require(ExportedSession(room.records))
        let summary = try #require(try JSONObject(parsing: room.records[.summary]!.last!))
        let splits = try (room.records[.split] ?? []).compactMap { try JSONObject(parsing: $0) }
        let bytes = Concept2Result.json(session, summary, splits, in: calendar, weightClass: weightClass)
        #expect(!bytes.contains(UInt8(ascii: ".")), "the service refuses fractions")
        return try #require(try JSONObject(parsing: bytes))
    }

    private func list(_ value: JSONValue?) -> [JSONObject] {
        guard case .list(let values)? = value else { return [] }
        return values.compactMap { if case .object(let object) = $0 { object } else { nil } }
    }

    private func parts(_ result: JSONObject, _ name: String) -> [JSONObject] {
        guard case .object(let workout)? = result["workout"] else { return [] }
        return list(workout[name])
    }

    @Test func writesAPieceWithItsSplitsAndStrokes() throws {
        let room = try SimulatedSession("2000m")
        let result = try result(room, weightClass: .lightweight)
        #expect(result.text("type") == "rower" && result.text("weight_class") == "L")
        #expect(result.text("workout_type") == "FixedDistanceSplits" && result.number("distance") == 2000)
        let summary = try #require(try JSONObject(parsing: room.records[.summary]!.last!))
        let time = try #require(result.number("time"))
        #expect(abs(Double(time) / 10 - summary.decimal("result_time_s")!) <= 0.05)
        #expect(result.number("stroke_count") == summary.number("strokes"))
        let splits = parts(result, "splits")
        #expect(splits.count == 5 && splits.allSatisfy { $0.number("distance") == 400 })
        let sum = splits.compactMap { $0.number("time") }.reduce(0, +)
        #expect(sum.distance(to: time) <= 5, "each time is truncated")
        #expect(splits[0]["type"] == nil && splits[0]["rest_time"] == nil && result["rest_time"] == nil)
        let strokes = list(result["stroke_data"])
        #expect(strokes.count == room.records[.stroke]!.count)
        for (one, next) in zip(strokes, strokes.dropFirst()) {
            #expect(one.number("t")! < next.number("t")! && one.number("d")! <= next.number("d")!)
        }
        #expect(strokes.last!.number("d")! <= 20_000)
        guard case .object(let heart)? = result["heart_rate"] else { throw CancellationError() }
        #expect(heart.number("average") == summary.number("avg_heart_rate_bpm"))
    }

    @Test func beginsAgainForEachInterval() throws {
        let result = try result(SimulatedSession("4x500m/1:00r"))
        #expect(result.text("workout_type") == "FixedDistanceInterval" && result.number("distance") == 2000)
        let intervals = parts(result, "intervals")
        #expect(intervals.count == 4 && intervals.allSatisfy { $0.text("type") == "distance" })
        #expect(intervals.map { $0.number("distance") } == [500, 500, 500, 500])
        #expect(intervals[0].number("rest_time") == 600)
        #expect(result.number("rest_time") == intervals.compactMap { $0.number("rest_time") }.reduce(0, +))
        let strokes = list(result["stroke_data"])
        let beginnings = zip(strokes, strokes.dropFirst()).filter { $0.number("t")! > $1.number("t")! }
        #expect(beginnings.count == 3)
        #expect(strokes.allSatisfy { $0.number("d")! <= 5100 })
    }

    @Test(arguments: [
        ("10:00", "FixedTimeSplits"), ("100cal", "FixedCalorie"), ("300wm", "FixedWattMinute"),
        ("4x1:00/0:30r", "FixedTimeInterval"), ("3x20cal/0:30r", "FixedCalorieInterval"),
        ("500m/1:00r+750m/1:00r+1000m", "VariableInterval"),
    ])
    func namesTheWorkoutType(_ workout: String, _ type: String) throws {
        #expect(try result(SimulatedSession(workout)).text("workout_type") == type)
    }

    @Test func namesAPieceStoppedEarlyAJustRow() throws {
        #expect(
            try result(SimulatedSession("5000m", stopAt: 300_000)).text("workout_type") == "JustRow")
    }

    @Test(arguments: [
        (SimulatedMachine.row, "rower"), (.slides, "slides"), (.dynamic, "dynamic"), (.ski, "skierg"),
        (.bike, "bike"),
    ])
    func namesTheMachine(_ machine: SimulatedMachine, _ type: String) throws {
        let room = try SimulatedSession("500m", on: machine)
        let result = try result(room)
        #expect(result.text("type") == type)
        // Only the rower's rankings have weight classes.
        #expect((result.text("weight_class") != nil) == ["rower", "slides", "dynamic"].contains(type))
        // The BikeErg's pace is for 1000 m.
        let stroke = try #require(list(result["stroke_data"]).last)
        let record = try #require(try JSONObject(parsing: room.records[.stroke]!.last!))
        let pace = record.decimal("pace_s_per_500m")! * (machine == .bike ? 2 : 1)
        #expect(abs(Double(stroke.number("p")!) - pace * 10) <= 1)
    }

    @Test func writesTheLocalTimeOfTheEnd() throws {
        let room = try SimulatedSession("500m")
        let summary = try #require(try JSONObject(parsing: room.records[.summary]!.last!))
        let ended = CivilTime(unixMilliseconds: Int64(summary.number("ended_ms")!))
        // The simulated monitor has another date.
        let date = try #require(try result(room).text("date"))
        #expect(date == "\(ended.date) \(ended.timeOfDay)", "log date \(summary.text("pm5_log_date") ?? "")")
    }

    @Test func usesTheMonitorsMinuteIfItsClockIsRight() throws {
        let session = try #require(ExportedSession(SyntheticPiece.intervals))
        for (log, expected) in [
            ("2026-09-05T17:04", "2026-09-05 17:04:00"), ("2026-09-05T17:08", "2026-09-05 17:05:30"),
            ("0000", "2026-09-05 17:05:30"),
        ] {
            let text = #"{"ended_ms":\#(SyntheticPiece.begin + 90_000),"pm5_log_date":"\#(log)"}"#
            let summary = try #require(try JSONObject(parsing: Array(text.utf8)))
            let bytes = Concept2Result.json(session, summary, [], in: .utc, weightClass: .heavyweight)
            #expect(try JSONObject(parsing: bytes)?.text("date") == expected)
        }
    }
}
