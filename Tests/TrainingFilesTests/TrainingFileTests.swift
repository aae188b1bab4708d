import Contract
import Foundation
import TestSupport
import Testing

@testable import TrainingFiles

/// Files for training programs, read by libraries that nobody here wrote.
struct TrainingFileTests {
    private static let needs = Comment("python3 -m pip install fitdecode tcxreader")
    private typealias Fields = [String: Any]

    private func read(_ kind: String, _ bytes: [UInt8]) async throws -> Any {
        let folder = try TemporaryFolder()
        let file = folder.path("session.\(kind)")
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Strangers/read_files.py").path
        let process = try ChildProcess(
            "python3", [script, kind, file], environment: ["PYTHONPATH": PythonPackage.folder])
        try #require(await process.waitForExit() == 0, "\(process.text)")
        return try JSONSerialization.jsonObject(with: Data(process.text.utf8))
    }

    private static func tcx(_ session: RowedSession) -> [UInt8] {
        TCXDocument.head + TCXDocument(session).bytes + TCXDocument.end
    }

    private func numbers(_ name: String, in messages: [Fields]) -> [Double?] {
        messages.map { ($0[name] as? NSNumber)?.doubleValue }
    }

    /// Goal: Garmin's format, with every figure in its unit. Method: fitdecode reads a session of two
    /// intervals.
    @Test(.enabled(if: PythonPackage.hasTrainingFiles, needs))
    func fitIsReadBack() async throws {
        let session = try #require(RowedSession(RowedPiece.intervals))
        let messages = try #require(
            try await read("fit", FITActivity(session).bytes) as? [Fields])
        func all(_ name: String) -> [Fields] {
            messages.filter { $0["message"] as? String == name }
        }
        #expect(
            messages.map { $0["message"] as? String } == [
                "file_id", "event", "record", "record", "lap", "record", "record", "lap", "event",
                "session", "activity",
            ])
        #expect(all("file_id").first?["type"] as? String == "activity")
        #expect(all("file_id").first?["time_created"] as? String == "2026-09-05 17:04:00+00:00")
        let records = all("record")
        #expect(records.last?["timestamp"] as? String == "2026-09-05 17:05:19+00:00")
        #expect(numbers("distance", in: records) == [62.5, 122.4, 187.5, 249.6])
        #expect(numbers("power", in: records) == [200, 230, nil, 200])
        #expect(numbers("cadence", in: records) == [24, 24, nil, 24])
        #expect(numbers("heart_rate", in: records) == [140, nil, nil, 160])
        #expect(numbers("speed", in: records) == [4.149, 4.149, 4.149, 4.149])
        let laps = all("lap")
        #expect(laps.last?["start_time"] as? String == "2026-09-05 17:04:50+00:00")
        #expect(numbers("total_timer_time", in: laps) == [30, 30])
        #expect(numbers("total_elapsed_time", in: laps) == [50, 30])
        #expect(numbers("total_distance", in: laps) == [125, 125])
        #expect(numbers("avg_heart_rate", in: laps) == [150, 150])
        let whole = try #require(all("session").first)
        #expect(whole["sport"] as? String == "rowing")
        #expect(whole["sub_sport"] as? String == "indoor_rowing")
        let figures = [
            "total_elapsed_time", "total_timer_time", "total_distance", "total_strokes",
            "total_calories", "avg_speed", "avg_heart_rate", "max_heart_rate", "avg_cadence",
            "avg_power", "max_power", "num_laps",
        ].map { (whole[$0] as? NSNumber)?.doubleValue }
        #expect(figures == [80, 60, 250, 4, 14, 4.167, 151, 160, 25, 204, 230, 2])
        #expect((all("activity").first?["num_sessions"] as? NSNumber)?.intValue == 1)
    }

    /// Goal: what Strava and others take. Method: tcxreader reads the same session.
    @Test(.enabled(if: PythonPackage.hasTrainingFiles, needs))
    func tcxIsReadBack() async throws {
        let session = try #require(RowedSession(RowedPiece.intervals))
        let found = try #require(try await read("tcx", Self.tcx(session)) as? Fields)
        #expect(found["type"] as? String == "Other")
        #expect(found["start"] as? String == "2026-09-05 17:04:15")
        #expect(found["calories"] as? Int == 14)
        let laps = try #require(found["laps"] as? [Fields])
        #expect(laps.compactMap { $0["points"] as? Int } == [2, 2])
        let points = try #require(found["points"] as? [Fields])
        #expect(numbers("distance", in: points) == [62.5, 122.4, 187.5, 249.6])
        #expect(numbers("cadence", in: points) == [24, 24, nil, 24])
        #expect(numbers("heart_rate", in: points) == [140, nil, nil, 160])
        #expect(numbers("Watts", in: points) == [200, 230, nil, 200])
        #expect(points.first?["time"] as? String == "2026-09-05 17:04:15")
    }

    /// Goal: the elements stand as the schema prescribes, and nothing is told that is not known. Method:
    /// a session of one stroke that told no more than its distance.
    @Test func tcxText() throws {
        let stroke = Array(
            #"{"ts_ms":1788627843000,"elapsed_s":3.00,"distance_m":10.0}"#.utf8)
        let session = try #require(RowedSession([.stroke: [stroke]]))
        let text = String(decoding: Self.tcx(session), as: UTF8.self)
        let elements = text.split(separator: "\n").map {
            $0.drop { $0 == " " }.dropFirst().prefix { $0 != ">" && $0 != " " && $0 != "<" }
        }
        #expect(
            elements == [
                "?xml", "TrainingCenterDatabase", "Activities", "Activity", "Id", "Lap",
                "TotalTimeSeconds", "DistanceMeters", "Calories", "Intensity", "TriggerMethod",
                "Track", "Trackpoint", "Time", "DistanceMeters", "/Trackpoint", "/Track", "/Lap",
                "Notes", "/Activity", "/Activities", "/TrainingCenterDatabase",
            ])
    }

    /// Goal: what a field cannot say is none, or the most it can say, and never another value. Method:
    /// a stroke of figures that no monitor sends.
    @Test(.enabled(if: PythonPackage.hasTrainingFiles, needs))
    func fitHoldsWhatItCan() async throws {
        let stroke = RowedPiece.stroke(at: 3, 10, watts: 70_000, rate: 300, heartRate: 255)
        let session = try #require(RowedSession([.stroke: [stroke]]))
        let messages = try #require(
            try await read("fit", FITActivity(session).bytes) as? [Fields])
        let record = try #require(messages.first { $0["message"] as? String == "record" })
        #expect(record["power"] as? Int == 65_534)
        #expect(record["cadence"] as? Int == 254 && record["heart_rate"] as? Int == 254)
    }
}
