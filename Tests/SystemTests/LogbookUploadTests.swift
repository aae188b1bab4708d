import Foundation
import TestSupport
import Testing

/// A piece that an athlete rows in a simulated room arrives at other services by itself.
@Suite(.enabled(if: InstalledPrograms.areAllowed && PythonPackage.hasTrainingFiles))
struct LogbookUploadTests {
    private typealias Object = [String: Any]

    /// `upload_services.py`, which imitates the services as documented.
    private struct Services {
        let process: ChildProcess
        let input = Pipe()
        let address: String

        init() async throws {
            let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../LogbookTests/Interop/upload_services.py").path
            let process = try ChildProcess(
                "python3", [path], environment: ["PYTHONPATH": PythonPackage.folder],
                input: input.fileHandleForReading)
            try #require(await eventually { !process.lines.isEmpty || !process.isRunning })
            let port = try #require(process.lines.first?.split(separator: " ").last, "\(process.text)")
            (self.process, address) = (process, "http://127.0.0.1:\(port)")
        }

        func control(_ name: String, _ body: String? = nil) async throws -> Object {
            try await LogbookUploadTests.request("\(address)/control/\(name)", body: body)
        }

        /// The bodies of the sessions that a service has.
        func stored(_ service: String) async throws -> [Object] {
            let found = try await control("state")[service] as? [String: [Object]]
            return found?.values.first ?? []
        }
    }

    private static func request(
        _ address: String, bearer: String? = nil, body: String? = nil
    ) async throws -> Object {
        var arguments = ["-s", "--noproxy", "*", address]
        if let bearer { arguments += ["-H", "Authorization: Bearer \(bearer)"] }
        if let body { arguments += ["-H", "Content-Type: application/json", "-d", body] }
        let process = try ChildProcess("curl", arguments)
        _ = await process.waitForExit()
        let object = try? JSONSerialization.jsonObject(with: Data(process.text.utf8))
        guard let object = object as? Object else { throw TestSupportError("\(address): \(process.text)") }
        return object
    }

    /// The logbook is killed after intervals.icu has stored the piece and before its answer arrives. After the restart,
    /// the service recognizes the file.
    @Test(.timeLimit(.minutes(30)))
    func aPieceArrivesOnceAlthoughTheLogbookIsKilled() async throws {
        let services = try await Services()
        let room = try await SimulatedRoom(
            ergs: 1, simulator: "--workout wait --speed 8 --link-speed 8 --seed 5".words)
        try room.configure("[commands]\nenabled = true\n")
        let keys = try TemporaryFolder()
        let key = keys.path("uploads-key")
        try "k5wJ0vQ3Yx8m2ZbT7nR4cL9pH6sD1fGa\n".write(toFile: key, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let logbook = try await LogbookTests.Logbook(
            room.broker, hasStore: true,
            """
            [uploads]
            key_file = "\(key)"
            allow_private_addresses = true
            intervals_icu_address = "\(services.address)/intervals"
            """)
        let token = try await logbook.token("anna", role: "athlete", ["--athlete", "anna"])
        let accounts = "api/v1/me/uploads"
        let account = try await Self.request(
            logbook.address + accounts + "/intervals_icu", bearer: token, body: #"{"key":"icu-key"}"#)
        #expect(account["label"] as? String == "Rower 1", "\(account) \(logbook.process.text)")
        let webhook = try await Self.request(
            logbook.address + accounts + "/webhook", bearer: token,
            body: #"{"address":"\#(services.address)/webhook"}"#)
        let secret = try #require(webhook["secret"] as? String, "\(webhook)")
        _ = try await services.control("webhook", #"{"secret":"\#(secret)"}"#)
        _ = try await services.control(
            "next", #"{"path_prefix":"/intervals","method":"POST","count":1,"before":false,"delay_s":600}"#)

        let gateway = try await room.startGateway()
        #expect(
            await eventually { room.messages(ofKind: "availability", of: "erg-1").last?.payload == "online" },
            "\(gateway.text)")
        _ = try await room.reply("erg/erg-1/cmd/assign", #"{"request_id":"a-1","athlete_id":"anna"}"#)
        let reply = try await room.reply(
            "erg/erg-1/cmd/workout", #"{"request_id":"w-1","type":"distance","distance_m":500}"#)
        #expect(reply["status"] as? String == "ok", "\(reply)")
        let isStored = try await eventually(within: .seconds(600)) {
            try await services.stored("intervals").count == 1
        }
        try #require(isStored, "\(logbook.process.text)\(gateway.text)")
        logbook.process.signal(SIGKILL)
        _ = await logbook.process.waitForExit()

        let again = try ChildProcess(
            SimulatedRoom.program("rowgate-logbook"), ["--config", logbook.path, "--listen", "127.0.0.1:0"])
        let isUploaded = await eventually(within: .seconds(600)) {
            again.text.contains("to intervals.icu") && again.text.contains("uploaded")
        }
        try #require(isUploaded, "\(again.text)")
        let files = try await services.stored("intervals")
        #expect(files.count == 1 && files[0]["distance"] as? Double == 500, "\(files)")
        let isDelivered = try await eventually { try await services.stored("webhook").count == 1 }
        try #require(isDelivered, "\(again.text)")
        let delivery = try #require(try await services.stored("webhook").first?["body"] as? String)
        let content = try JSONSerialization.jsonObject(with: Data(delivery.utf8)) as? Object
        let summary = (content?["data"] as? Object)?["summary"] as? Object
        #expect(summary?["distance_m"] as? Double == 500 && summary?["athlete_id"] as? String == "anna")
        #expect(!again.text.contains("icu-key") && !again.text.contains(secret))
        #expect(await again.terminate() == 0)
        #expect(await gateway.terminate() == 0)
        await room.broker.stop()
    }
}
