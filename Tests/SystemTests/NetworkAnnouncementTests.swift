import Foundation
import TestSupport
import Testing

/// rowgate, rowgate-logbook, mosquitto and avahi-daemon on one machine, as avahi-browse on another machine finds
/// them.
@Suite(.enabled(if: InstalledPrograms.areAllowed), .timeLimit(.minutes(20)))
struct NetworkAnnouncementTests {
    private typealias Found = NetworkMachine.Found

    private let boathouse: NetworkMachine
    private let visitor: NetworkMachine

    init() async throws {
        boathouse = try await NetworkMachine("boathouse", number: 1)
        visitor = try await NetworkMachine("visitor", number: 2, connectedTo: boathouse)
        try await boathouse.startAvahi()
        try await visitor.startAvahi()
    }

    // MARK: - Programs

    /// Starts mosquitto on port 1883.
    private func startBroker(listener: String = "1883") async throws -> ChildProcess {
        let file = try PrivateBroker.file(
            "listener \(listener)\nallow_anonymous true\nuser root\n", named: "mosquitto.conf",
            in: boathouse.folder)
        let broker = try boathouse.start(["/usr/sbin/mosquitto", "-v", "-c", file])
        try #require(await eventually { broker.text.contains("running") || !broker.isRunning })
        try #require(broker.isRunning, "\(broker.text)")
        return broker
    }

    private func startGateway(
        on machine: NetworkMachine? = nil, lines: String = "", broker: String = "localhost"
    ) async throws -> ChildProcess {
        let machine = machine ?? boathouse
        let folder = machine.folder
        let file = try PrivateBroker.file(
            """
            [gateway]
            id = "north"
            \(lines)
            [broker]
            host = "\(broker)"
            topic_prefix = "club/north"
            client_id = "north-\(machine.address)"
            [bluetooth]
            discovery = "any"
            [ring]
            path = "\(folder.path("ring.log"))"
            size_mib = 16
            [control]
            socket = "\(folder.path("control.sock"))"
            """, named: "rowgate.toml", in: folder)
        let gateway = try machine.start([SimulatedRoom.program("rowgate"), "--config", file])
        try #require(await eventually { gateway.text.contains("ready") }, "\(gateway.text)")
        return gateway
    }

    private func startLogbook(listen: String = "0.0.0.0:8080", lines: String = "") async throws
        -> ChildProcess
    {
        let folder = boathouse.folder
        let file = try PrivateBroker.file(
            """
            [club]
            name = "Ruderclub Nord"
            [broker]
            host = "localhost"
            topic_prefix = "club/north"
            [http]
            listen = "\(listen)"
            open_wall = "network"
            tokens_file = "\(folder.path("tokens"))"
            \(lines)
            """, named: "logbook.toml", in: folder)
        let logbook = try boathouse.start([SimulatedRoom.program("rowgate-logbook"), "--config", file])
        try #require(await eventually { logbook.text.contains("ready") }, "\(logbook.text)")
        return logbook
    }

    // MARK: - Expectations

    private func gateway(_ name: String = "rowgate north", host: String = "boathouse.local") -> Found {
        Found(
            name: name, host: host, address: "192.0.2.1", port: "1883",
            text: ["contract=v1", "id=north", "prefix=club/north"])
    }

    private let wall = Found(
        name: "Wall of Ruderclub Nord", host: "boathouse.local", address: "192.0.2.1", port: "8080",
        text: ["path=/wall"])

    private func broker(host: String = "boathouse.local") -> Found {
        Found(name: "rowgate north", host: host, address: "192.0.2.1", port: "1883", text: [])
    }

    /// Whether the visitor finds exactly these services, now or later.
    private func finds(_ type: String, _ services: [Found]) async throws -> Bool {
        try await eventually { try await visitor.browse(type) == services }
    }

    private func findsAll(host: String = "boathouse.local") async throws {
        #expect(try await finds("_rowgate._tcp", [gateway(host: host)]))
        #expect(try await finds("_mqtt._tcp", [broker(host: host)]))
    }

    /// Whether both programs have logged so many lines with these words, now or later.
    private func bothLog(
        _ words: String, _ count: Int, _ first: ChildProcess, _ second: ChildProcess
    ) async -> Bool {
        await eventually {
            [first, second].allSatisfy { program in program.lines.count { $0.contains(words) } == count }
        }
    }

    /// Announcements that other programs can use as they are.
    @Test func visitorUsesWhatItFinds() async throws {
        let broker = try await startBroker()
        let gateway = try await startGateway()
        let logbook = try await startLogbook()
        try await findsAll()
        #expect(try await finds("_http._tcp", [wall]))
        let found = try #require(try await visitor.browse("_mqtt._tcp").first)
        let message = try await visitor.finish([
            "mosquitto_sub", "-h", found.address, "-p", found.port, "-t", "club/north/v1/north/#", "-C", "1",
            "-v",
        ])
        #expect(message.hasPrefix("club/north/v1/north/"), "\(message)")
        let control = try boathouse.start([
            SimulatedRoom.program("rowgatectl"), "status", "--socket", boathouse.folder.path("control.sock"),
        ])
        #expect(await control.waitForExit() != nil)
        #expect(control.text.contains("announced as \"rowgate north\" at boathouse.local"), "\(control.text)")
        // As a browser does with the host name of the announcement.
        let status = try await visitor.finish([
            "python3", "-c",
            """
            import http.client, sys
            connection = http.client.HTTPConnection(sys.argv[2], int(sys.argv[3]))
            connection.request("GET", sys.argv[4], headers={"Host": sys.argv[1] + ":" + sys.argv[3]})
            print(connection.getresponse().status)
            """, wall.host, wall.address, wall.port, "/wall",
        ])
        #expect(status == "200\n")
        // The end of a program withdraws its services.
        #expect(await gateway.terminate() == 0)
        logbook.signal(SIGKILL)
        for type in ["_rowgate._tcp", "_mqtt._tcp", "_http._tcp"] { #expect(try await finds(type, [])) }
        #expect(await broker.terminate() == 0)
    }

    @Test func announcesAgainWhenAvahiOrItsHostNameChanges() async throws {
        let broker = try await startBroker()
        let gateway = try await startGateway()
        let logbook = try await startLogbook()
        try await findsAll()
        #expect(try await finds("_http._tcp", [wall]))
        for (round, signal) in [SIGTERM, SIGKILL].enumerated() {
            try await boathouse.stopAvahi(signal)
            #expect(await bothLog("waiting for avahi-daemon", round + 1, gateway, logbook))
            try await boathouse.startAvahi()
            #expect(await bothLog("announced as", round + 2, gateway, logbook))
            try await findsAll()
            #expect(try await finds("_http._tcp", [wall]))
        }
        // The logbook refuses requests for other names, so it announces nothing under them.
        try await boathouse.finish(["avahi-set-host-name", "regatta"])
        try await findsAll(host: "regatta.local")
        #expect(try await finds("_http._tcp", []))
        #expect(
            await eventually { logbook.text.contains("browsers would use regatta.local") }, "\(logbook.text)")
        try await boathouse.finish(["avahi-set-host-name", "boathouse"])
        try await findsAll()
        #expect(try await finds("_http._tcp", [wall]))
        for program in [gateway, logbook, broker] { #expect(await program.terminate() == 0) }
    }

    /// Two gateways with one id, the second of which uses the first one's broker.
    @Test func gatewaysOfOneNameAreAnnouncedUnderTwo() async throws {
        let broker = try await startBroker()
        let first = try await startGateway()
        try await findsAll()
        let second = try await startGateway(on: visitor, broker: boathouse.address)
        let other = Found(
            name: "rowgate north #2", host: "visitor.local", address: "192.0.2.2", port: "1883",
            text: ["broker=192.0.2.1", "contract=v1", "id=north", "prefix=club/north"])
        #expect(
            try await eventually { try await visitor.browse("_rowgate._tcp") == [gateway(), other] },
            "\(first.text)\(second.text)")
        #expect(second.text.contains("announced as \"rowgate north #2\" at visitor.local"), "\(second.text)")
        #expect(try await finds("_mqtt._tcp", [self.broker()]))
        for program in [second, first, broker] { #expect(await program.terminate() == 0) }
    }

    @Test func announcesABrokerOnlyWhileTheNetworkCanUseIt() async throws {
        var broker = try await startBroker(listener: "1883 127.0.0.1")
        let gateway = try await startGateway()
        let logbook = try await startLogbook(listen: "127.0.0.1:8080")
        #expect(await eventually { gateway.text.contains("nothing to announce") }, "\(gateway.text)")
        for type in ["_rowgate._tcp", "_mqtt._tcp", "_http._tcp"] {
            #expect(try await visitor.browse(type) == [])
        }
        for (listener, isOpen) in [("1883", true), ("1883 127.0.0.1", false)] {
            #expect(await broker.terminate() == 0)
            broker = try await startBroker(listener: listener)
            #expect(try await finds("_rowgate._tcp", isOpen ? [self.gateway()] : []), "\(gateway.text)")
            #expect(try await finds("_mqtt._tcp", isOpen ? [self.broker()] : []), "\(gateway.text)")
        }
        #expect(!logbook.text.contains("announced"))
        for program in [gateway, logbook, broker] { #expect(await program.terminate() == 0) }
    }

    @Test func announcesNothingIfSwitchedOff() async throws {
        let broker = try await startBroker()
        let gateway = try await startGateway(lines: "mdns = false")
        let logbook = try await startLogbook(lines: "mdns = false")
        // A third program is found, so the others would be found, too.
        let other = try boathouse.start(["avahi-publish", "--service", "other", "_rowgate._tcp", "1"])
        let found = Found(name: "other", host: "boathouse.local", address: "192.0.2.1", port: "1", text: [])
        #expect(try await finds("_rowgate._tcp", [found]), "\(other.text)")
        for type in ["_mqtt._tcp", "_http._tcp"] { #expect(try await visitor.browse(type) == []) }
        for program in [gateway, logbook] { #expect(!program.text.contains("announce"), "\(program.text)") }
        for program in [gateway, logbook, broker] { #expect(await program.terminate() == 0) }
    }
}
