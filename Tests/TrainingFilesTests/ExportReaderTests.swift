import Bytes
import Contract
import Foundation
import PM5Simulator
import TestSupport
import Testing

@testable import TrainingFiles

/// Exports of simulated sessions, read by PyPI libraries and compared with the records.
struct ExportReaderTests {
    static let needs = Comment(
        "python3 -m pip install fitdecode garmin-fit-sdk tcxreader python-tcxparser")

    /// The contents of a file according to a library.
    struct Export: Decodable {
        struct Point: Decodable {
            var time: Double
            var distance: Double?
            var speed, watts, heart, cadence: Double?
        }

        struct Lap: Decodable {
            var start, end: Double
            var time, elapsed, distance, meanHeart, mostHeart, watts: Double?
        }

        var points: [Point]
        var laps: [Lap]
        var sport, subSport: String?
        var distance, time, calories: Double?
        var watts: [Double]?
    }

    enum Reader: String, CaseIterable {
        case fitdecode, garmin, tcxreader, tcxparser

        var format: SessionFileFormat { self == .fitdecode || self == .garmin ? .fit : .tcx }
        /// Tolerance of a lap's edges in seconds: FIT has whole seconds.
        var secondsOff: Double { format == .fit ? 0.5 : 0.001 }
    }

    /// A simulated session.
    enum Case: String, CaseIterable {
        case piece = "2000m"
        case intervals = "4x500m/1:00r"
        case shortIntervals = "5x100m/0:30r"
        case times = "4x1:00/0:30r"
        case calories = "3x20cal/0:30r"
        case wattMinutes = "300wm"
        case halfHour = "10:00"
        case mixed = "500m/1:00r+2:00/1:30r+20cal/r+100wm"
        case pause = "just-row/14:00"
        case noBelt = "1000m"
        case lostLink = "3000m"
        case endedEarly = "5000m"

        func simulate() throws -> SimulatedSession {
            switch self {
            case .pause:
                try SimulatedSession(rawValue, pause: (at: 270_000, for: 300_000))
            case .noBelt: try SimulatedSession(rawValue, belt: false)
            case .lostLink: try SimulatedSession(rawValue, away: 200_000..<260_000)
            case .endedEarly: try SimulatedSession(rawValue, stopAt: 500_000)
            default: try SimulatedSession(rawValue)
            }
        }
    }

    static func read(_ reader: String, _ bytes: [UInt8], as kind: String) async throws -> Data {
        let folder = try TemporaryFolder()
        let file = folder.path("session.\(kind)")
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Interop/read_files.py").path
        let process = try ChildProcess(
            "python3", [script, reader, file], environment: ["PYTHONPATH": PythonPackage.folder])
        try #require(await process.waitForExit() == 0, "\(process.text)")
        return Data(process.text.utf8)
    }

    private func export(_ records: SessionRecords, _ reader: Reader) async throws -> Export {
        let bytes = records.file(as: reader.format)
        let data = try await Self.read(reader.rawValue, bytes, as: reader.format.rawValue)
        return try JSONDecoder().decode(Export.self, from: data)
    }

    /// The records as a consumer of the contract parses them.
    private struct PublishedRecords {
        let summary: JSONObject
        let splits, strokes: [JSONObject]

        init(_ records: SessionRecords) throws {
            func all(_ kind: StreamKind) -> [JSONObject] {
                (records.records[kind] ?? []).compactMap { try? JSONObject(parsing: $0) }
            }
            summary = try #require(all(.summary).last)
            (splits, strokes) = (all(.split), all(.stroke))
        }

        var start: Double { Double(summary.number("started_ms") ?? 0) / 1000 }
        var distance: Double { summary.decimal("distance_m") ?? 0 }
        var time: Double { summary.decimal("result_time_s") ?? 0 }
    }

    @Test(.enabled(if: PythonPackage.hasTrainingFiles, needs), arguments: Case.allCases)
    func exportsMatchTheRecordsInEveryReader(_ simulated: Case) async throws {
        let records = try simulated.simulate().written
        let published = try PublishedRecords(records)
        for reader in Reader.allCases {
            let export = try await export(records, reader)
            let label = Comment("\(simulated) \(reader)")
            try check(export, published, reader, label)
            checkTimes(export, published, reader, label)
        }
    }

    /// Checks totals, and begin and end of the laps.
    private func check(
        _ export: Export, _ published: PublishedRecords, _ reader: Reader, _ label: Comment
    ) throws {
        let first = try #require(export.points.first)
        let last = try #require(export.points.last)
        #expect(first.distance == 0, label)
        #expect(abs(first.time - published.start) <= reader.secondsOff, label)
        #expect(abs((last.distance ?? 0) - published.distance) < 0.051, label)
        // Splits are truncated by up to a metre.
        let margin = Double(published.splits.count)
        let metres = export.laps.compactMap(\.distance).reduce(0, +)
        #expect(abs(metres - published.distance) <= margin, label)
        if let distance = export.distance {
            #expect(abs(distance - published.distance) <= margin, label)
        }
        if let time = export.time { #expect(abs(time - published.time) <= margin / 10 + 0.1, label) }
        try #require(export.laps.count == max(1, published.splits.count), label)
        for (lap, split) in zip(export.laps, published.splits) {
            #expect(lap.distance == split.decimal("distance_m"), label)
            if let time = lap.time { #expect(time == split.decimal("duration_s"), label) }
            let publishedAt = Double(split.number("ts_ms") ?? 0) / 1000
            let end = publishedAt - (split.decimal("rest_s") ?? 0)
            #expect(abs(lap.end - end) <= 1.6, "\(label) lap ends at \(lap.end - end) s")
            if reader == .garmin || reader == .tcxparser {
                #expect(lap.meanHeart == split.decimal("avg_heart_rate_bpm"), label)
                #expect(
                    (lap.mostHeart ?? 0) >= split.decimal("work_heart_rate_bpm") ?? 0, label)
            }
        }
        try checkEnds(export, published, label)
    }

    /// Checks that each lap has a point at its end, and that no point lies between laps.
    private func checkEnds(_ export: Export, _ published: PublishedRecords, _ label: Comment) throws {
        var sum = 0.0
        for (lap, split) in zip(export.laps, published.splits) {
            sum += split.decimal("distance_m") ?? 0
            let point = try #require(export.points.first { $0.time >= lap.end - 0.001 }, label)
            #expect(abs(point.time - lap.end) < 0.002, label)
            let isExact = sum.remainder(dividingBy: 100) == 0
            #expect(
                abs((point.distance ?? 0) - sum) <= (isExact ? 0.1 : Double(published.splits.count)),
                "\(label) lap of \(sum) m ends at \(point.distance ?? -1) m")
        }
        for point in export.points {
            #expect(
                export.laps.contains {
                    $0.start - 1.1 <= point.time && point.time <= $0.end + 0.002
                }, "\(label) a point outside all laps, at \(point.time)")
        }
    }

    /// Checks that times increase and that the speed matches the monitor's.
    private func checkTimes(
        _ export: Export, _ published: PublishedRecords, _ reader: Reader, _ label: Comment
    ) {
        // The slowest and fastest stroke; the first ones are from a standstill.
        let paces = zip(published.strokes, published.strokes.dropFirst()).compactMap { one, other in
            let metres = (other.decimal("distance_m") ?? 0) - (one.decimal("distance_m") ?? 0)
            let seconds = (other.decimal("elapsed_s") ?? 0) - (one.decimal("elapsed_s") ?? 0)
            return metres > 2 ? seconds / metres * 500 : nil
        }
        let (low, high) = ((paces.min() ?? 0) * 0.95, (paces.max() ?? 0) * 1.05)
        var steps: [Double] = []
        for (one, other) in zip(export.points, export.points.dropFirst()) {
            #expect(other.time > one.time, label)
            #expect((other.distance ?? 0) >= (one.distance ?? 0), label)
            let seconds = other.time - one.time
            let metres = (other.distance ?? 0) - (one.distance ?? 0)
            if seconds < 2.5, metres > 0 { steps.append(seconds / metres * 500) }
        }
        // The first stroke of each interval is from a standstill.
        let odd = steps.filter { !(low...high).contains($0) }
        #expect(
            odd.count <= 5 * max(1, export.laps.count),
            "\(label) \(odd.count) of \(steps.count): \(odd.prefix(8)), \(low)...\(high)")
        #expect(steps.count >= Int(published.time * 0.75), label)
    }

    @Test(.enabled(if: PythonPackage.hasTrainingFiles, needs))
    func exportsASteadyPace() async throws {
        let records = try SimulatedSession("10:00", seed: 3).written
        for reader in Reader.allCases {
            let points = try await export(records, reader).points
            // A service may compute the pace over five seconds, and from whole seconds.
            for cut in [false, true] {
                let found = points.dropFirst(20).dropLast(5)
                let paces = zip(found, found.dropFirst(5)).map { one, other in
                    let seconds =
                        cut
                        ? other.time.rounded(.down) - one.time.rounded(.down)
                        : other.time - one.time
                    return seconds / ((other.distance ?? 0) - (one.distance ?? 0)) * 500
                }
                let (least, most) = (paces.min() ?? 0, paces.max() ?? 0)
                #expect(
                    most / least < (cut && reader.format == .tcx ? 1.35 : 1.12),
                    "\(reader) \(cut): \(least) to \(most)")
            }
        }
    }

    @Test(.enabled(if: PythonPackage.hasTrainingFiles, needs))
    func exportsPowerWithoutANamespacePrefix() async throws {
        let records = try SimulatedSession("500m").written
        let text = String(decoding: records.file(as: .tcx), as: UTF8.self)
        let tag = #"<TPX xmlns="http://www.garmin.com/xmlschemas/ActivityExtension/v2">"#
        #expect(text.contains(tag) && !text.contains("x:Watts"))
        let strokes = try PublishedRecords(records).strokes.compactMap { $0.decimal("power_w") }
        let watts = try await export(records, .tcxparser).watts ?? []
        #expect(watts.count > strokes.count && Set(watts).isSubset(of: strokes))
        let points = try await export(records, .tcxreader).points
        #expect(points.dropFirst().allSatisfy { ($0.watts ?? 0) > 0 })
    }

    @Test(
        .enabled(if: PythonPackage.hasTrainingFiles, needs),
        arguments: [
            (SimulatedMachine.row, "rowing", "indoor_rowing", "Other"),
            (.slides, "rowing", "indoor_rowing", "Other"),
            (.ski, "cross_country_skiing", "indoor_skiing", "Other"),
            (.bike, "cycling", "indoor_cycling", "Biking"),
        ])
    func exportsTheMachinesSport(
        _ machine: SimulatedMachine, _ sport: String, _ subSport: String, _ type: String
    ) async throws {
        let records = try SimulatedSession("500m", on: machine).written
        for reader in [Reader.fitdecode, .garmin] {
            let export = try await export(records, reader)
            #expect(export.sport == sport && export.subSport == subSport)
        }
        #expect(try await export(records, .tcxreader).sport == type)
    }

    @Test(
        .enabled(if: PythonPackage.hasRowingData, "python3 -m pip install rowingdata"),
        arguments: [SessionFileFormat.tcx, .fit])
    func exportsLapsAndPowerForRowingData(_ format: SessionFileFormat) async throws {
        let records = try SimulatedSession("4x500m/1:00r").written
        let data = try await Self.read(
            "rowingdata", records.file(as: format), as: format.rawValue)
        let export = try JSONDecoder().decode(Export.self, from: data)
        let published = try PublishedRecords(records)
        #expect(export.points.first?.distance == 0)
        #expect(export.points.last?.distance == 2000)
        #expect(export.points.count { ($0.watts ?? 0) > 50 } > Int(published.time * 0.9))
        #expect(export.laps.count == 4)
        for (lap, split) in zip(export.laps, published.splits) {
            let length = split.decimal("duration_s") ?? 0
            #expect(abs(lap.end - lap.start - length) <= 1.1, "\(format)")
        }
    }
}
