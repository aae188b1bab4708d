import Foundation
import PM5Simulator
import TestSupport
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
        var digest = SHA256Digest()
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

    @Test func normalizesAnOldMonitor() throws {
        // Firmware of 2016, without 0x003D and 0x003E.
        let normalization = Normalization(Array(try Recordings.text("old-monitor-100m.jsonl").utf8))
        #expect(normalization.remarks == [])
        let strokes = try normalization.payloads("stroke")
        #expect(strokes.compactMap { $0["stroke"] as? Int } == Array(1...10))
        #expect(strokes.last?["peak_force_n"] as? Double == 756.2, "170.0 lbf")
        #expect(try normalization.payloads("live").count > 40)
        let summary = try #require(try normalization.payloads("summary").first)
        #expect(summary["distance_m"] as? Double == 100)
        #expect(summary["result_time_s"] as? Double == 22.72)
        #expect(summary["avg_power_w"] as? Int == 239)
        #expect(summary["pm5_serial"] as? String == "430000016")
        #expect(summary["verified_against_pm5"] as? Bool == true)
        #expect(try normalization.payloads("force").isEmpty)
    }

    @Test func normalizesAPieceThatEndsInTheMiddle() throws {
        // Strokes have their number at the catch.
        let normalization = Normalization(Array(try Recordings.text("counts-at-the-catch.jsonl").utf8))
        #expect(normalization.remarks == [])
        #expect(try normalization.payloads("stroke").count == 24)
        let curves = try normalization.payloads("force")
        #expect(curves.compactMap { $0["stroke"] as? Int } == Array(1...24))
        #expect(curves.allSatisfy { $0["complete"] as? Bool == true })
        #expect(try normalization.payloads("split").count == 3)
        #expect(try normalization.payloads("session").last?["event"] as? String == "ended")
    }
}
