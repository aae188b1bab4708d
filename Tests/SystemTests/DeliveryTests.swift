import Contract
import Foundation
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording
@testable import Rowing

/// Delivery from the ring to a subscriber, checked with `rowgatectl prove`.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct DeliveryTests {
    /// The ring holds 1500 strokes. The broker keeps 1000 messages for the absent subscriber and drops
    /// the rest silently.
    @Test(.timeLimit(.minutes(30)))
    func recoversStrokesByReplay() async throws {
        let room = try await SimulatedRoom(ergs: 1, simulator: [])
        try await recordSession(of: room, strokes: 1_500)
        let options =
            ["-V", "5", "-c", "-i", "away", "-p", "\(room.broker.port)", "-q", "1"]
            + ["-t", "rowgate/#", "-F", "%t %p"]
        let before = try ChildProcess("mosquitto_sub", options)
        #expect(await eventually { room.broker.text.contains("away 1 rowgate/#") })
        before.signal(SIGKILL)
        await before.waitForExit()

        let gateway = try await room.startGateway()
        #expect(
            await eventually { room.messages(ofKind: "manifest").count == 1 }, "\(gateway.text)")
        let after = try ChildProcess("mosquitto_sub", options)
        #expect(await eventually { after.lines.count { $0.contains("/erg-1/stroke ") } > 900 })
        #expect(await eventually { after.text.contains("/erg-1/marks ") })

        let broken = try await prove(after, in: room)
        #expect(broken.status == 1, "\(broken.text)")
        let missing = broken.missing
        #expect(missing.contains { $0.kind == "stroke" }, "\(broken.text)")
        for (number, range) in missing.enumerated() {
            // The gateway's stream has no erg.
            let erg = range.erg.map { #""erg":"\#($0)","# } ?? ""
            try await room.broker.publish(
                #"{"request_id":"\#(number)",\#(erg)"kind":"\#(range.kind)","#
                    + #""from_seq":\#(range.first),"to_seq":\#(range.last)}"#,
                to: "rowgate/v1/test/cmd/replay")
        }
        #expect(
            await eventually {
                after.lines.count { $0.contains("/rsp/replay ") } == missing.count
            })
        // The reply and the last record use different topics and arrive in any order.
        var whole = broken
        let isWhole = try await eventually {
            whole = try await prove(after, in: room)
            return whole.status == 0
        }
        #expect(isWhole, "\(whole.text)")
        #expect(await gateway.terminate() == 0)
    }

    /// The broker restarts without its state in mid-session. The gateway reconnects first and may publish
    /// without subscribers.
    @Test(.timeLimit(.minutes(30)))
    func proveRecoversAfterABrokerRestart() async throws {
        let room = try await SimulatedRoom(
            ergs: 1, simulator: "--workout 200m --speed 2 --link-speed 8 --seed 3".words)
        let prove = try ChildProcess(
            SimulatedRoom.program("rowgatectl"),
            [
                "prove", "--host", "127.0.0.1", "--port", "\(room.broker.port)",
                "--until-manifest", "--replay", "--from-start",
            ])
        #expect(await eventually { prove.text.contains("listening to rowgate/v1/+/#") })
        let gateway = try await room.startGateway()
        try #require(
            await eventually { room.strokeCounts[0] >= 3 }, "\(gateway.text)")
        await room.broker.stop()
        try await room.broker.start()
        #expect(await prove.waitForExit() == 0, "\(prove.text)\(gateway.text)")
        #expect(prove.text.contains("COMPLETE: "), "\(prove.text)")
        #expect(prove.text.contains("trying again"), "\(prove.text)")
        #expect(await gateway.terminate() == 0)
    }

    @Test func proveReportsMissingInput() async throws {
        let broker = try PrivateBroker()
        let absent = try await rowgatectl(["prove", "--port", "\(broker.port)"])
        #expect(absent.status == 2 && absent.text.contains("Connection refused"))
        let missing = try await rowgatectl(["prove", "/nonexistent"])
        #expect(missing.status == 2 && missing.text.contains("/nonexistent: No such file"))
        let wrong = try await rowgatectl(["prove", "--replay", "/nonexistent"])
        #expect(wrong.status == 64 && wrong.text.contains("need a broker, not a file"))
        let folder = try TemporaryFolder()
        let file = try PrivateBroker.file("hello\n", named: "text", in: folder)
        let nothing = try await rowgatectl(["prove", file])
        #expect(nothing.status == 1 && nothing.text.contains("NOTHING TO PROVE"))
        #expect(nothing.text.contains("not a message: 1"))
    }

    /// The broker's name can never resolve (RFC 6761).
    @Test(.timeLimit(.minutes(30)))
    func startsWithoutNetwork() async throws {
        let room = try await SimulatedRoom(
            ergs: 1, simulator: "--workout just-row --speed 4 --link-speed 4".words,
            brokerRuns: false, brokerHost: "broker.invalid")
        let socket = room.folder.path("notify")
        let notices = try ChildProcess(
            "python3",
            [
                "-u", "-c",
                """
                import socket, sys
                s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                s.bind(sys.argv[1])
                print("bound")
                while True: print(s.recv(4096).decode())
                """, socket,
            ])
        #expect(await eventually { notices.text.contains("bound") })
        let gateway = try await room.startGateway(
            environment: ["NOTIFY_SOCKET": socket])
        #expect(await eventually { notices.text.contains("READY=1") })
        let strokes = { room.truth.count { $0["kind"] as? String == "stroke" } }
        try #require(await eventually { strokes() >= 3 }, "\(gateway.text)")
        let status = try await room.status()
        let state = status["broker"] as? [String: Any]
        #expect(await eventually { ((try? await backlog(room)) ?? 0) >= 3 })
        #expect(state?["connected"] as? Bool == false, "\(status)")
        // The resolver can be slow.
        let isReported = try await eventually {
            try await room.control(["status"]).text.contains("name cannot be resolved")
        }
        #expect(isReported, "\(gateway.text)")
        #expect(await gateway.terminate() == 0)
    }

    private func backlog(_ room: SimulatedRoom) async throws -> Int {
        (try await room.status()["broker"] as? [String: Any])?["backlog_messages"] as? Int ?? 0
    }

    // MARK: Help

    private func rowgatectl(_ arguments: [String]) async throws -> (text: String, status: Int32?) {
        let process = try ChildProcess(SimulatedRoom.program("rowgatectl"), arguments)
        let status = await process.waitForExit()
        return (process.text, status)
    }

    private struct Proof {
        var text: String
        var status: Int32?

        var missing: [(erg: String?, kind: String, first: Int, last: Int)] {
            let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            let streams = object?["streams"] as? [[String: Any]] ?? []
            return streams.flatMap { stream in
                (stream["missing"] as? [[String: Any]] ?? []).compactMap { range in
                    guard let first = range["from_seq"] as? Int, let last = range["to_seq"] as? Int
                    else { return nil }
                    return (
                        stream["erg"] as? String, stream["kind"] as? String ?? "", first, last
                    )
                }
            }
        }
    }

    private func prove(_ subscriber: ChildProcess, in room: SimulatedRoom) async throws -> Proof {
        let file = try PrivateBroker.file(subscriber.text, named: "received", in: room.folder)
        let (text, status) = try await rowgatectl(["prove", "--json", "--from-start", file])
        return Proof(text: text, status: status)
    }

    /// Records a session of `strokes` strokes into the ring, as a gateway without a broker does.
    func recordSession(of room: SimulatedRoom, strokes: Int) async throws {
        let gateway = try #require(GatewayID("test"))
        let erg = try #require(StationID("erg-1"))
        let recorder = try Recorder(
            gateway: gateway, stations: [erg],
            settings: .init(
                path: room.folder.path("ring.log"), sizeBytes: 16 << 20,
                commitInterval: .seconds(1), keepsRaw: false),
            log: SystemLog(subsystem: "test", threshold: .error), runtime: SystemRuntime())
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        let session = SessionID("01J7ZK3Q5XQ4W8G9T2V6B0C1DE")
        func edge(_ kind: SessionTransition.Kind) -> SessionEvent {
            .session(
                SessionTransition(
                    kind: kind, session: session, startedAt: SystemRuntime().now(),
                    workout: Workout(type: .justRowWithoutSplits, target: .none),
                    at: SystemRuntime().now()))
        }
        let events = (1...strokes).map { number in
            SessionEvent.stroke(
                Stroke(
                    session: session, at: SystemRuntime().now(), number: number,
                    elapsed: .seconds(number), distance: Meters(Int64(number) * 10)))
        }
        await recorder.record([
            StationUpdate(
                station: erg, at: SystemRuntime().now(),
                events: [edge(.started)] + events + [edge(.ended)], checkpoint: [])
        ])
        await recorder.stop()
    }
}
