import Synchronization
import TestSupport
import Testing

@testable import Contract
@testable import HostRuntime
@testable import MQTTClient
@testable import Publishing
@testable import Rowing
@testable import Timeline

/// The publisher with a broker in memory, in stepped time, for behaviour that mosquitto does not have.
@Suite(.timeLimit(.minutes(30))) struct SteppedPublisherTests {
    private static let root = "rowgate/v1/boathouse/"

    /// A publisher, its log and its broker, on one machine.
    private final class World: @unchecked Sendable {  // used only on the loop's thread
        let log = MemoryLog()
        let broker: SteppedBroker
        let publisher: Publisher
        let machine: SteppedRuntime
        var topics: [String] = []
        var times: [BootInstant] = []

        init(
            _ machine: SteppedRuntime, configure: (inout BrokerConfiguration) -> Void = { _ in }
        ) {
            self.machine = machine
            broker = SteppedBroker(on: machine)
            publisher = log.publisher(on: machine.program(), at: broker, configure: configure)
            broker.onMessage = { [unowned self] topic, _ in
                topics.append(topic)
                times.append(machine.now())
            }
        }

        func count(_ topic: String) -> Int { topics.count { $0 == root + topic } }

        func pass(_ seconds: Int) async { await machine.sleep(for: .seconds(seconds)) }
    }

    /// The broker ends the connection over one of two streams for ten minutes, and then permits it.
    @Test func parksAStreamThatEndsTheConnection() async throws {
        try await SteppedLoop.run(seed: 3) { machine in
            let world = World(machine)
            let (log, broker) = (world.log, world.broker)
            log.append(400)
            broker.endsConnection = { $0.hasSuffix("seat-2/gap") }
            await world.publisher.start()
            await world.pass(60)
            #expect(Set(world.topics.filter { $0.hasSuffix("/gap") }).count == 1)
            #expect(world.count("erg/seat-1/gap") >= 200, "the other stream continues")
            let connects = broker.connects
            #expect(connects <= 4, "found with the second connection: \(connects)")
            let parked = await world.publisher.statistics().parked
            #expect(parked.map(\.topic) == [Self.root + "erg/seat-2/gap"])
            await world.pass(600)
            #expect(broker.connects > connects, "the stream was retried")
            let later = log.backlog()
            log.append(100)
            world.publisher.recordsAvailable()
            await world.pass(5)
            #expect(log.backlog() == later + 100, "the cursor waits for the stream")
            #expect(world.count("erg/seat-1/gap") >= 250)
            broker.endsConnection = { _ in false }
            await world.pass(3600)
            #expect(log.backlog() == 0 && world.count("erg/seat-2/gap") >= 250)
            #expect(await world.publisher.statistics().parked.isEmpty)
            await world.publisher.stop(deadline: .seconds(5))
        }
    }

    @Test(arguments: ["homeassistant/device/", "/live"])
    func parksOtherTopicsThatEndTheConnection(forbidden: String) async throws {
        try await SteppedLoop.run(seed: 4) { machine in
            // With a publish limit and a window of one: a blocked message must not cause a busy loop.
            let world = World(machine) { ($0.maximumPublishRate, $0.inFlightWindow) = (90, 1) }
            world.broker.endsConnection = { $0.contains(forbidden) }
            world.publisher.setRetained(.state(MemoryLog.stations[0]), Array("{}".utf8))
            world.publisher.setRetained(.homeAssistant(nil), Array("{}".utf8))
            await world.publisher.start()
            for _ in 0..<120 {
                await world.pass(1)
                world.log.append(4)
                world.publisher.recordsAvailable()
                world.publisher.publishLive(Array("{}".utf8), on: .live(MemoryLog.stations[0]))
            }
            await world.pass(30)
            #expect(world.log.backlog() == 0, "records are still published")
            #expect(world.broker.connects <= 8)
            #expect(await world.publisher.statistics().parked.count == 1)
            if forbidden != "/live" { #expect(world.count("erg/seat-1/live") > 60) }
            await world.publisher.stop(deadline: .seconds(5))
        }
    }

    @Test func keepsThePublishLimit() async throws {
        try await SteppedLoop.run(seed: 5) { machine in
            let world = World(machine) { $0.maximumPublishRate = 90 }
            world.log.append(2000)
            for number in 0..<40 {
                let station = StationID("seat-\(number)")!
                world.publisher.setRetained(.state(station), Array("{}".utf8))
            }
            await world.publisher.start()
            await world.pass(1)
            for _ in 0..<60 {
                for station in MemoryLog.stations {
                    world.publisher.publishLive(Array("{}".utf8), on: .live(station))
                }
                await world.machine.sleep(for: .milliseconds(500))
            }
            #expect(world.log.backlog() == 0)
            #expect(world.count("erg/seat-1/live") == 60)
            let most = world.times.mostInASecond
            #expect(most <= 90 + SendingPace.burst, "\(most)")
            await world.publisher.stop(deadline: .seconds(5))
        }
    }

    @Test func announcesEverythingOnRequestAndPeriodically() async throws {
        try await SteppedLoop.run(seed: 6) { machine in
            let world = World(machine) { $0.announcePeriod = .seconds(600) }
            #expect(await world.publisher.announceEverything() == nil, "not connected")
            world.publisher.setRetained(.state(MemoryLog.stations[0]), Array("{}".utf8))
            await world.publisher.start()
            await world.pass(10)
            let birth = world.broker.retained[Self.root + "birth"]
            world.log.append(10)
            #expect(await world.publisher.announceEverything() == 3)
            await world.pass(10)
            for topic in ["birth", "availability", "erg/seat-1/state"] {
                #expect(world.count(topic) == 2, "\(topic)")
            }
            #expect(world.broker.retained[Self.root + "birth"] == birth && world.log.births == 1)
            await world.pass(1800)
            #expect(world.count("erg/seat-1/state") == 5)
            await world.publisher.stop(deadline: .seconds(5))
        }
    }

    @Test func refusesABrokerWithoutQoS1() async throws {
        try await SteppedLoop.run(seed: 7) { machine in
            let world = World(machine)
            world.broker.terms.maximumQoS = 0
            world.log.append(5)
            await world.publisher.start()
            await world.pass(60)
            let statistics = await world.publisher.statistics()
            #expect(world.topics.isEmpty && !statistics.isConnected)
            #expect(statistics.lastFailure?.cause.contains("Maximum QoS 0") == true)
            world.broker.terms = BrokerLimits()
            await world.pass(60)
            #expect(world.log.backlog() == 0)
            await world.publisher.stop(deadline: .seconds(5))
        }
    }
}
