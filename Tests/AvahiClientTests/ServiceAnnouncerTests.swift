import HostRuntime
import Synchronization
import TestSupport
import Testing

@testable import AvahiClient

/// The announcer at a real dbus-daemon, with a server that misbehaves.
@Suite(.enabled(if: InstalledPrograms.areAllowed), .timeLimit(.minutes(10)))
struct ServiceAnnouncerTests {
    private static let wall = Announcement(
        name: "Wall", services: [.init("_http._tcp", port: 8080, text: ["path": "/wall"])])
    private static let announced = FakeAvahi.Service(
        name: "Wall", type: "_http._tcp", port: 8080, text: ["path=/wall"])

    /// An announcer and the lines of its log.
    private final class Bench: Sendable {
        let announcer: ServiceAnnouncer
        private let journal = Journal()

        private final class Journal: Sendable {
            let lines = Mutex<[String]>([])
        }

        init(at address: String, acceptedHostNames: Set<String>? = nil) {
            announcer = ServiceAnnouncer(
                executor: SerialQueueExecutor(label: "announcer"), busAddress: address,
                acceptedHostNames: acceptedHostNames,
                log: SystemLog(
                    subsystem: "announcer",
                    destination: .reader { [journal] _, line, _ in journal.lines.withLock { $0.append(line) }
                    })
            ) { ServiceAnnouncerTests.wall }
        }

        var lines: [String] { journal.lines.withLock { $0 } }
    }

    private func eventuallyAnnounces(_ names: [String], _ avahi: FakeAvahi) async -> Bool {
        await eventually { avahi.services.map(\.name) == names }
    }

    @Test func announcesUntilItStops() async throws {
        let bus = try await PrivateBus()
        let avahi = try await FakeAvahi(at: bus.address)
        let bench = Bench(at: bus.address)
        await bench.announcer.start()
        #expect(await eventually { avahi.services == [Self.announced] })
        #expect(await eventually { bench.lines.count == 1 })
        #expect(
            bench.lines == ["announcer: announced as \"Wall\" at boathouse.local: _http._tcp port 8080"])
        await bench.announcer.stop()
        await bench.announcer.stop()
        await avahi.stop()
    }

    @Test func waitsForAvahiAndFindsItAgain() async throws {
        let bus = try await PrivateBus()
        let bench = Bench(at: bus.address)
        await bench.announcer.start()
        #expect(await eventually { bench.lines.count == 1 })
        for _ in 0..<3 {
            let avahi = try await FakeAvahi(at: bus.address)
            #expect(await eventually { bench.lines.last?.contains("announced as") == true })
            #expect(avahi.services == [Self.announced])
            await avahi.stop()
            #expect(await eventually { bench.lines.last?.contains("waiting") == true })
        }
        let absent =
            "announcer: not announced in the network: avahi-daemon is not running; waiting for avahi-daemon"
        #expect(bench.lines.count { $0 == absent } == 4, "\(bench.lines)")
        #expect(bench.lines.count == 7, "\(bench.lines)")
        await bench.announcer.stop()
    }

    @Test func findsTheBusAgain() async throws {
        let folder = try TemporaryFolder()
        let socket = folder.path("bus")
        let bench = Bench(at: "unix:path=\(socket)")
        await bench.announcer.start()
        #expect(await eventually { bench.lines.count == 1 })
        #expect(bench.lines[0].contains("no D-Bus connection: No such file or directory"), "\(bench.lines)")
        for _ in 0..<2 {
            let bus = try await PrivateBus(socket: socket)
            let avahi = try await FakeAvahi(at: bus.address)
            #expect(await eventuallyAnnounces(["Wall"], avahi), "\(bench.lines)")
            #expect(await eventually { bench.lines.last?.contains("announced as") == true })
            bus.kill()
            #expect(await eventually { bench.lines.last?.contains("no D-Bus connection") == true })
            await avahi.stop()
        }
        #expect(bench.lines.count == 5, "\(bench.lines)")
        await bench.announcer.stop()
    }

    /// At the beginning of a connection, and later.
    @Test(arguments: [false, true])
    func stopsWhileTheBusHangs(isConnected: Bool) async throws {
        let bus = try await PrivateBus()
        let bench = Bench(at: bus.address)
        if isConnected {
            await bench.announcer.start()
            #expect(await eventually { bench.lines.count == 1 })
            bus.pause()
        } else {
            bus.pause()
            await bench.announcer.start()
        }
        let isStopped = Atomic(false)
        async let stop: Void = {
            await bench.announcer.stop()
            isStopped.store(true, ordering: .sequentiallyConsistent)
        }()
        // sd-bus itself gives up after 90 s.
        #expect(await eventually(within: .seconds(60)) { isStopped.load(ordering: .sequentiallyConsistent) })
        bus.resume()
        await stop
    }

    /// Another program of this machine has the first name, another machine the second one.
    @Test func usesANameThatIsFree() async throws {
        let bus = try await PrivateBus()
        let avahi = try await FakeAvahi(
            at: bus.address,
            faults: [
                .init(member: "AddService", effect: .error(name: "org.freedesktop.Avahi.CollisionError")),
                .init(member: "Commit", effect: .groupState(3)),
            ])
        let bench = Bench(at: bus.address)
        await bench.announcer.start()
        #expect(await eventually { bench.lines.count == 1 })
        #expect(bench.lines[0].contains("announced as \"Wall++\""), "\(bench.lines)")
        #expect(avahi.services.map(\.name) == ["Wall++"] && avahi.groupCount == 1)
        // Networks are joined, and another machine has the name.
        try await avahi.changeGroups(to: 3)
        #expect(await eventuallyAnnounces(["Wall+++"], avahi), "\(bench.lines)")
        await bench.announcer.stop()
        await avahi.stop()
    }

    static let faults: [FakeAvahi.Fault] =
        ["GetState", "GetHostNameFqdn", "EntryGroupNew", "AddService", "Commit"].map {
            .init(member: $0, effect: .error(name: "org.freedesktop.Avahi.Failure"))
        }
        + ["GetState", "GetHostNameFqdn", "EntryGroupNew"].map { .init(member: $0, effect: .wrongType) }
        + [.init(member: "Commit", effect: .groupState(4))]

    @Test(arguments: faults.indices)
    func retriesAfterAFault(index: Int) async throws {
        let bus = try await PrivateBus()
        let avahi = try await FakeAvahi(at: bus.address, faults: [Self.faults[index]])
        let bench = Bench(at: bus.address)
        await bench.announcer.start()
        #expect(await eventually { bench.lines.count == 2 }, "\(bench.lines)")
        #expect(
            bench.lines[0].contains("not announced in the network: ") && bench.lines[0].contains("; retrying")
        )
        #expect(bench.lines[1].contains("announced as \"Wall\""), "\(bench.lines)")
        #expect(avahi.services == [Self.announced])
        #expect(await eventually { avahi.groupCount == 1 })
        await bench.announcer.stop()
        await avahi.stop()
    }

    @Test func ignoresForeignAndUnknownSignals() async throws {
        let bus = try await PrivateBus()
        let avahi = try await FakeAvahi(at: bus.address)
        let bench = Bench(at: bus.address)
        await bench.announcer.start()
        #expect(await eventually { bench.lines.count == 1 })
        for value in [Int32.min, -1, 0, 1, 99, .max] { try await avahi.changeGroups(to: value) }
        for value in [Int32(3), 4] { try await avahi.emit("/Client9/EntryGroup9", "EntryGroup", value) }
        // The signals were processed if a later one was.
        try await avahi.rename(to: "regatta.local")
        #expect(await eventually { bench.lines.last?.contains("regatta.local") == true })
        #expect(bench.lines.count == 2, "\(bench.lines)")
        #expect(avahi.calls(of: "GetAlternativeServiceName") == 0)
        #expect(await eventually { avahi.groupCount == 1 && avahi.services == [Self.announced] })
        await bench.announcer.stop()
        await avahi.stop()
    }

    @Test func announcesNothingUnderAHostNameThatIsNotAccepted() async throws {
        let bus = try await PrivateBus()
        let avahi = try await FakeAvahi(at: bus.address, hostName: "boathouse-2.local")
        let bench = Bench(at: bus.address, acceptedHostNames: ["boathouse.local"])
        await bench.announcer.start()
        #expect(await eventually { bench.lines.count == 1 })
        #expect(bench.lines[0].contains("browsers would use boathouse-2.local"), "\(bench.lines)")
        #expect(avahi.groupCount == 0)
        try await avahi.rename(to: "boathouse.local")
        #expect(await eventuallyAnnounces(["Wall"], avahi), "\(bench.lines)")
        await bench.announcer.stop()
        await avahi.stop()
    }
}
