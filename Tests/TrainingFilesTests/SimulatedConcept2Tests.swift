import Bytes
import PM5Simulator
import Testing

@testable import TrainingFiles

/// Lines of the Concept2 table for sessions of a simulated monitor.
struct SimulatedConcept2Tests {
    private func cells(_ room: SimulatedSession) throws -> [String: String] {
        let text = String(decoding: room.written.file(as: .concept2), as: UTF8.self)
        let lines = text.split(separator: "\r\n")
        try #require(lines.count == 2)
        let cells = lines.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        return Dictionary(
            uniqueKeysWithValues: zip(cells[0].map(String.init), cells[1].map(String.init)))
    }

    @Test(arguments: [
        ("2000m", "2000m row"), ("10:00", "10:00 row"), ("100cal", "100 cal row"),
        ("300wm", "300 watt-minutes row"), ("4x500m/1:00r", "4x500m/1:00r row"),
        ("4x1:00/0:30r", "4x1:00/0:30r row"), ("3x20cal/0:30r", "3x20 cal/0:30r row"),
        ("500m/1:00r+750m/1:00r+1000m", "v500m/1:00r...3 row"),
        ("100wm/1:00r+100wm/1:00r", "2x100 watt-minutes/1:00r row"),
    ])
    func namesWorkoutsAsConcept2Does(_ workout: String, _ name: String) throws {
        let room = try SimulatedSession(workout)
        #expect(try cells(room)["Description"] == name)
    }

    @Test func treatsAPieceStoppedEarlyAsAJustRow() throws {
        let room = try SimulatedSession("5000m", stopAt: 300_000)
        let summary = try #require(room.records[.summary]?.last)
        let fields = try #require(try JSONObject(parsing: summary))
        #expect(fields["complete"] == .flag(false))
        let seconds = Int(fields.decimal("result_time_s") ?? 0)
        let time = "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
        #expect(try cells(room)["Description"] == "\(time) row")
        // Intervals repeat until the rower stops; completed ones count.
        let intervals = try SimulatedSession("4x500m/1:00r")
        #expect(try cells(intervals)["Description"] == "4x500m/1:00r row")
    }

    @Test(arguments: [
        (SimulatedMachine.row, "RowErg", "500m row"), (.slides, "Slides", "500m row"),
        (.dynamic, "Dynamic", "500m row"), (.ski, "SkiErg", "500m ski"),
        (.bike, "BikeErg", "500m bike"),
    ])
    func usesTheRecordedMachine(
        _ machine: SimulatedMachine, _ type: String, _ description: String
    ) throws {
        let room = try SimulatedSession("500m", on: machine)
        let cells = try cells(room)
        #expect(cells["Type"] == type && cells["Description"] == description)
        let fields = try #require(try JSONObject(parsing: room.records[.summary]!.last!))
        let pace = try #require(fields.decimal("avg_pace_s_per_500m"))
        let tenths = Int((machine == .bike ? pace * 2 : pace) * 10 + 1e-6)
        let text = "\(tenths / 600):\(tenths / 10 % 60 < 10 ? "0" : "")\(tenths / 10 % 60)"
        #expect(cells["Pace"] == text + ".\(tenths % 10)")
    }

    @Test func roundsValuesAsTheMonitorsLogDoes() throws {
        let cells = try cells(SimulatedSession("4x1:00/0:30r"))
        let room = try SimulatedSession("4x1:00/0:30r")
        let fields = try #require(try JSONObject(parsing: room.records[.summary]!.last!))
        let metres = try #require(fields.decimal("distance_m"))
        #expect(cells["Work Distance"] == "\(Int(metres))", "\(metres)")
    }
}
