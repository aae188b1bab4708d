import Foundation
import TestSupport
import Testing

/// rowgate-logbook with a real broker, read by curl.
struct LogbookTests {
    private static let erg = "rowgate/v1/boathouse/erg/erg-1"

    /// The program on a free port, with what it says and a stream that is read.
    private final class Logbook {
        let process: ChildProcess
        let stream: ChildProcess
        let address: String
        private let folder: TemporaryFolder

        init(_ broker: PrivateBroker) async throws {
            folder = try TemporaryFolder()
            let path = folder.path("logbook.toml")
            try "[broker]\nhost = \"127.0.0.1\"\nport = \(broker.port)\n"
                .write(toFile: path, atomically: true, encoding: .utf8)
            let process = try ChildProcess(
                SimulatedRoom.program("rowgate-logbook"),
                ["--config", path, "--listen", "127.0.0.1:0"])
            self.process = process
            _ = await eventually { process.text.contains("listening to the broker") }
            let found = process.text.firstMatch(of: /http:\/\/[0-9.:]+\//)
            guard let found else { throw TestSupportError("no address: \(process.text)") }
            address = String(found.0)
            stream = try ChildProcess("curl", ["-sN", address + "api/v1/live"])
            try await until("event: room")
        }

        /// Waits for an event with both texts in it, behind all those with `earlier`.
        func until(
            _ event: String, _ text: String? = nil, behind earlier: String? = nil
        ) async throws {
            let stream = stream
            let hasCome = await eventually {
                var events = stream.text.components(separatedBy: "\n\n")[...]
                if let earlier {
                    events = events[((events.lastIndex { $0.contains(earlier) } ?? -1) + 1)...]
                }
                return events.contains { $0.contains(event) && $0.contains(text ?? event) }
            }
            guard hasCome else {
                throw TestSupportError("no \(event) \(text ?? ""): \(stream.text)")
            }
        }
    }

    @Test func aMessageOnTheBrokerIsAnEventOnThePage() async throws {
        // Goal: what a gateway publishes reaches a page byte for byte, and what is cleared leaves it.
        // Method: a live message, hostile ones, a retained one that is cleared; the page itself.
        let broker = try await PrivateBroker.running()
        try await broker.publish("online", to: Self.erg + "/availability", ["-r"])
        let logbook = try await Logbook(broker)
        try await logbook.until(#""payload":"online""#)
        try await broker.publish(#"{"v":1,  "power_w":250}"#, to: Self.erg + "/live")
        try await logbook.until("event: erg", #""payload":{"v":1,  "power_w":250}}"#)
        for payload in ["no json", "{\"v\":1}\n\nevent: room\ndata: {}", "[1]", "{\"a\":"] {
            try await broker.publish(payload, to: Self.erg + "/live")
        }
        try await broker.publish("{}", to: "rowgate/v1/BAD SLUG/erg/erg-1/live")
        try await broker.publish("{}", to: "rowgate/v1/boathouse/erg/erg-1/cmd/workout")
        try await broker.publish(#"{"v":1,"seq":2}"#, to: Self.erg + "/stroke")
        try await logbook.until("event: erg", #"{"v":1,  "power_w":250}},"stroke""#)
        let warnings = logbook.process.lines.filter { $0.contains("is not shown") }
        #expect(warnings.count == 1, "\(warnings)")
        try await broker.publish("", to: Self.erg + "/availability", ["-r"])
        try await broker.publish(#"{"v":1,"seq":3}"#, to: Self.erg + "/stroke")
        try await logbook.until(#""messages":{"live""#, #""seq":3"#)
        let page = try ChildProcess("curl", ["-si", logbook.address])
        #expect(await page.waitForExit() == 0)
        #expect(page.text.contains("Content-Security-Policy: default-src 'self'\r\n"))
        #expect(page.text.contains("<!DOCTYPE html>"))
        #expect(await logbook.process.terminate() == 0)
        #expect(await logbook.stream.waitForExit() != nil)
        await broker.stop()
    }

    @Test func aBrokerThatGoesAndComesBackIsSaid() async throws {
        // Goal: the wall says that it hears nothing, and goes on afterwards. Method: kill the broker,
        // and start it again without what it kept.
        let broker = try await PrivateBroker.running()
        try await broker.publish("online", to: Self.erg + "/availability", ["-r"])
        let logbook = try await Logbook(broker)
        try await logbook.until(#""payload":"online""#)
        await broker.stop()
        try await logbook.until("event: broker", #""connected":false"#)
        try await broker.start()
        try await logbook.until(
            "event: broker", #""connected":true"#, behind: #""connected":false"#)
        // Nothing of the erg is kept any more; the page is told so some seconds later.
        try await logbook.until("event: room", #""ergs":[]"#, behind: "event: broker")
        try await broker.publish(#"{"v":1}"#, to: Self.erg + "/live")
        try await logbook.until("event: erg", #"{"live":"#)
        #expect(await logbook.process.terminate() == 0)
        await broker.stop()
    }

    @Test func theConfigurationIsCheckedLikeTheGateways() async throws {
        // Goal: a typing error is found before the start. Method: the file that is shipped, and one
        // with an error, as an administrator calls it.
        let program = SimulatedRoom.program("rowgate-logbook")
        let folder = try TemporaryFolder()
        let path = folder.path("logbook.toml")
        try "[http]\nlisten = \"here\"\n".write(toFile: path, atomically: true, encoding: .utf8)
        for arguments in [["--check-config"], []] {
            let process = try ChildProcess(program, ["--config", path] + arguments)
            #expect(await process.waitForExit() == 78)
            #expect(process.text.contains("logbook.toml:2:1: http.listen: \"here\" is no address"))
        }
        let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let shipped = project.appendingPathComponent("config/logbook.toml").path
        let process = try ChildProcess(program, ["--config", shipped, "--check-config"])
        #expect(await process.waitForExit() == 0)
        #expect(process.text.contains(": ok"))
    }
}
