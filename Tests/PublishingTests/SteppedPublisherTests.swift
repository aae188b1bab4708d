import Synchronization
import TestSupport
import Testing

@testable import Contract
@testable import HostRuntime
@testable import MQTTClient
@testable import Publishing
@testable import Rowing
@testable import Timeline

/// The publisher at a broker in memory, in stepped time: brokers that mosquitto is not.
@Suite(.timeLimit(.minutes(30))) struct SteppedPublisherTests {
    private static let root = "rowgate/v1/boathouse/"

    /// A publisher, its log and its broker, on one machine.
    private final class World: @unchecked Sendable {  // of the loop's thread alone
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

    /// Goal: a broker that ends the connection over one stream costs that stream alone, for a while; it is
    /// named; and once it may be published all of it comes, in order. Method: two streams of 200 records,
    /// of which the broker ends the connection at each of one; ten minutes; then it is allowed.
    @Test func aStreamThatEndsTheConnection() async throws {
        try await SteppedLoop.run(seed: 3) { machine in
            let world = World(machine)
            let (log, broker) = (world.log, world.broker)
            log.append(400)
            broker.endsConnection = { $0.hasSuffix("seat-2/gap") }
            await world.publisher.start()
            await world.pass(60)
            #expect(Set(world.topics.filter { $0.hasSuffix("/gap") }).count == 1)
            #expect(world.count("erg/seat-1/gap") >= 200, "the other stream went on")
            let connects = broker.connects
            #expect(connects <= 4, "found with the second connection: \(connects)")
            let parked = await world.publisher.statistics().parked
            #expect(parked.map(\.topic) == [Self.root + "erg/seat-2/gap"])
            await world.pass(600)
            #expect(broker.connects > connects, "it got another chance")
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

    /// Goal: a retained topic and live samples that the broker ends the connection over are left out, and
    /// records go on. Method: Home Assistant's topic, then live samples, are not permitted.
    @Test(arguments: ["homeassistant/device/", "/live"])
    func otherTopicsThatEndTheConnection(forbidden: String) async throws {
        try await SteppedLoop.run(seed: 4) { machine in
            // With a limit too, and one record at a time: what cannot go out is not looked at for ever.
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
            #expect(world.log.backlog() == 0, "records go on")
            #expect(world.broker.connects <= 8)
            #expect(await world.publisher.statistics().parked.count == 1)
            if forbidden != "/live" { #expect(world.count("erg/seat-1/live") > 60) }
            await world.publisher.stop(deadline: .seconds(5))
        }
    }

    /// Goal: with a limit no second has more messages than it and the few at once, of whatever kind, and
    /// all of a backlog comes. Method: 2,000 records and live samples of two ergs twice a second, 90 a
    /// second at most.
    @Test func noMoreThanTheBrokerAllows() async throws {
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

    /// Goal: all that a broker is to keep comes again, when it is asked for and by itself, and the birth as
    /// it was. Method: a command's call, and half an hour with one every ten minutes.
    @Test func announcedOnceMore() async throws {
        try await SteppedLoop.run(seed: 6) { machine in
            let world = World(machine) { $0.announcePeriod = .seconds(600) }
            #expect(await world.publisher.announceEverything() == nil, "nobody is connected")
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

    /// Goal: a broker without QoS 1 gets nothing, and is named. Method: one that says so.
    @Test func aBrokerThatAcknowledgesNothing() async throws {
        try await SteppedLoop.run(seed: 7) { machine in
            let world = World(machine)
            world.broker.terms.maximumQoS = 0
            world.log.append(5)
            await world.publisher.start()
            await world.pass(60)
            let statistics = await world.publisher.statistics()
            #expect(world.topics.isEmpty && !statistics.isConnected)
            #expect(statistics.lastFailure?.cause.contains("Maximum QoS 0") == true)
            world.broker.terms = BrokerTerms()
            await world.pass(60)
            #expect(world.log.backlog() == 0)
            await world.publisher.stop(deadline: .seconds(5))
        }
    }
}
