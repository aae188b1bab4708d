import Foundation
import TestSupport
import Testing

/// rowgate-logbook with a real broker, read by curl.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct LogbookTests {
    private static let erg = "rowgate/v1/boathouse/erg/erg-1"

    /// The program on a free port, with what it says and a stream that is read.
    final class Logbook {
        let process: ChildProcess
        let stream: ChildProcess
        /// `http://127.0.0.1:8080/`
        let address: String
        let folder: TemporaryFolder
        /// The configuration.
        let path: String

        init(
            _ broker: PrivateBroker, keeps: Bool = false, _ sections: String = ""
        ) async throws {
            folder = try TemporaryFolder()
            path = folder.path("logbook.toml")
            let tokens = folder.path("tokens")
            try """
            [broker]
            host = "127.0.0.1"
            port = \(broker.port)
            [http]
            tokens_file = "\(tokens)"
            \(keeps ? "[store]\npath = \"\(folder.path("logbook.db"))\"" : "")
            \(sections)

            """
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

        /// A new token.
        func token(_ name: String, role: String) async throws -> String {
            let process = try ChildProcess(
                SimulatedRoom.program("rowgate-logbook"),
                ["token", "add", name, "--role", role, "--config", path])
            let isToken = /[0-9a-z]{4}(?:-[0-9a-z]{4}){4}/
            guard await process.waitForExit() == 0,
                let token = process.lines.first(where: { $0.wholeMatch(of: isToken) != nil })
            else {
                throw TestSupportError("no token: \(process.text)")
            }
            return token
        }

        /// What curl gets for a command: the answer, and its status behind it.
        func post(_ body: String, _ headers: String...) async throws -> String {
            let options = (headers + ["Content-Type: application/json"]).flatMap { ["-H", $0] }
            let process = try ChildProcess(
                "curl",
                ["-s", "-w", " %{http_code}", "-d", body] + options
                    + [address + "api/v1/commands"])
            _ = await process.waitForExit()
            return process.text
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
        // With its last retained message the erg has left: what comes now stands alone.
        try await logbook.until(#""messages":{"stroke""#, #""seq":3"#)
        let page = try ChildProcess("curl", ["-si", logbook.address])
        #expect(await page.waitForExit() == 0)
        #expect(page.text.contains("Content-Security-Policy: default-src 'self'; base-uri"))
        #expect(page.text.contains("<!DOCTYPE html>"))
        #expect(await logbook.process.terminate() == 0)
        #expect(await logbook.stream.waitForExit() != nil)
        await broker.stop()
    }

    @Test(arguments: [false, true])
    func aCoachsCommandReachesTheErgAndItsAnswerComesBack(keeps: Bool) async throws {
        // Goal: a coach's word reaches the gateway as the contract has it, nobody else's does, and the
        // answer is told. Method: curl with and without a token, as another site and by another name;
        // mosquitto's own clients in the gateway's place; with a store, which listens otherwise.
        let broker = try await PrivateBroker.running()
        try await broker.publish("online", to: Self.erg + "/availability", ["-r"])
        let logbook = try await Logbook(broker, keeps: keeps)
        try await logbook.until(#""payload":"online""#)
        let body =
            #"{"request_id":"c-1","verb":"workout","to":[{"gw":"boathouse","erg":"erg-1"}],"#
            + #""fields":{"type":"distance","distance_m":2000}}"#
        let bearer = "Authorization: Bearer " + (try await logbook.token("anna", role: "coach"))
        let screen = "Authorization: Bearer " + (try await logbook.token("tv", role: "wall"))
        #expect(try await logbook.post(body).hasSuffix("} 401"))
        #expect(try await logbook.post(body, screen).hasSuffix("} 403"))
        let foreign = try await logbook.post(body, bearer, "Origin: http://evil.example")
        #expect(foreign.hasSuffix("} 403"))
        #expect(try await logbook.post(body, bearer, "Host: evil.example").hasSuffix("} 421"))
        let presence = "rowgate/v1/boathouse/availability"
        try await broker.publish("offline", to: presence, ["-r"])
        try await logbook.until("event: gateway", "offline")
        #expect(try await logbook.post(body, bearer).contains(#""code":"gateway_away""#))
        try await broker.publish("online", to: presence, ["-r"])
        try await logbook.until("event: gateway", "online", behind: "offline")
        let stream = try ChildProcess(
            "curl", ["-sN", "-H", bearer, logbook.address + "api/v1/live"])
        let gateway = try await StrangerSubscriber(broker, Self.erg + "/cmd/#")
        let next = body.replacingOccurrences(of: "c-1", with: "c-2")
        #expect(try await logbook.post(next, bearer).hasSuffix(" 202"))
        #expect(try await logbook.post(next, bearer).hasSuffix(" 202"))
        #expect(await eventually { !gateway.messages.isEmpty })
        try await broker.publish(
            #"{"v":1,"kind":"rsp","request_id":"c-2","status":"ok","code":"done","message":"m"}"#,
            to: Self.erg + "/rsp/workout")
        #expect(await eventually { stream.text.contains(#""status":"ok","code":"done""#) })
        #expect(gateway.messages.count == 1)
        #expect(stream.text.contains(#""id":"c-1""#), "earlier commands are told too")
        let command = gateway.messages.first
        #expect(command?.object?["request_id"] as? String == "c-2")
        #expect(command?.object?["distance_m"] as? Int == 2000)
        #expect(command?.contentType == "application/json")
        #expect(!logbook.stream.text.contains("event: command"), "a wall is told of no command")
        #expect(await logbook.process.terminate() == 0)
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
