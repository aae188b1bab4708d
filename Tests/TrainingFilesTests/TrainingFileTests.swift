import Contract
import Foundation
import TestSupport
import Testing

@testable import TrainingFiles

/// Files of a session with known values.
struct TrainingFileTests {
    private typealias Fields = [String: Any]

    private static func tcx(_ session: ExportedSession) -> [UInt8] {
        TCXActivity.head + TCXActivity(session).bytes + TCXActivity.end
    }

    private func numbers(_ name: String, in messages: [Fields]) -> [Double?] {
        messages.map { ($0[name] as? NSNumber)?.doubleValue }
    }

    private func messages(_ session: ExportedSession) async throws -> [Fields] {
        let data = try await ExportReaderTests.read(
            "messages", FITActivity(session).bytes, as: "fit")
        return try #require(try JSONSerialization.jsonObject(with: data) as? [Fields])
    }

    @Test(.enabled(if: PythonPackage.hasTrainingFiles, ExportReaderTests.needs))
    func writesFITValuesWithTheirUnits() async throws {
        let session = try #require(ExportedSession(SyntheticPiece.intervals))
        let messages = try await messages(session)
        func all(_ name: String) -> [Fields] {
            messages.filter { $0["message"] as? String == name }
        }
        let names = messages.compactMap { $0["message"] as? String }
        #expect(names.prefix(2) == ["file_id", "event"])
        #expect(names.suffix(4) == ["lap", "event", "session", "activity"])
        #expect(all("file_id").first?["type"] as? String == "activity")
        #expect(all("file_id").first?["time_created"] as? String == "2026-09-05 17:04:00+00:00")
        // The timer is stopped in the rest.
        #expect(
            all("event").map { $0["event_type"] as? String }
                == ["start", "stop_all", "start", "stop_all"])
        #expect(
            all("event").map { ($0["timestamp"] as? String)?.dropFirst(14).prefix(5) }
                == ["04:00", "04:30", "04:50", "05:20"])
        let records = all("record")
        #expect(records.first?["timestamp"] as? String == "2026-09-05 17:04:00+00:00")
        #expect(records.last?["timestamp"] as? String == "2026-09-05 17:05:20+00:00")
        let distances = numbers("distance", in: records)
        #expect(distances.first == 0 && distances.last == 250 && distances.contains(125))
        let last = try #require(records.last)
        #expect(numbers("power", in: [last]) == [200] && numbers("cadence", in: [last]) == [24])
        #expect(numbers("heart_rate", in: [last]) == [160])
        #expect(numbers("speed", in: [last]) == [4.149])
        let laps = all("lap")
        #expect(laps.last?["start_time"] as? String == "2026-09-05 17:04:50+00:00")
        #expect(laps.last?["timestamp"] as? String == "2026-09-05 17:05:20+00:00")
        #expect(numbers("total_timer_time", in: laps) == [30, 30])
        #expect(numbers("total_elapsed_time", in: laps) == [30, 30])
        #expect(numbers("total_distance", in: laps) == [125, 125])
        #expect(numbers("avg_heart_rate", in: laps) == [145, 145])
        #expect(numbers("max_heart_rate", in: laps) == [150, 160])
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

    @Test func ordersTCXElementsBySchema() throws {
        let stroke = Array(
            #"{"ts_ms":1788627843000,"elapsed_s":3.00,"distance_m":10.0}"#.utf8)
        let session = try #require(ExportedSession([.stroke: [stroke]]))
        let text = String(decoding: Self.tcx(session), as: UTF8.self)
        let elements = text.split(separator: "\n").map {
            $0.drop { $0 == " " }.dropFirst().prefix { $0 != ">" && $0 != " " && $0 != "<" }
        }
        let point: [Substring] = ["Trackpoint", "Time", "DistanceMeters", "/Trackpoint"]
        #expect(
            elements == [
                "?xml", "TrainingCenterDatabase", "Activities", "Activity", "Id", "Lap",
                "TotalTimeSeconds", "DistanceMeters", "Calories", "Intensity", "TriggerMethod",
                "Track",
            ] + point + point + point + point + [
                "/Track", "/Lap", "Notes", "/Activity", "/Activities", "/TrainingCenterDatabase",
            ])
    }

    @Test(.enabled(if: PythonPackage.hasTrainingFiles, ExportReaderTests.needs))
    func clampsValuesToTheFITField() async throws {
        let stroke = SyntheticPiece.stroke(at: 3, 10, watts: 70_000, rate: 300, heartRate: 255)
        let session = try #require(ExportedSession([.stroke: [stroke]]))
        let record = try #require(
            try await messages(session).last { $0["message"] as? String == "record" })
        #expect(record["power"] as? Int == 65_534)
        #expect(record["cadence"] as? Int == 254 && record["heart_rate"] as? Int == 254)
    }
}
