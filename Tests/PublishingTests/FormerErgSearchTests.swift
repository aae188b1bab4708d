import TestSupport
import Testing

@testable import Contract
@testable import HostRuntime
@testable import MQTTClient
@testable import Publishing
@testable import Timeline

/// Retained messages of ergs that left the configuration.
@Suite(.timeLimit(.minutes(30))) struct FormerErgSearchTests {
    private static let root = "rowgate/v1/boathouse/"
    private static let ergs = GatewayErgs(MemoryLog.stations)

    private static func device(_ gateway: String, _ erg: String) -> (topic: String, text: String) {
        (
            "homeassistant/device/rowgate-\(gateway)-\(erg)/config",
            #"{"state_topic":"rowgate/v1/\#(gateway)/erg/\#(erg)/live"}"#
        )
    }

    @Test func clearsRetainedMessagesOfUnconfiguredErgs() async throws {
        try await SteppedLoop.run(seed: 5) { machine in
            let broker = SteppedBroker(on: machine)
            let own = MemoryLog.stations[0]
            for kind in ["availability", "info", "state", "last_summary", "marks", "alerts"] {
                broker.retain("{}", on: Self.root + "erg/old/\(kind)")
                broker.retain("{}", on: Self.root + "erg/\(own)/\(kind)")
                broker.retain("{}", on: "rowgate/v1/annex/erg/old/\(kind)")
            }
            // Erg `b-old` of this gateway, an erg of gateway `boathouse-b` with the same device name, and
            // other devices.
            let (former, foreign) = (
                Self.device("boathouse", "b-old"), Self.device("boathouse-b", "old2")
            )
            broker.retain(former.text, on: former.topic)
            broker.retain(foreign.text, on: foreign.topic)
            broker.retain("{}", on: "homeassistant/device/rowgate-boathouse-x/config")
            broker.retain("no json", on: "homeassistant/device/lamp/config")
            let before = Set(broker.retained.keys)
            let publisher = MemoryLog().publisher(on: machine.program(), at: broker) { _ in }
            await publisher.start(ergs: Self.ergs)
            await machine.sleep(for: .seconds(5))
            let gone = before.subtracting(broker.retained.keys)
            #expect(gone.count == 7)
            #expect(gone.allSatisfy { $0.hasPrefix(Self.root + "erg/old/") || $0 == former.topic })
            #expect(await publisher.statistics().incomingDropped == 0)
            await publisher.stop(deadline: .seconds(5))
        }
    }

    @Test func clearsNothingWithoutAListOfErgs() async throws {
        try await SteppedLoop.run(seed: 5) { machine in
            let broker = SteppedBroker(on: machine)
            broker.retain("online", on: Self.root + "erg/old/availability")
            let publisher = MemoryLog().publisher(on: machine.program(), at: broker) { _ in }
            await publisher.start()
            await machine.sleep(for: .seconds(5))
            #expect(broker.retained[Self.root + "erg/old/availability"] != nil)
            await publisher.stop(deadline: .seconds(5))
        }
    }

    /// Any client that may publish could invent ergs.
    @Test func limitsHowManyErgsAreCleared() async throws {
        try await SteppedLoop.run(seed: 6) { machine in
            let broker = SteppedBroker(on: machine)
            for number in 1...500 {
                broker.retain("offline", on: Self.root + "erg/made-up-\(number)/availability")
            }
            let publisher = MemoryLog().publisher(on: machine.program(), at: broker) { _ in }
            await publisher.start(ergs: Self.ergs)
            await machine.sleep(for: .seconds(60))
            let left = broker.retained.keys.count { $0.contains("made-up") }
            #expect((500 - FormerErgSearch.limit * 7 / 6...500 - 1).contains(left), "\(left)")
            #expect(await publisher.statistics().incomingDropped == 0)
            await publisher.stop(deadline: .seconds(5))
        }
    }

    /// Some brokers end the connection over a subscription that they do not permit.
    @Test(arguments: ["/erg/+/state", "homeassistant/device/+"])
    func stopsSubscribingWhenTheBrokerDisconnects(filter: String) async throws {
        try await SteppedLoop.run(seed: 7) { machine in
            let broker = SteppedBroker(on: machine)
            broker.endsConnection = { $0.contains(filter) }
            let log = MemoryLog()
            log.append(20)
            let publisher = log.publisher(on: machine.program(), at: broker) { _ in }
            await publisher.start(ergs: Self.ergs)
            await machine.sleep(for: .seconds(120))
            #expect(broker.connects <= 3)
            #expect(await publisher.statistics().isConnected)
            #expect(log.backlog() == 0)
            await publisher.stop(deadline: .seconds(5))
        }
    }
}
