import Foundation
import TestSupport
import Testing

/// What is really published, against the published schemas, by a validator nobody here wrote.
@Suite(.enabled(if: InstalledPrograms.areAllowed)) struct PublishedContractTests {
    private static let needsValidator: Comment =
        "jsonschema is not installed and could not be: python3 -m pip install jsonschema"

    /// Goal: every message of every kind is as its schema says, and each kind and field is seen.
    /// Method: pieces of every sort, a lost link, a full adapter and one that somebody else scans
    /// with, a damaged ring; python's jsonschema over all that mosquitto_sub received.
    @Test(.enabled(if: PythonPackage.hasJSONSchema, needsValidator), .timeLimit(.minutes(30)))
    func everyKindAndField() async throws {
        async let pieces = everySortOfPiece()
        async let lost = aLinkIsLost()
        async let full = anAdapterIsFull()
        async let late = theBrokerComesLate()
        async let targeted = aTargetIsSet()
        let rooms = try await [pieces, lost, full, late, targeted]
        let folder = try TemporaryFolder()
        let files = try rooms.enumerated().map { number, received in
            let file = folder.path("\(number).jsonl")
            try received.write(toFile: file, atomically: true, encoding: .utf8)
            return file
        }
        let validation = try await Self.validate(["--cover"], files)
        #expect(validation.status == 0, "\(validation.text)")
    }

    /// Goal: the validator can fail. Method: one message of each way to be wrong.
    @Test(
        .enabled(if: PythonPackage.hasJSONSchema, needsValidator),
        arguments: [
            (#"{"pm5":1}"#, "'v' is a required property"), ("{", "no JSON"),
            (#"{"a":NaN}"#, "NaN is no number of JSON"), (#"{"v":1,"v":1}"#, "a key stands twice"),
        ])
    func validatorCanFail(payload: String, complaint: String) async throws {
        let message: [String: Any] = [
            "topic": "rowgate/v1/g/erg/e/live", "qos": 0, "retain": 0, "payload": payload,
        ]
        let folder = try TemporaryFolder()
        let file = folder.path("messages.jsonl")
        try JSONSerialization.data(withJSONObject: message).write(to: URL(fileURLWithPath: file))
        let validation = try await Self.validate([], [file])
        #expect(validation.status == 1)
        #expect(validation.text.contains(complaint), "\(validation.text)")
    }

    private static func validate(
        _ options: [String], _ files: [String]
    ) async throws -> (text: String, status: Int32?) {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = here.deletingLastPathComponent().deletingLastPathComponent()
        let process = try ChildProcess(
            "python3",
            [here.appendingPathComponent("Strangers/validate_messages.py").path] + options
                + [root.appendingPathComponent("config/schema/v1").path] + files,
            environment: ["PYTHONPATH": PythonPackage.folder])
        let status = await process.waitForExit()
        return (process.text, status)
    }

    // MARK: - Rooms

    /// Distance, time, calories and intervals, to the recovery heart rate a minute later, by
    /// somebody who is known; and each verb that needs no permission.
    private func everySortOfPiece() async throws -> String {
        let room = try await SimulatedRoom(
            ergs: 4,
            simulator: "--speed 8 --link-speed 4 --seed 3 --workout".words
                + ["100m 0:20 5cal 2x100m/0:20r"])
        try room.configure(
            "[[crew]]\nname = \"pair\"\nergs = [\"erg-1\", \"erg-2\"]\n"
                + "[homeassistant]\ndiscovery = \"always\"\n")
        let gateway = try await room.startGateway()
        // Commands are subscribed after the birth; one sent earlier would reach nobody.
        let isListening = await eventually {
            do { try await ask(room, "cmd/ping") } catch { return false }
            return room.messages.contains { $0.topic.hasSuffix("/rsp/ping") }
        }
        #expect(isListening, "\(gateway.text)")
        try await ask(room, "erg/all/cmd/assign", #""athlete_id":"crew-7""#)
        try await ask(room, "cmd/crew", #""crew":"four","members":["erg-1","erg-4"]"#)
        let finished = await eventually {
            let summaries = room.messages(ofKind: "summary")
            return Set(summaries.compactMap(\.erg)).count == 4
                && Set(room.messages(ofKind: "manifest").compactMap(\.erg)).count == 4
                && summaries.contains { $0.fields["recovery_heart_rate_bpm"] != nil }
        }
        #expect(finished, "\(gateway.text)")
        try await ask(room, "cmd/diag")
        try room.configure("[live]\ninterval_ms = 250\n[commands]\nenabled = true\nforget = true\n")
        try await ask(room, "cmd/reload")
        try await ask(room, "erg/erg-1/cmd/identify")
        try await ask(
            room, "cmd/replay", #""erg":"erg-1","kind":"stroke","from_seq":1,"to_seq":2"#)
        try await ask(room, "cmd/announce")
        try await ask(room, "cmd/forget", #""athlete_id":"nobody-we-know""#)
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
        #expect(births.count >= 2, "announced once more, ahead of the reply")
        // The minute that is under way ends with the gateway, and the next one tells whatever this one
        // had no time for.
        #expect(await gateway.terminate() == 0)
        let next = try await room.startGateway()
        let isTold = await eventually {
            let minutes = room.messages.filter { $0.topic.hasSuffix("/crew/rollup") }
            return Set(minutes.compactMap { $0.fields["crew"] as? String }) == ["pair", "four"]
        }
        #expect(isTold, "\(gateway.text)\(next.text)")
        return room.received
    }

    private func ask(_ room: SimulatedRoom, _ verb: String, _ fields: String = "") async throws {
        let request = #"{"request_id":"r-1"\#(fields.isEmpty ? "" : ",")\#(fields)}"#
        try await room.broker.publish(request, to: "rowgate/v1/test/\(verb)")
    }

    /// A link is lost in the middle of a piece, in real time, because a gap is judged by what a
    /// rower can do in it; and the ring was no ring when the daemon began.
    private func aLinkIsLost() async throws -> String {
        let room = try await SimulatedRoom(
            ergs: 1, simulator: "--workout 200m/100m --link-speed 8 --seed 11".words)
        try Data(repeating: 0x55, count: 1 << 20)
            .write(to: URL(fileURLWithPath: room.folder.path("ring.log")))
        let gateway = try await room.startGateway()
        try #require(
            await eventually { room.strokeCounts[0] >= 1 },
            "\(gateway.text)")
        // Before that it says nothing for a while, so that strokes are missed already.
        try await room.command(#"{"cmd":"hang","on":true}"#)
        let isStale = await eventually {
            room.messages(ofKind: "live").contains { $0.fields["stale"] as? Bool == true }
        }
        #expect(isStale, "\(gateway.text)")
        // Long enough for an alert, and for somebody who looks at it.
        try await room.command(#"{"cmd":"drop","pm":1,"back":15}"#)
        try await room.command(#"{"cmd":"hang","on":false}"#)
        try await somebodyLooks(at: room)
        let told = await eventually {
            room.messages(ofKind: "gap").contains { $0.fields["to_stroke"] != nil }
                && room.messages(ofKind: "marks").contains { $0.fields["gap_last_seq"] != nil }
                && room.messages(ofKind: "alert", of: "erg-1")
                    .contains { $0.fields["resolution"] != nil }
        }
        #expect(told, "\(gateway.text)")
        return room.received
    }

    /// Somebody acknowledges the alert that fires, and one that never did.
    private func somebodyLooks(at room: SimulatedRoom) async throws {
        #expect(await eventually { !room.messages(ofKind: "alert", of: "erg-1").isEmpty })
        let alert = try #require(room.messages(ofKind: "alert", of: "erg-1").first)
        let id = try #require(alert.fields["alert_id"] as? String)
        let seen = try await room.control(["alerts", "ack", id, "--by", "anna"])
        #expect(seen.status == 0, "\(seen.text)")
        #expect(seen.text.contains("link_lost of erg-1 is acknowledged by anna"), "\(seen.text)")
        let list = try await room.control(["alerts"])
        #expect(list.text.contains(" by anna  \(id)"), "\(list.text)")
        let nothing = try await room.control(["alerts", "ack", "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"])
        #expect(nothing.status == 1, "\(nothing.text)")
        #expect(
            nothing.text.contains("unknown_alert  no alert of that id fires"), "\(nothing.text)")
    }

    /// Rowers who wait for a workout, and get one with a target of everything.
    private func aTargetIsSet() async throws -> String {
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
            try? await ask(
                room, "erg/all/cmd/workout",
                #""type":"distance","distance_m":200,"# + target.joined(separator: ","))
            return room.messages.contains { $0.topic.hasSuffix("/rsp/workout") }
        }
        #expect(isSet, "\(gateway.text)")
        let isRowed = await eventually {
            room.messages(ofKind: "summary").contains { $0.fields["in_target_ratio"] != nil }
                && room.messages(ofKind: "stroke").contains {
                    $0.fields["heart_rate_vs_target"] != nil
                }
        }
        #expect(isRowed, "\(gateway.text)")
        return room.received
    }

    /// Two ergs on an adapter that holds one.
    private func anAdapterIsFull() async throws -> String {
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

    /// Somebody left a scan behind, which costs the adapters a reset; and the broker comes when an
    /// erg is away: what health said last without it is what it hears first.
    private func theBrokerComesLate() async throws -> String {
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--speed 4 --link-speed 8".words,
            brokerRuns: false)
        for adapter in ["hci0", "hci1"] {
            try await room.command(#"{"cmd":"leave_scan","hci":"\#(adapter)"}"#)
        }
        let gateway = try await room.startGateway()
        let rows = await eventually {
            room.truth.count { $0["kind"] as? String == "stroke" } >= 1
        }
        #expect(rows, "\(gateway.text)")
        try await room.command(#"{"cmd":"drop","pm":2,"back":600}"#)
        let uptime = { () async -> Double in
            let gateway = (try? await room.status())?["gateway"] as? [String: Any]
            return gateway?["uptime_s"] as? Double ?? 0
        }
        // Health is looked at every three seconds.
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
