import Foundation
import TestSupport
import Testing

/// Two clubs on one broker: their gateways have the same id, and their topics different prefixes.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct TopicPrefixTests {
    /// A gateway with one simulated erg, and a logbook.
    private final class Club {
        let prefix: String
        let folder: TemporaryFolder
        private let broker: PrivateBroker
        private let bus: PrivateBus
        private let simulator: ChildProcess

        /// - Parameter line: the setting of the prefix.
        init(_ broker: PrivateBroker, _ prefix: String, _ line: String, seed: Int) async throws {
            (self.broker, self.prefix) = (broker, prefix)
            folder = try TemporaryFolder()
            bus = try await PrivateBus()
            simulator = try ChildProcess(
                SimulatedRoom.program("pm5sim"),
                [
                    "--ergs", "1", "--adapters", "hci0:7", "--workout", "wait", "--link-speed", "4",
                    "--speed", "4", "--seed", "\(seed)", "--control", folder.path("pm5.sock"),
                ],
                environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
            let simulator = simulator
            try #require(await eventually { simulator.text.contains("READY") }, "\(simulator.text)")
            let section = "[broker]\nhost = \"127.0.0.1\"\nport = \(broker.port)\n\(line)\n"
            try
                (section + """
                    will_delay_s = 0
                    [gateway]
                    id = "boathouse"
                    [ring]
                    path = "\(folder.path("ring.log"))"
                    size_mib = 16
                    [control]
                    socket = "\(folder.path("control.sock"))"
                    [commands]
                    enabled = true
                    [homeassistant]
                    discovery = "always"
                    [[erg]]
                    slug = "erg-1"
                    serial = "430000001"
                    """).write(toFile: folder.path("rowgate.toml"), atomically: true, encoding: .utf8)
            try
                (section + """
                    [http]
                    tokens_file = "\(folder.path("tokens"))"
                    [store]
                    path = "\(folder.path("logbook.db"))"
                    """).write(toFile: folder.path("logbook.toml"), atomically: true, encoding: .utf8)
        }

        func startGateway() async throws -> ChildProcess {
            let process = try ChildProcess(
                SimulatedRoom.program("rowgate"), ["--config", folder.path("rowgate.toml")],
                environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus.address])
            try #require(await eventually { process.text.contains("ready") }, "\(process.text)")
            return process
        }

        func startLogbook() async throws -> ChildProcess {
            let process = try ChildProcess(
                SimulatedRoom.program("rowgate-logbook"),
                ["--config", folder.path("logbook.toml"), "--listen", "127.0.0.1:0"])
            try #require(await eventually { process.hasSubscribed() }, "\(process.text)")
            return process
        }

        func run(_ program: String, _ arguments: [String]) async throws -> (text: String, status: Int32?) {
            let process = try ChildProcess(SimulatedRoom.program(program), arguments)
            let status = await process.waitForExit()
            return (process.text, status)
        }

        /// Sets a workout, and returns the gateway's reply.
        func row(_ meters: Int) async throws -> String {
            let root = "\(prefix)/v1/boathouse/erg/erg-1/"
            let client = try ChildProcess(
                "mosquitto_rr",
                [
                    "-V", "5", "-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-W", "120",
                    "-t", root + "cmd/workout", "-e", root + "rsp/workout", "-m",
                    #"{"request_id":"w-1","type":"distance","distance_m":\#(meters)}"#,
                ])
            _ = await client.waitForExit()
            return client.text
        }
    }

    /// The second logbook starts after the piece, so it requests the records by commands.
    @Test(.timeLimit(.minutes(10)))
    func clubsDoNotSeeEachOther() async throws {
        let broker = try await PrivateBroker.running()
        let subscriber = try await MosquittoSubscriber(broker, "#")
        let home = try await Club(broker, "rowgate", "", seed: 3)
        let guest = try await Club(broker, "club/north", "topic_prefix = \"club/north\"", seed: 4)
        let homeLogbook = try await home.startLogbook()
        let (homeGateway, guestGateway) = (try await home.startGateway(), try await guest.startGateway())
        func isOnline(_ topic: String) -> Bool {
            subscriber.messages.last { $0.topic == topic }?.payload == "online"
        }
        for club in [home, guest] {
            let topic = "\(club.prefix)/v1/boathouse/erg/erg-1/availability"
            try #require(await eventually { isOnline(topic) }, "\(homeGateway.text)\(guestGateway.text)")
        }
        for (club, meters) in [(home, 100), (guest, 150)] {
            #expect(try await club.row(meters).contains(#""status":"ok""#))
            let topic = "\(club.prefix)/v1/boathouse/erg/erg-1/manifest"
            try #require(await eventually { subscriber.messages.contains { $0.topic == topic } })
        }
        let guestLogbook = try await guest.startLogbook()
        for logbook in [homeLogbook, guestLogbook] {
            #expect(await eventually { logbook.text.contains("is verified") }, "\(logbook.text)")
        }
        #expect(guestLogbook.text.contains("missing; requested"), "\(guestLogbook.text)")

        // Each store has the records of its own club.
        for (club, meters) in [(home, 100), (guest, 150)] {
            let configuration = ["--config", club.folder.path("logbook.toml")]
            let sessions = try await club.run("rowgate-logbook", ["sessions", "--json"] + configuration)
            #expect(sessions.text.components(separatedBy: "\"session_id\"").count == 2, "\(sessions.text)")
            #expect(sessions.text.contains("\(meters)"), "\(sessions.text)")
            let doctor = try await club.run("rowgate-logbook", ["doctor"] + configuration)
            #expect(doctor.text.contains("the subscription to \(club.prefix)/v1/+/#"), "\(doctor.text)")
            let capture = club.folder.path("capture")
            try subscriber.messages.map { "\($0.topic) \($0.payload)\n" }.joined()
                .write(toFile: capture, atomically: true, encoding: .utf8)
            let proof = try await club.run(
                "rowgatectl", ["prove", "--topic-prefix", club.prefix, "--json", capture])
            #expect(proof.status == 0 && proof.text.contains("\"sessions\":[{"), "\(proof.text)")
        }

        // Nothing is published elsewhere, and the last will has the prefix.
        guestGateway.signal(SIGKILL)
        await guestGateway.waitForExit()
        let availability = "v1/boathouse/availability"
        #expect(
            await eventually {
                subscriber.messages.last { $0.topic == "club/north/\(availability)" }?.payload == "offline"
            })
        #expect(isOnline("rowgate/\(availability)"))
        let roots = [
            "rowgate/v1/boathouse/", "rowgate-logbook/v1/", "club/north/v1/boathouse/",
            "club/north-logbook/v1/", "homeassistant/device/rowgate-boathouse-erg-1/config",
            "homeassistant/device/rowgate_boathouse/config",
            "homeassistant/device/club_X2Fnorth-boathouse-erg-1/config",
            "homeassistant/device/club_X2Fnorth_boathouse/config",
        ]
        let topics = Set(subscriber.messages.map(\.topic))
        #expect(topics.filter { topic in !roots.contains { topic.hasPrefix($0) } } == [])
        #expect(roots.suffix(4).allSatisfy(topics.contains))
        for process in [homeGateway, homeLogbook, guestLogbook] {
            #expect(await process.terminate() == 0, "\(process.text)")
        }
        await broker.stop()
    }

    @Test func wrongPrefixIsReportedWithItsPlace() async throws {
        let folder = try TemporaryFolder()
        for (program, name) in [("rowgate", "rowgate.toml"), ("rowgate-logbook", "logbook.toml")] {
            let path = folder.path(name)
            try "[broker]\ntopic_prefix = \"club/\"\n".write(
                toFile: path, atomically: true, encoding: .utf8)
            let process = try ChildProcess(
                SimulatedRoom.program(program), ["--check-config", "--config", path])
            #expect(await process.waitForExit() == 78)
            #expect(
                process.text.contains(
                    "\(path):2:1: broker.topic_prefix: \"club/\" begins or ends with /; remove the /"),
                "\(process.text)")
        }
    }
}
