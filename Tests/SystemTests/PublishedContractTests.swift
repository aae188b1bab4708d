import Foundation
import TestSupport
import Testing

/// Validates published messages against the published schemas with a third-party validator.
@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct PublishedContractTests {
    private static let needsValidator: Comment =
        "jsonschema is not installed and could not be: python3 -m pip install jsonschema"

    /// Validates all messages of five rooms with Python's jsonschema. Each kind and field must occur.
    @Test(.enabled(if: PythonPackage.hasJSONSchema, needsValidator), .timeLimit(.minutes(30)))
    func matchesTheSchemas() async throws {
        async let sessions = everyKindOfSession()
        async let lost = lostLink()
        async let full = fullAdapter()
        async let late = lateBroker()
        async let targeted = workoutWithTargets()
        let rooms = try await [sessions, lost, full, late, targeted]
        let folder = try TemporaryFolder()
        let files = try rooms.enumerated().map { number, received in
            let file = folder.path("\(number).jsonl")
            try received.write(toFile: file, atomically: true, encoding: .utf8)
            return file
        }
        let validation = try await Self.validate(["--cover"], files)
        #expect(validation.status == 0, "\(validation.text)")
    }

    @Test(
        .enabled(if: PythonPackage.hasJSONSchema, needsValidator),
        arguments: [
            (#"{"pm5":1}"#, "'v' is a required property"), ("{", "not JSON"),
            (#"{"a":NaN}"#, "NaN is not a JSON number"), (#"{"v":1,"v":1}"#, "duplicate key"),
        ])
    func validatorReportsErrors(payload: String, problem: String) async throws {
        let message: [String: Any] = [
            "topic": "rowgate/v1/g/erg/e/live", "qos": 0, "retain": 0, "payload": payload,
        ]
        let folder = try TemporaryFolder()
        let file = folder.path("messages.jsonl")
        try JSONSerialization.data(withJSONObject: message).write(to: URL(fileURLWithPath: file))
        let validation = try await Self.validate([], [file])
        #expect(validation.status == 1)
        #expect(validation.text.contains(problem), "\(validation.text)")
    }

    private static func validate(
        _ options: [String], _ files: [String]
    ) async throws -> (text: String, status: Int32?) {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = here.deletingLastPathComponent().deletingLastPathComponent()
        let process = try ChildProcess(
            "python3",
            [here.appendingPathComponent("Interop/validate_messages.py").path] + options
                + [root.appendingPathComponent("config/schema/v1").path] + files,
            environment: ["PYTHONPATH": PythonPackage.folder])
        let status = await process.waitForExit()
        return (process.text, status)
    }

    // MARK: - Rooms

    /// Distance, time, calories and intervals with a known athlete, up to the recovery heart rate, and each
    /// verb that needs no permission.
    private func everyKindOfSession() async throws -> String {
        let room = try await SimulatedRoom(
            ergs: 4,
            simulator: "--speed 8 --link-speed 4 --seed 3 --workout".words
                + ["100m 0:20 5cal 2x100m/0:20r"])
        try room.configure(
            "[[crew]]\nname = \"pair\"\nergs = [\"erg-1\", \"erg-2\"]\n"
                + "[homeassistant]\ndiscovery = \"always\"\n")
        let gateway = try await room.startGateway()
        // The gateway subscribes to commands after the birth; earlier commands are lost.
        let isListening = await eventually {
            do { try await request(room, "cmd/ping") } catch { return false }
            return room.messages.contains { $0.topic.hasSuffix("/rsp/ping") }
        }
        #expect(isListening, "\(gateway.text)")
        try await request(room, "erg/all/cmd/assign", #""athlete_id":"crew-7""#)
        try await request(room, "cmd/crew", #""crew":"four","members":["erg-1","erg-4"]"#)
        let finished = await eventually {
            let summaries = room.messages(ofKind: "summary")
            return Set(summaries.compactMap(\.erg)).count == 4
                && Set(room.messages(ofKind: "manifest").compactMap(\.erg)).count == 4
                && summaries.contains { $0.fields["recovery_heart_rate_bpm"] != nil }
        }
        #expect(finished, "\(gateway.text)")
        try await request(room, "cmd/diag")
        try room.configure("[live]\ninterval_ms = 250\n[commands]\nenabled = true\nforget = true\n")
        try await request(room, "cmd/reload")
        try await request(room, "erg/erg-1/cmd/identify")
        try await request(
            room, "cmd/replay", #""erg":"erg-1","kind":"stroke","from_seq":1,"to_seq":2"#)
        try await request(room, "cmd/announce")
        try await request(room, "cmd/forget", #""athlete_id":"nobody-we-know""#)
        let isAnswered = await eventually {
            let replies = room.messages.filter { $0.topic.contains("/rsp/") }
            return Set(replies.map(\.kind))
                == [
                    "assign", "crew", "ping", "diag", "reload", "identify", "replay", "announce",
                    "forget",
                ]
        }
        #expect(isAnswered, "\(gateway.text)")
        let births = room.messages.filter { $0.topic.hasSuffix("/birth") }
        #expect(births.count >= 2, "the birth is published again before the reply")
        // The current minute ends with the gateway. The next gateway publishes rollups that are still
        // missing.
        #expect(await gateway.terminate() == 0)
        let next = try await room.startGateway()
        let isPublished = await eventually {
            let minutes = room.messages.filter { $0.topic.hasSuffix("/crew/rollup") }
            return Set(minutes.compactMap { $0.fields["crew"] as? String }) == ["pair", "four"]
        }
        #expect(isPublished, "\(gateway.text)\(next.text)")
        return room.received
    }

    private func request(_ room: SimulatedRoom, _ verb: String, _ fields: String = "") async throws {
        let request = #"{"request_id":"r-1"\#(fields.isEmpty ? "" : ",")\#(fields)}"#
        try await room.broker.publish(request, to: "rowgate/v1/test/\(verb)")
    }

    /// A lost link during a session, and an invalid ring file at the start. Runs in real time, because the
    /// gateway limits a gap to the strokes that are possible in that time.
    private func lostLink() async throws -> String {
        let room = try await SimulatedRoom(
            ergs: 1, simulator: "--workout 200m/100m --link-speed 8 --seed 11".words)
        try Data(repeating: 0x55, count: 1 << 20)
            .write(to: URL(fileURLWithPath: room.folder.path("ring.log")))
        let gateway = try await room.startGateway()
        try #require(
            await eventually { room.strokeCounts[0] >= 1 },
            "\(gateway.text)")
        // The monitor first stops sending, so that strokes are lost before the link is.
        try await room.command(#"{"cmd":"hang","on":true}"#)
        let isStale = await eventually {
            room.messages(ofKind: "live").contains { $0.fields["stale"] as? Bool == true }
        }
        #expect(isStale, "\(gateway.text)")
        // Long enough for an alert and its acknowledgement.
        try await room.command(#"{"cmd":"drop","pm":1,"back":15}"#)
        try await room.command(#"{"cmd":"hang","on":false}"#)
        try await acknowledgeAlert(at: room)
        let isPublished = await eventually {
            room.messages(ofKind: "gap").contains { $0.fields["to_stroke"] != nil }
                && room.messages(ofKind: "marks").contains { $0.fields["gap_last_seq"] != nil }
                && room.messages(ofKind: "alert", of: "erg-1")
                    .contains { $0.fields["resolution"] != nil }
        }
        #expect(isPublished, "\(gateway.text)")
        return room.received
    }

    /// Acknowledges the firing alert, and an unknown one.
    private func acknowledgeAlert(at room: SimulatedRoom) async throws {
        #expect(await eventually { !room.messages(ofKind: "alert", of: "erg-1").isEmpty })
        let alert = try #require(room.messages(ofKind: "alert", of: "erg-1").first)
        let id = try #require(alert.fields["alert_id"] as? String)
        let acknowledged = try await room.control(["alerts", "ack", id, "--by", "anna"])
        #expect(acknowledged.status == 0, "\(acknowledged.text)")
        #expect(
            acknowledged.text.contains("link_lost of erg-1 is acknowledged by anna"),
            "\(acknowledged.text)")
        let list = try await room.control(["alerts"])
        #expect(list.text.contains(" by anna  \(id)"), "\(list.text)")
        let unknown = try await room.control(["alerts", "ack", "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"])
        #expect(unknown.status == 1, "\(unknown.text)")
        #expect(
            unknown.text.contains("unknown_alert  no firing alert has this id"), "\(unknown.text)")
    }

    /// Two ergs that wait for a workout, and get one with a target of each quantity.
    private func workoutWithTargets() async throws -> String {
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--speed 8 --link-speed 4 --seed 3 --workout wait".words)
        try room.configure("[commands]\nenabled = true\n")
        let gateway = try await room.startGateway()
        let isListening = await eventually {
            room.messages(ofKind: "state").count { $0.fields["state"] as? String == "ready" } == 2
        }
        #expect(isListening, "\(gateway.text)")
        let bands =
            [("pace", "s_per_500m", 60, 600), ("power", "w", 1, 2000)]
            + [("stroke_rate", "spm", 10, 60), ("heart_rate", "bpm", 30, 250)]
        let target = bands.map { quantity, unit, low, high in
            #""target_\#(quantity)_min_\#(unit)":\#(low),"target_\#(quantity)_max_\#(unit)":\#(high)"#
        }
        let isSet = await eventually {
            try? await request(
                room, "erg/all/cmd/workout",
                #""type":"distance","distance_m":200,"# + target.joined(separator: ","))
            return room.messages.contains { $0.topic.hasSuffix("/rsp/workout") }
        }
        #expect(isSet, "\(gateway.text)")
        let isCompared = await eventually {
            room.messages(ofKind: "summary").contains { $0.fields["in_target_ratio"] != nil }
                && room.messages(ofKind: "stroke").contains {
                    $0.fields["heart_rate_vs_target"] != nil
                }
        }
        #expect(isCompared, "\(gateway.text)")
        return room.received
    }

    /// Two ergs on an adapter with one slot.
    private func fullAdapter() async throws -> String {
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--adapters hci0:1 --link-speed 8".words,
            ergLines: [2: "[bluetooth]\nslots = 1"])
        let gateway = try await room.startGateway()
        let isParked = await eventually {
            room.messages(ofKind: "state").contains { $0.fields["state"] as? String == "parked" }
        }
        #expect(isParked, "\(gateway.text)")
        return room.received
    }

    /// A scan that another program left running causes adapter resets. The broker starts while an erg is
    /// offline, and first receives the last `health` from before its start.
    private func lateBroker() async throws -> String {
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--speed 4 --link-speed 8".words,
            brokerRuns: false)
        for adapter in ["hci0", "hci1"] {
            try await room.command(#"{"cmd":"leave_scan","hci":"\#(adapter)"}"#)
        }
        let gateway = try await room.startGateway()
        let isRowing = await eventually {
            room.truth.count { $0["kind"] as? String == "stroke" } >= 1
        }
        #expect(isRowing, "\(gateway.text)")
        try await room.command(#"{"cmd":"drop","pm":2,"back":600}"#)
        let uptime = { () async -> Double in
            let gateway = (try? await room.status())?["gateway"] as? [String: Any]
            return gateway?["uptime_s"] as? Double ?? 0
        }
        // The gateway updates health every 3 s.
        let dropped = await uptime()
        #expect(await eventually { await uptime() > dropped + 4 })
        try await room.startBroker(aheadOf: gateway)
        let isReported = await eventually {
            room.messages(ofKind: "event").contains {
                $0.fields["event"] as? String == "adapter_reset"
            }
                && room.messages(ofKind: "health").contains { $0.fields["backlog_age_s"] != nil }
        }
        #expect(isReported, "\(gateway.text)")
        return room.received
    }
}
