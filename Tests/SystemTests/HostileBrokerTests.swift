import Foundation
import Synchronization
import TestSupport
import Testing

@testable import MQTTClient

/// A hostile server at the broker's address.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct HostileBrokerTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Interop/hostile_broker.py").path

    /// Starts a broker that sends one malformed packet per connection, chosen from `names`.
    private static func broker(at port: UInt16, _ names: [String] = []) async throws -> ChildProcess {
        let process = try ChildProcess("python3", [script, "\(port)"] + names)
        guard await eventually({ process.text.contains("READY") }) else {
            throw TestSupportError("the hostile broker did not start: \(process.text)")
        }
        return process
    }

    /// Collects the events of a connection.
    private final class Connection: Sendable {
        private let events = Mutex<[MQTTEvent]>([])

        func add(_ event: MQTTEvent) { events.withLock { $0.append(event) } }

        /// Whether the connection reported an acknowledgement or a subscription.
        var hasAnswer: Bool {
            events.withLock {
                $0.contains { event in
                    switch event {
                    case .subscribed, .subscriptionRefused, .acknowledged: true
                    default: false
                    }
                }
            }
        }

        var end: BrokerFailure?? {
            events.withLock {
                if case .ended(let failure)? = $0.last { .some(failure) } else { nil }
            }
        }
    }

    /// Sends each malformed packet to a connection in its own process; the first two abort libmosquitto
    /// 2.0.11.
    @Test(.timeLimit(.minutes(30)))
    func reportsEveryMalformedPacket() async throws {
        let port = try PrivateBroker.freePort()
        let broker = try await Self.broker(at: port)
        let names = try ChildProcess("python3", [Self.script, "--names"])
        #expect(await names.waitForExit() == 0)
        let program = SimulatedRoom.program("rowgate")
        for name in names.lines {
            let served = broker.lines.count
            let seen = Connection()
            let connection = ConnectionProcess(
                program: program,
                BrokerConfiguration(host: "127.0.0.1", port: port, clientID: "rowgate-test"),
                will: LastWill(topic: "t", payload: [0x78], delaySeconds: 10)
            ) { seen.add($0) }
            connection.start()
            #expect(await eventually { seen.end != nil }, "\(name)")
            let failure = try #require(seen.end ?? nil, "\(name) ended without a failure")
            #expect(!failure.cause.isEmpty && !failure.cause.hasPrefix("Out of memory"), "\(name)")
            #expect(
                failure.kind == .cutOff || failure.remedy?.contains("broker.") == true,
                "\(name): \(failure)")
            #expect(!seen.hasAnswer, "\(name): an unrequested answer")
            #expect(await eventually { broker.lines.count > served })
            #expect(broker.lines.last == name)
        }
    }

    /// Two ergs row while the daemon receives malformed packets, each of which libmosquitto 2.0.11
    /// refuses or aborts on. Then mosquitto starts at the same port and receives every record.
    @Test(.timeLimit(.minutes(30)))
    func recordsDuringAttacks() async throws {
        let room = try await SimulatedRoom(
            ergs: 2, simulator: "--workout 200m --speed 4 --link-speed 4 --seed 15".words,
            brokerRuns: false)
        let hostile = try await Self.broker(
            at: room.broker.port,
            ["publish-property", "publish-pair", "connack-0", "suback9-1", "whale", "garbage-1"])
        let gateway = try await room.startGateway()
        #expect(await eventually { hostile.lines.count > 3 }, "\(gateway.text)")
        let problems = [
            "what the broker sent ended libmosquitto", "it sent a packet that MQTT does not allow",
        ]
        let status = try await room.control(["status"])
        #expect(problems.contains { status.text.contains($0) }, "\(status.text)")
        #expect(status.text.contains("look at what answers at broker.host"), "\(status.text)")
        let doctor = try await room.control([
            "doctor", "--config", room.folder.path("rowgate.toml"),
        ])
        let finding = doctor.text.split(separator: "\n").filter { $0.contains("127.0.0.1") }
        #expect(doctor.status == 2, "\(doctor.text)")
        #expect(finding.contains { line in problems.contains { line.contains($0) } }, "\(doctor.text)")

        let isOver = await eventually {
            room.truth.count { $0["kind"] as? String == "session" } == 2
        }
        #expect(isOver, "\(gateway.text)")
        #expect(gateway.isRunning && room.messages.isEmpty)
        hostile.signal(SIGKILL)
        await hostile.waitForExit()
        // `prove` exits if its first connection fails.
        var prove: ChildProcess?
        try await room.startBroker(aheadOf: gateway) {
            let process = try ChildProcess(
                SimulatedRoom.program("rowgatectl"),
                [
                    "prove", "--host", "127.0.0.1", "--port", "\(room.broker.port)",
                    "--from-start", "--until-manifest",
                ])
            prove = process
            #expect(await eventually { process.text.contains("listening to") }, "\(process.text)")
        }
        #expect(
            await eventually {
                room.messages(ofKind: "manifest").count == 2
            }, "\(gateway.text)")
        let proof = try #require(prove)
        #expect(await proof.waitForExit() == 0, "\(proof.text)")
        for number in 1...2 {
            #expect(room.strokeCounts[number - 1] == room.simulatedStrokes(by: "erg-\(number)"))
        }
        room.expectUniqueRecords()
        for wrongCause in ["another client", "Out of memory."] {
            #expect(!gateway.text.contains(wrongCause), "\(gateway.text)")
        }
        #expect(await gateway.terminate() == 0)
    }
}
