import Foundation
import TestSupport
import Testing

/// What is rowed in the simulator and what a subscriber gets, held against each other.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct TruthTests {
    /// The wire's resolution, for fields that stand in both accounts: half a count either way.
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

    /// Goal: every stroke, split and result of eight ergs arrives once, with the values rowed.
    /// Method: 500 m at eight times speed, begun when every monitor streams; mosquitto_sub's
    /// account against the simulator's.
    @Test(.timeLimit(.minutes(30)))
    func eightErgsRow500Meters() async throws {
        let room = try await SimulatedRoom(
            simulator: "--workout wait --speed 8 --link-speed 4 --seed 7".words)
        let gateway = try await room.startGateway(untilAllHaveRowed: 500)
        await expectAllIsTold(room)

        #expect(await gateway.terminate() == 0)
    }

    /// Goal: each erg's own carrier is used, and both tell the same piece as it was rowed; what was
    /// recorded of them tells it once more.
    /// Method: 500 m, one erg dedicated and one multiplexed, both against the simulator's account;
    /// the log says how many characteristics each link subscribed; the ring's raw values through
    /// `log export --raw` and `normalize` against what was published.
    @Test(.timeLimit(.minutes(30)))
    func eachErgHasItsCarrier() async throws {
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--workout 500m --speed 8 --link-speed 4 --seed 11".words,
            ergLines: [1: "carrier = \"dedicated\"", 2: "carrier = \"multiplexed\""])
        let gateway = try await room.startGateway(untilPieces: 2)
        await expectAllIsTold(room)
        #expect(Self.subscriptions(of: "430000001", in: gateway.text) ?? 0 > 10)
        // 0x0022 and 0x0080.
        #expect(Self.subscriptions(of: "430000002", in: gateway.text) == 2)
        for erg in ["erg-1", "erg-2"] { try await room.expectReplay(of: erg) }
        try await expectTheLogTells(room, gateway)
    }

    /// What the log's tools say beside the daemon and, once it is killed, without it.
    private func expectTheLogTells(_ room: SimulatedRoom, _ gateway: ChildProcess) async throws {
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
        let ofErg = try await room.pipeline([["log", "export", "--raw", "--erg", "erg-2"] + ring])
        let ofSession = try await room.pipeline([
            ["log", "export", "--raw", "--session", session] + ring
        ])
        #expect(!ofErg.isEmpty && ofSession == ofErg)
        try await expectDamageToFail(room)
    }

    /// A byte of the ring's first records is changed: `log verify` says so and ends with 1.
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

    /// Goal: of strokes that are rowed while a link is set up none is lost whose packets came: also
    /// not those that came before the status, which is subscribed last.
    /// Method: two ergs row 500 m at eight times speed, some fifteen seconds of which pass while
    /// their links are made anew; what did not come lies in gaps.
    @Test(.timeLimit(.minutes(30)))
    func rowedWhileLinksAreSetUp() async throws {
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--workout 500m --speed 8 --link-speed 1 --seed 13".words)
        let gateway = try await room.startGateway(untilStrokes: 3)
        try await room.command(#"{"cmd":"drop"}"#)
        // For their clock the ergs were away for longer than we were: two sessions each.
        let finished = await eventually {
            room.messages(ofKind: "manifest").count == 4
        }
        try #require(finished, "\(gateway.text)")
        room.expectUniqueRecords()
        #expect(room.unsentStrokes > 0)
        await expectSame(
            "stroke", key: "stroke", room, "stroke", Self.strokeFields, atLeast: true)
        let gaps = room.messages(ofKind: "gap")
        for record in room.truth where record["kind"] as? String == "unsent_stroke" {
            let (erg, number) = (Self.erg(record), record["stroke"] as? Int ?? 0)
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

    /// Goal: a monitor without 0x003D gives a force curve for every stroke all the same.
    /// Method: 2016's firmware rows 100 m; the curves that were asked for through CSAFE, whole,
    /// have the peak that the stroke's own packet told.
    @Test(.timeLimit(.minutes(30)))
    func oldFirmwareIsAskedForItsForce() async throws {
        let room = try await SimulatedRoom(
            ergs: 1, simulator: "--workout 100m --firmware old --link-speed 4 --seed 5".words)
        _ = try await room.startGateway(untilPieces: 1)
        await expectAllIsTold(room)
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
            let told = try #require(stroke["peak_force_n"] as? Double)
            let peak = try #require((curve["force_n"] as? [Double])?.max())
            #expect(told - 4.5...told + 0.5 ~= peak, "stroke \(number): \(peak), told \(told)")
        }
        // Requests and replies are recorded too.
        try await room.expectReplay(of: "erg-1")
    }

    /// What the log says of how many characteristics notify.
    private static func subscriptions(of serial: String, in log: String) -> Int? {
        let line = log.split(separator: "\n").first { $0.contains("connected to PM5 \(serial)") }
        return line?.firstMatch(of: #/ characteristics=(\d+)/#).flatMap { Int($0.1) }
    }

    /// Every stroke, split and result arrived once, with the values rowed.
    private func expectAllIsTold(_ room: SimulatedRoom) async {
        room.expectUniqueRecords()
        #expect(room.unsentStrokes == 0)
        await expectSame("stroke", key: "stroke", room, "stroke", Self.strokeFields)
        await expectSame("split", key: "split", room, "split", Self.splitFields)
        await expectSame("result", key: "revision", room, "summary", Self.resultFields)
    }

    /// Goal: the recording of a real PM5 comes out with the figures its monitor showed.
    /// Method: ErgometerJS's 100 m piece, replayed to one erg; skipped without the recording.
    @Test(.enabled(if: Recording.exists), .timeLimit(.minutes(30)))
    func recordedPiece() async throws {
        let room = try await SimulatedRoom(
            ergs: 1, simulator: "--speed 4 --link-speed 4 --replay".words + [Recording.path])
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
        #expect(summary["result_time_s"] as? Double == 25.0)
        #expect(summary["avg_stroke_rate_spm"] as? Int == 24)
        #expect(summary["avg_power_w"] as? Int == 179)
        #expect(summary["verified_against_pm5"] as? Bool == true)
        #expect(room.messages(ofKind: "split").count == 1)
        room.expectUniqueRecords()
    }

    /// The place of the monitor that a record of the truth is about.
    private static func erg(_ record: [String: Any]) -> String {
        "erg-\((Int(record["erg"] as? String ?? "") ?? 0) - 430_000_000)"
    }

    /// Holds what was received against what was rowed, record by record and field by field; `atLeast`
    /// allows for more.
    ///
    /// Ergs go on meanwhile: who wears a belt gets a second result a minute after the first. What
    /// was rowed by now is to arrive, and what has arrived by then was rowed.
    private func expectSame(
        _ truthKind: String, key: String, _ room: SimulatedRoom, _ kind: String,
        _ fields: [(name: String, tolerance: Double)], atLeast: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let rowed = Self.rowed(truthKind, key: key, in: room)
        #expect(!rowed.isEmpty, "nothing was rowed", sourceLocation: sourceLocation)
        _ = await eventually {
            rowed.keys.allSatisfy(Set(Self.received(kind, key: key, in: room).keys).contains)
        }
        let received = Self.received(kind, key: key, in: room)
        let surplus = Set(received.keys).subtracting(Self.rowed(truthKind, key: key, in: room).keys)
        #expect(
            atLeast || surplus.isEmpty, "\(kind), not rowed: \(surplus)",
            sourceLocation: sourceLocation)
        for (name, record) in rowed {
            guard let message = received[name] else {
                Issue.record("\(kind) \(name) did not arrive", sourceLocation: sourceLocation)
                continue
            }
            for field in fields {
                guard let expected = record[field.name] as? Double else { continue }
                let value = message[field.name] as? Double ?? .nan
                #expect(
                    abs(value - expected) <= field.tolerance + 1e-9,
                    "\(kind) \(name) \(field.name): \(value), rowed \(expected)",
                    sourceLocation: sourceLocation)
            }
        }
    }

    /// What was rowed so far, by erg and the value of `key`.
    private static func rowed(
        _ kind: String, key: String, in room: SimulatedRoom
    ) -> [String: [String: Any]] {
        let records = room.truth.filter { $0["kind"] as? String == kind }
        return Dictionary(
            records.map { ("\(erg($0))/\($0[key] ?? "")", $0) }, uniquingKeysWith: { $1 })
    }

    /// What was received so far, likewise.
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

/// A whole connection of a real PM5, kept beside the project and not in it.
enum Recording {
    static let path = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent("shared/pm5/vectors/session-ergometerjs-row100m.jsonl").path
    static var exists: Bool { FileManager.default.fileExists(atPath: path) }
}
