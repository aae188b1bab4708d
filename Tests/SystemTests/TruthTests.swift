import Foundation
import TestSupport
import Testing

/// Compares the messages of a subscriber with the log of the simulator.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct TruthTests {
    /// Fields of both the simulator's log and the messages. The tolerance is half of the wire's resolution.
    private static let strokeFields: [(name: String, tolerance: Double)] = [
        ("elapsed_s", 0.005), ("distance_m", 0.05), ("power_w", 0.5), ("drive_length_m", 0.005),
        ("drive_time_s", 0.005), ("recovery_time_s", 0.005), ("stroke_distance_m", 0.005),
        ("peak_force_n", 0.23), ("avg_force_n", 0.23), ("work_j", 0.05),
        ("projected_time_s", 0.5),
    ]
    private static let splitFields: [(name: String, tolerance: Double)] = [
        ("duration_s", 0.05), ("distance_m", 0.5), ("avg_stroke_rate_spm", 0.5),
        ("avg_pace_s_per_500m", 0.05), ("avg_power_w", 0.5), ("calories_kcal", 0.5),
        ("avg_drag_factor", 0.5), ("work_heart_rate_bpm", 0.5),
    ]
    private static let resultFields: [(name: String, tolerance: Double)] = [
        ("result_time_s", 0.005), ("distance_m", 0.05), ("avg_pace_s_per_500m", 0.05),
        ("avg_power_w", 0.5), ("avg_stroke_rate_spm", 0.5), ("drag_factor_avg", 0.5),
        ("calories_kcal", 0.5), ("strokes", 0.5), ("splits", 0.5),
    ]

    /// Compares mosquitto_sub's messages with the simulator's log of a 500 m workout at eight times
    /// speed.
    @Test(.timeLimit(.minutes(30)))
    func publishesEveryStrokeOfEightErgs() async throws {
        let room = try await SimulatedRoom(
            simulator: "--workout wait --speed 8 --link-speed 4 --seed 7".words)
        let gateway = try await room.startGateway(untilAllCompleted: 500)
        await expectAllPublished(room)

        #expect(await gateway.terminate() == 0)
    }

    /// One erg uses dedicated characteristics, the other the multiplexed one. Also replays the ring's raw
    /// values with `log export --raw` and `normalize`.
    @Test(.timeLimit(.minutes(30)))
    func eachErgUsesItsCarrier() async throws {
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--workout 500m --speed 8 --link-speed 4 --seed 11".words,
            ergLines: [1: "carrier = \"dedicated\"", 2: "carrier = \"multiplexed\""])
        let gateway = try await room.startGateway(untilSessions: 2)
        await expectAllPublished(room)
        #expect(Self.subscriptions(of: "430000001", in: gateway.text) ?? 0 > 10)
        // 0x0022 and 0x0080.
        #expect(Self.subscriptions(of: "430000002", in: gateway.text) == 2)
        for erg in ["erg-1", "erg-2"] { try await room.expectReplay(of: erg) }
        try await expectLogCommands(room, gateway)
    }

    /// Checks the `log` commands with the running daemon and after it was killed.
    private func expectLogCommands(_ room: SimulatedRoom, _ gateway: ChildProcess) async throws {
        let ring = ["--ring", room.ring]
        for isRunning in [true, false] {
            if !isRunning {
                gateway.signal(SIGKILL)
                _ = await gateway.waitForExit()
            }
            let strokes = room.messages(ofKind: "stroke", of: "erg-1").count
            let exported = try await room.pipeline([
                ["log", "export", "--erg", "erg-1", "--kind", "stroke", "--format", "csv"] + ring
            ])
            #expect(exported.split(separator: "\r\n").count == strokes + 1)
            let newest = try await room.pipeline([
                ["log", "tail", "-n", "1", "--json", "--kind", "manifest"] + ring
            ])
            #expect(newest.contains(#""kind":"manifest""#))
            let info = try await room.pipeline([["log", "info"] + ring])
            #expect(info.contains("erg/erg-1/stroke") && info.contains("erg-2 raw values"))
            let verified = try await room.pipeline([["log", "verify"] + ring])
            #expect(verified.contains(", intact\n"))
        }
        let session = try #require(
            room.messages(ofKind: "session", of: "erg-2").first?.fields["session_id"] as? String)
        let ergValues = try await room.pipeline([["log", "export", "--raw", "--erg", "erg-2"] + ring])
        let sessionValues = try await room.pipeline([
            ["log", "export", "--raw", "--session", session] + ring
        ])
        #expect(!ergValues.isEmpty && sessionValues == ergValues)
        try await expectDamageToFail(room)
    }

    /// Changes a byte of the ring's first records. `log verify` must report it and exit with 1.
    private func expectDamageToFail(_ room: SimulatedRoom) async throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: room.ring))
        try file.seek(toOffset: 8300)
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: 8300)
        try file.write(contentsOf: Data([byte ^ 1]))
        try file.close()
        let (text, status) = try await room.control(["log", "verify", "--ring", room.ring])
        #expect(status == 1)
        #expect(text.contains("segment 0: ") && text.contains("1 damaged stretch in 1 segment"))
    }

    /// Two ergs row 500 m at eight times speed; reconnecting takes about 15 s of their time. Received
    /// packets may precede the status, to which the gateway subscribes last.
    @Test(.timeLimit(.minutes(30)))
    func keepsStrokesDuringLinkSetup() async throws {
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--workout 500m --speed 8 --link-speed 1 --seed 13".words)
        let gateway = try await room.startGateway(untilStrokes: 3)
        try await room.command(#"{"cmd":"drop"}"#)
        // In simulated time the links were down for so long that each erg has two sessions.
        let finished = await eventually {
            room.messages(ofKind: "manifest").count == 4
        }
        try #require(finished, "\(gateway.text)")
        room.expectUniqueRecords()
        #expect(room.unsentStrokes > 0)
        await expectEqualRecords(
            "stroke", key: "stroke", room, "stroke", Self.strokeFields, atLeast: true)
        let gaps = room.messages(ofKind: "gap")
        for record in room.truth where record["kind"] as? String == "unsent_stroke" {
            let (erg, number) = (Self.slug(record), record["stroke"] as? Int ?? 0)
            let isDeclared = gaps.contains {
                let (from, to) = ($0.fields["from_stroke"] as? Int, $0.fields["to_stroke"] as? Int)
                return $0.erg == erg && from.map { $0 <= number } == true
                    && to.map { number <= $0 } == true
            }
            let isReported = room.messages(ofKind: "stroke", of: erg).contains {
                $0.fields["stroke"] as? Int == number
            }
            #expect(isDeclared || isReported, "stroke \(number) of \(erg)")
        }
    }

    /// Firmware of 2016 lacks characteristic 0x003D. Each curve that was read over CSAFE must have the
    /// peak of its stroke.
    @Test(.timeLimit(.minutes(30)))
    func pollsForceCurvesOfOldFirmware() async throws {
        let room = try await SimulatedRoom(
            ergs: 1, simulator: "--workout 100m --firmware old --link-speed 4 --seed 5".words)
        _ = try await room.startGateway(untilSessions: 1)
        await expectAllPublished(room)
        let strokes = room.messages(ofKind: "stroke").map(\.fields)
        #expect(strokes.count >= 8)
        let curves = Dictionary(
            room.messages(ofKind: "force").map(\.fields).map { ($0["stroke"] as? Int ?? 0, $0) },
            uniquingKeysWith: { first, _ in first })
        #expect(curves.count == strokes.count)
        for stroke in strokes {
            let number = try #require(stroke["stroke"] as? Int)
            let curve = try #require(curves[number], "stroke \(number) has no curve")
            #expect(curve["complete"] as? Bool == true, "stroke \(number)")
            let peakForce = try #require(stroke["peak_force_n"] as? Double)
            let peak = try #require((curve["force_n"] as? [Double])?.max())
            #expect(
                peakForce - 4.5...peakForce + 0.5 ~= peak,
                "stroke \(number): \(peak), published \(peakForce)")
        }
        // The ring also records requests and replies.
        try await room.expectReplay(of: "erg-1")
    }

    /// Returns the number of subscribed characteristics in the log.
    private static func subscriptions(of serial: String, in log: String) -> Int? {
        let line = log.split(separator: "\n").first { $0.contains("connected to PM5 \(serial)") }
        return line?.firstMatch(of: #/ characteristics=(\d+)/#).flatMap { Int($0.1) }
    }

    /// Checks that each stroke, split and result was published once with the simulated values.
    private func expectAllPublished(_ room: SimulatedRoom) async {
        room.expectUniqueRecords()
        #expect(room.unsentStrokes == 0)
        await expectEqualRecords("stroke", key: "stroke", room, "stroke", Self.strokeFields)
        await expectEqualRecords("split", key: "split", room, "split", Self.splitFields)
        await expectEqualRecords("result", key: "revision", room, "summary", Self.resultFields)
    }

    @Test(.timeLimit(.minutes(30)))
    func replaysARecording() async throws {
        let room = try await SimulatedRoom(
            ergs: 1,
            simulator: "--speed 4 --link-speed 4 --replay".words
                + [Recordings.path("old-monitor-100m.jsonl")])
        let gateway = try await room.startGateway()
        let finished = await eventually {
            !room.messages(ofKind: "manifest").isEmpty
                && !room.messages(ofKind: "summary").isEmpty
        }
        try #require(finished, "\(gateway.text)")
        let summary = try #require(room.messages(ofKind: "summary").first).fields
        #expect(room.messages(ofKind: "stroke").count == 10)
        #expect(summary["strokes"] as? Int == 10)
        #expect(summary["distance_m"] as? Double == 100.0)
        #expect(summary["result_time_s"] as? Double == 22.72)
        #expect(summary["avg_stroke_rate_spm"] as? Int == 26)
        #expect(summary["avg_power_w"] as? Int == 239)
        #expect(summary["verified_against_pm5"] as? Bool == true)
        #expect(room.messages(ofKind: "split").count == 1)
        room.expectUniqueRecords()
    }

    /// Returns the slug of the erg of a simulated record.
    private static func slug(_ record: [String: Any]) -> String {
        "erg-\((Int(record["erg"] as? String ?? "") ?? 0) - 430_000_000)"
    }

    /// Compares received and simulated records field by field; `atLeast` permits additional messages.
    ///
    /// Records can be added meanwhile: an erg with a heart rate belt gets a second result after a minute.
    /// So the method reads the simulator's log again for additional messages.
    private func expectEqualRecords(
        _ truthKind: String, key: String, _ room: SimulatedRoom, _ kind: String,
        _ fields: [(name: String, tolerance: Double)], atLeast: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let simulated = Self.simulated(truthKind, key: key, in: room)
        #expect(!simulated.isEmpty, "the simulator has no record", sourceLocation: sourceLocation)
        _ = await eventually {
            simulated.keys.allSatisfy(Set(Self.received(kind, key: key, in: room).keys).contains)
        }
        let received = Self.received(kind, key: key, in: room)
        let surplus = Set(received.keys).subtracting(Self.simulated(truthKind, key: key, in: room).keys)
        #expect(
            atLeast || surplus.isEmpty, "\(kind), not simulated: \(surplus)",
            sourceLocation: sourceLocation)
        for (name, record) in simulated {
            guard let message = received[name] else {
                Issue.record("\(kind) \(name) did not arrive", sourceLocation: sourceLocation)
                continue
            }
            for field in fields {
                guard let expected = record[field.name] as? Double else { continue }
                let value = message[field.name] as? Double ?? .nan
                #expect(
                    abs(value - expected) <= field.tolerance + 1e-9,
                    "\(kind) \(name) \(field.name): \(value), simulated \(expected)",
                    sourceLocation: sourceLocation)
            }
        }
    }

    /// Returns simulated records by erg and value of `key`.
    private static func simulated(
        _ kind: String, key: String, in room: SimulatedRoom
    ) -> [String: [String: Any]] {
        let records = room.truth.filter { $0["kind"] as? String == kind }
        return Dictionary(
            records.map { ("\(slug($0))/\($0[key] ?? "")", $0) }, uniquingKeysWith: { $1 })
    }

    /// Returns received messages by erg and value of `key`.
    private static func received(
        _ kind: String, key: String, in room: SimulatedRoom
    ) -> [String: [String: Any]] {
        Dictionary(
            room.messages(ofKind: kind).map {
                ("\($0.erg ?? "")/\($0.fields[key] ?? "")", $0.fields)
            },
            uniquingKeysWith: { $1 })
    }
}
