import Foundation
import TestSupport
import Testing

/// rowgate-logbook with a real broker, read by curl.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct LogbookTests {
    private static let erg = "rowgate/v1/boathouse/erg/erg-1"

    /// The daemon on a free port, and a client of its event stream.
    final class Logbook {
        let process: ChildProcess
        let stream: ChildProcess
        /// `http://127.0.0.1:8080/`
        let address: String
        let folder: TemporaryFolder
        /// The configuration.
        let path: String

        init(
            _ broker: PrivateBroker, hasStore: Bool = false, _ sections: String = ""
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
            \(hasStore ? "[store]\npath = \"\(folder.path("logbook.db"))\"" : "")
            \(sections)

            """
            .write(toFile: path, atomically: true, encoding: .utf8)
            let process = try ChildProcess(
                SimulatedRoom.program("rowgate-logbook"),
                ["--config", path, "--listen", "127.0.0.1:0"])
            self.process = process
            _ = await eventually { process.hasSubscribed(connections: hasStore ? 2 : 1) }
            let found = process.text.firstMatch(of: /http:\/\/[0-9.:]+\//)
            guard let found else { throw TestSupportError("no address: \(process.text)") }
            address = String(found.0)
            stream = try ChildProcess("curl", ["-sN", address + "api/v1/live"])
            try await until("event: room")
        }

        /// Creates a token.
        ///
        /// - Parameter more: further arguments of the command.
        func token(_ name: String, role: String, _ more: [String] = []) async throws -> String {
            let process = try ChildProcess(
                SimulatedRoom.program("rowgate-logbook"),
                ["token", "add", name, "--role", role, "--config", path] + more)
            let isToken = /[0-9a-z]{4}(?:-[0-9a-z]{4}){4}/
            guard await process.waitForExit() == 0,
                let token = process.lines.first(where: { $0.wholeMatch(of: isToken) != nil })
            else {
                throw TestSupportError("no token: \(process.text)")
            }
            return token
        }

        /// Posts a command and returns the answer followed by its status.
        func post(_ body: String, _ headers: String...) async throws -> String {
            let options = (headers + ["Content-Type: application/json"]).flatMap { ["-H", $0] }
            let process = try ChildProcess(
                "curl",
                ["-s", "-w", " %{http_code}", "-d", body] + options
                    + [address + "api/v1/commands"])
            _ = await process.waitForExit()
            return process.text
        }

        /// Waits for an event with both texts after the last event with `earlier`.
        func until(
            _ event: String, _ text: String? = nil, after earlier: String? = nil
        ) async throws {
            let stream = stream
            let isReceived = await eventually {
                var events = stream.text.components(separatedBy: "\n\n")[...]
                if let earlier {
                    events = events[((events.lastIndex { $0.contains(earlier) } ?? -1) + 1)...]
                }
                return events.contains { $0.contains(event) && $0.contains(text ?? event) }
            }
            guard isReceived else {
                throw TestSupportError("no \(event) \(text ?? ""): \(stream.text)")
            }
        }
    }

    /// A live message, hostile ones, and a retained one that is cleared. Payloads must arrive byte for
    /// byte.
    @Test func forwardsMessagesToThePage() async throws {
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
        // Clearing the last retained message removes the erg, so the next event has only this message.
        try await logbook.until(#""messages":{"stroke""#, #""seq":3"#)
        let page = try ChildProcess("curl", ["-si", logbook.address])
        #expect(await page.waitForExit() == 0)
        #expect(page.text.contains("Content-Security-Policy: default-src 'self'; base-uri"))
        #expect(page.text.contains("<!DOCTYPE html>"))
        #expect(await logbook.process.terminate() == 0)
        #expect(await logbook.stream.waitForExit() != nil)
        await broker.stop()
    }

    /// curl with and without a token, with a foreign origin and a foreign host; mosquitto's clients
    /// replace the gateway. A logbook with a store uses another subscription.
    @Test(arguments: [false, true])
    func deliversACommandAndItsReply(hasStore: Bool) async throws {
        let broker = try await PrivateBroker.running()
        try await broker.publish("online", to: Self.erg + "/availability", ["-r"])
        let logbook = try await Logbook(broker, hasStore: hasStore)
        try await logbook.until(#""payload":"online""#)
        let body =
            #"{"request_id":"c-1","verb":"workout","to":[{"gw":"boathouse","erg":"erg-1"}],"#
            + #""fields":{"type":"distance","distance_m":2000}}"#
        let bearer = "Authorization: Bearer " + (try await logbook.token("anna", role: "coach"))
        let wallBearer = "Authorization: Bearer " + (try await logbook.token("tv", role: "wall"))
        #expect(try await logbook.post(body).hasSuffix("} 401"))
        #expect(try await logbook.post(body, wallBearer).hasSuffix("} 403"))
        let crossOrigin = try await logbook.post(body, bearer, "Origin: http://evil.example")
        #expect(crossOrigin.hasSuffix("} 403"))
        #expect(try await logbook.post(body, bearer, "Host: evil.example").hasSuffix("} 421"))
        let presence = "rowgate/v1/boathouse/availability"
        try await broker.publish("offline", to: presence, ["-r"])
        try await logbook.until("event: gateway", "offline")
        #expect(try await logbook.post(body, bearer).contains(#""code":"gateway_away""#))
        try await broker.publish("online", to: presence, ["-r"])
        try await logbook.until("event: gateway", "online", after: "offline")
        let stream = try ChildProcess(
            "curl", ["-sN", "-H", bearer, logbook.address + "api/v1/live"])
        let gateway = try await MosquittoSubscriber(broker, Self.erg + "/cmd/#")
        let next = body.replacingOccurrences(of: "c-1", with: "c-2")
        #expect(try await logbook.post(next, bearer).hasSuffix(" 202"))
        #expect(try await logbook.post(next, bearer).hasSuffix(" 202"))
        #expect(await eventually { !gateway.messages.isEmpty })
        try await broker.publish(
            #"{"v":1,"kind":"rsp","request_id":"c-2","status":"ok","code":"done","message":"m"}"#,
            to: Self.erg + "/rsp/workout")
        #expect(await eventually { stream.text.contains(#""status":"ok","code":"done""#) })
        #expect(gateway.messages.count == 1)
        #expect(stream.text.contains(#""id":"c-1""#), "a new stream includes earlier commands")
        let command = gateway.messages.first
        #expect(command?.object?["request_id"] as? String == "c-2")
        #expect(command?.object?["distance_m"] as? Int == 2000)
        #expect(command?.contentType == "application/json")
        #expect(!logbook.stream.text.contains("event: command"), "a wall gets no commands")
        #expect(await logbook.process.terminate() == 0)
        await broker.stop()
    }

    /// The restarted broker has lost its retained messages.
    @Test func reportsTheBrokersConnection() async throws {
        let broker = try await PrivateBroker.running()
        try await broker.publish("online", to: Self.erg + "/availability", ["-r"])
        let logbook = try await Logbook(broker)
        try await logbook.until(#""payload":"online""#)
        await broker.stop()
        try await logbook.until("event: broker", #""connected":false"#)
        try await broker.start()
        try await logbook.until(
            "event: broker", #""connected":true"#, after: #""connected":false"#)
        // The erg has no retained messages now; the page is updated some seconds later.
        try await logbook.until("event: room", #""ergs":[]"#, after: "event: broker")
        try await broker.publish(#"{"v":1}"#, to: Self.erg + "/live")
        try await logbook.until("event: erg", #"{"live":"#)
        #expect(await logbook.process.terminate() == 0)
        await broker.stop()
    }

    @Test func checksTheConfiguration() async throws {
        let program = SimulatedRoom.program("rowgate-logbook")
        let folder = try TemporaryFolder()
        let path = folder.path("logbook.toml")
        try "[http]\nlisten = \"here\"\n".write(toFile: path, atomically: true, encoding: .utf8)
        for arguments in [["--check-config"], []] {
            let process = try ChildProcess(program, ["--config", path] + arguments)
            #expect(await process.waitForExit() == 78)
            #expect(process.text.contains("logbook.toml:2:1: http.listen: \"here\" is not a valid address"))
        }
        let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let shipped = project.appendingPathComponent("config/logbook.toml").path
        let process = try ChildProcess(program, ["--config", shipped, "--check-config"])
        #expect(await process.waitForExit() == 0)
        #expect(process.text.contains(": ok"))
    }
}
