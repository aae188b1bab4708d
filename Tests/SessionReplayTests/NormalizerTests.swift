import Foundation
import HostRuntime
import PM5Simulator
import Testing

@testable import Bytes
@testable import SessionReplay

/// A whole recording through the normalizer.
private struct Normalization {
    var output: [UInt8] = []
    var remarks: [String] = []
    var syntaxErrors = 0
    var undecodableValues = 0

    init(_ recording: [UInt8], pieceLength: Int = .max) {
        let settings = Normalizer.Settings(
            gateway: "boathouse", station: "seat-3", liveInterval: .milliseconds(500))
        var normalizer = Normalizer(settings!)
        var rest = recording[...]
        while !rest.isEmpty {
            remarks += normalizer.consume(rest.prefix(pieceLength), into: &output)
            rest = rest.dropFirst(pieceLength)
        }
        remarks += normalizer.finish(into: &output)
        syntaxErrors = normalizer.syntaxErrors
        undecodableValues = normalizer.undecodableValues
    }

    /// The payloads of a topic, by its last level.
    func payloads(_ level: String) throws -> [[String: Any]] {
        try lines(output).compactMap { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            guard let topic = object?["topic"] as? String else { return nil }
            return topic == "rowgate/v1/boathouse/erg/seat-3/\(level)"
                ? object?["payload"] as? [String: Any] : nil
        }
    }
}

/// A recorded connection beside the project, which is not part of it.
private func recording(_ name: String) -> [UInt8]? {
    var folder = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    let file = folder.appending(path: "shared/pm5/vectors/session-\(name).jsonl")
    return (try? Data(contentsOf: file)).map(Array.init)
}

private let realPiece = recording("ergometerjs-row100m")
private let emulatedPiece = recording("orm-emulator-justrow")

@Suite struct NormalizerTests {
    /// Recordings of the simulated erg: 60 m to the recovery heart rate; and two intervals inside
    /// 0x0080 of which 15 s were not heard.
    static let recordings = ["distance-60m", "intervals-multiplexed"]

    @Test(arguments: recordings, [Int.max, 1, 1000])
    func matchesGoldenFile(recording: String, pieceLength: Int) throws {
        // One line of each kind of value and error.
        let input = try GoldenFile("\(recording).in.jsonl").bytes
        let normalization = Normalization(input, pieceLength: pieceLength)
        try GoldenFile("\(recording).out.jsonl").expect(normalization.output)
        #expect(normalization.remarks == [])
        #expect(normalization.syntaxErrors == 0)
        #expect(normalization.undecodableValues == 0)
    }

    @Test(arguments: recordings)
    func manifestMatchesStrokes(recording: String) throws {
        // Numbers, times and digest are computed from the lines.
        let normalization = Normalization(try GoldenFile("\(recording).in.jsonl").bytes)
        let strokes = try normalization.payloads("stroke")
        #expect(strokes.compactMap { $0["seq"] as? Int } == Array(1...strokes.count))
        let times = strokes.compactMap { $0["ts_ms"] as? Int }
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        let digest = SHA256Digest()
        for line in lines(normalization.output) where line.contains(#"/stroke","payload":"#) {
            let payload = line.drop { $0 != "," }.dropFirst(#","payload":"#.count).dropLast()
            let stored = payload.replacing(#","historical":false"#, with: "")
            digest.update(Array(stored.utf8))
        }
        let computed = digest.hexadecimal()
        let manifest = try #require(try normalization.payloads("manifest").first)
        #expect(manifest["stroke_sha256"] as? String == computed)
        #expect(manifest["stroke_count"] as? Int == strokes.count)
    }

    @Test func reportsAndSkipsBadLines() throws {
        let good = lines(try GoldenFile("distance-60m.in.jsonl").bytes)
        let bad = [
            "{", #"{"dir":"rx","characteristic":"0x31","hex":"00"}"#,
            #"{"t_ms":-1,"dir":"rx","characteristic":"0x31","hex":"00"}"#,
            #"{"t_ms":1,"dir":"up","characteristic":"0x31","hex":"00"}"#,
            #"{"t_ms":1,"dir":"rx","characteristic":"0x31","hex":"0"}"#,
        ]
        let mixed = (good.prefix(100) + bad + good.dropFirst(100)).joined(separator: "\n")
        let normalization = Normalization(Array(mixed.utf8))
        try GoldenFile("distance-60m.out.jsonl").expect(normalization.output)
        #expect(normalization.syntaxErrors == 1)
        #expect(
            normalization.remarks == [
                "line 101: not JSON: expected a name in quotes at column 2",
                #"line 102: no "t_ms""#, #"line 103: "t_ms" is not a number of milliseconds"#,
                #"line 104: "dir" is not rx, tx or read"#,
                "line 105: hex: 1 digits are not whole bytes",
            ])
    }

    @Test func countsUndecodableValues() throws {
        let text = """
            {"t_ms":1,"dir":"rx","characteristic":"0x31","hex":"00"}
            {"t_ms":2,"dir":"rx","characteristic":"0x43","hex":"00"}
            """
        #expect(Normalization(Array(text.utf8)).undecodableValues == 2)
    }

    @Test func acceptsAnyTimes() throws {
        // A gap of a century within a piece; then the same piece with reversed times.
        let all = lines(try GoldenFile("distance-60m.in.jsonl").bytes)
        let late = #"{"t_ms":3100000000000,"characteristic":"0x34","hex":"01"}"#
        let torn = Normalization(Array((all.prefix(150) + [late]).joined(separator: "\n").utf8))
        #expect(try torn.payloads("session").last?["event"] as? String == "ended")
        #expect(try torn.payloads("summary").first?["complete"] as? Bool == false)
        #expect(try torn.payloads("gap").count == 1)
        let reversed = Normalization(Array(all.reversed().joined(separator: "\n").utf8))
        #expect(reversed.syntaxErrors == 0)
    }

    /// One of every workout type that a PM5 has.
    static let workouts = [
        "just-row/0/1:00", "just-row/1:00", "200m/0", "200m", "1:00/0", "1:00", "2x0:30/0:15r",
        "2x100m/0:20r", "100m/0:20r+0:30/0:15r", "100m/r+0:30", "15cal", "100wm", "2x8cal/0:20r",
    ]

    @Test(arguments: workouts)
    func messagesMatchTheTruthOfEveryWorkout(_ workout: String) throws {
        let recording = try SimulatedRecording(workout, seed: 3)
        let normalization = Normalization(recording.lines)
        #expect(normalization.remarks == [] && normalization.undecodableValues == 0)
        for (kind, level) in [
            (TruthRecord.Kind.stroke, "stroke"), (.split, "split"), (.result, "summary"),
        ] {
            let truth = recording.records(kind)
            let reported = try normalization.payloads(level)
            // A just row that is left by Menu has no result of the monitor's, and one of ours.
            guard !truth.isEmpty || kind != .result else { continue }
            #expect(reported.count == truth.count, "\(level)")
            for (reported, truth) in zip(reported, truth) {
                expect(reported, truth, "\(level) of \(workout)")
            }
        }
        #expect(try normalization.payloads("gap").isEmpty)
        #expect(try normalization.payloads("force").count == recording.records(.stroke).count)
    }

    /// The fields of a stroke that differ between the two: counted within the interval or within the
    /// session, and taken at the stroke or from a status up to half a second old.
    private static let other: Set = [
        "stroke", "elapsed_s", "distance_m", "interval", "stroke_rate_spm", "heart_rate_bpm",
    ]

    private func expect(_ reported: [String: Any], _ truth: [String: Double], _ place: String) {
        var compared = 0
        for (name, value) in truth {
            guard let found = reported[name] as? Double,
                !(place.hasPrefix("stroke") && Self.other.contains(name))
            else { continue }
            compared += 1
            let isForce = name.hasSuffix("_n")
            #expect(abs(found - value) <= (isForce ? 0.23 : 0.005), "\(place), \(name)")
        }
        #expect(compared >= 4, "\(place): too little in common")
    }

    @Test(.enabled(if: realPiece != nil))
    func normalizesRecordedPiece() throws {
        // The ErgometerJS recording of 100 m; values of its log.
        let normalization = Normalization(try #require(realPiece))
        #expect(normalization.remarks == [])
        #expect(try normalization.payloads("stroke").count == 10)
        #expect(try normalization.payloads("live").count > 40)
        let summary = try #require(try normalization.payloads("summary").first)
        #expect(summary["distance_m"] as? Double == 100)
        #expect(summary["result_time_s"] as? Double == 25)
        #expect(summary["avg_power_w"] as? Int == 179)
        #expect(summary["pm5_serial"] as? String == "430070439")
        #expect(summary["verified_against_pm5"] as? Bool == true)
        // This firmware has no 0x003D; the recorder asked through CSAFE, in blocks of 20 bytes.
        let curves = try normalization.payloads("force")
        let strokes = try normalization.payloads("stroke")
        #expect(curves.count == 9)
        for curve in curves where curve["complete"] as? Bool == true {
            let number = try #require(curve["stroke"] as? Int)
            let peak = try #require(strokes[number - 1]["peak_force_n"] as? Double)
            let highest = try #require(curve["peak_force_n"] as? Double)
            #expect((0..<4.5).contains(peak - highest), "stroke \(number)")
        }
    }

    @Test(.enabled(if: emulatedPiece != nil))
    func normalizesEmulatedPiece() throws {
        // openrowingmonitor's just row, which ends in the middle.
        let normalization = Normalization(try #require(emulatedPiece))
        #expect(normalization.remarks == [])
        #expect(try normalization.payloads("stroke").count == 49)
        let curves = try normalization.payloads("force")
        #expect(curves.compactMap { $0["stroke"] as? Int } == Array(1...49))
        #expect(curves.allSatisfy { $0["complete"] as? Bool == true })
        #expect(try normalization.payloads("split").count == 5)
        #expect(try normalization.payloads("session").last?["event"] as? String == "ended")
    }
}
