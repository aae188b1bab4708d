import Foundation
import TestSupport
import Testing

/// The first sign-in of a new logbook, and its command line while it runs, with curl as browser.
@Suite(.enabled(if: InstalledPrograms.areAllowed))
struct InvitationTests {
    private let broker: PrivateBroker
    private let logbook: LogbookTests.Logbook

    init() async throws {
        broker = try await PrivateBroker.running()
        logbook = try await LogbookTests.Logbook(broker, hasStore: true)
    }

    /// Runs the logbook's command line; returns its output.
    private func run(_ words: [String], status: Int32 = 0) async throws -> String {
        let process = try ChildProcess(
            SimulatedRoom.program("rowgate-logbook"), words + ["--config", logbook.path])
        let found = await process.waitForExit()
        #expect(found == status, "\(words): \(process.text)")
        return process.text
    }

    /// Sends a request with the cookies of a browser; returns the body with the status behind it.
    private func request(_ path: String, as browser: String, body: String? = nil) async throws -> String {
        let jar = logbook.folder.path(browser)
        let options =
            body.map { ["-H", "Content-Type: application/json", "-H", "Origin: \(origin)", "-d", $0] } ?? []
        let process = try ChildProcess(
            "curl",
            ["-s", "-b", jar, "-c", jar, "-w", " %{http_code}"] + options + [
                logbook.address + "api/v1/" + path
            ])
        _ = await process.waitForExit()
        return process.text
    }

    private var origin: String { String(logbook.address.dropLast()) }

    private func code(in text: String) throws -> String {
        String(try #require(text.firstMatch(of: /\/invitation#([0-9a-z-]{24})/), "\(text)").1)
    }

    @Test func theFirstLinkSignsACaptainIn() async throws {
        let process = logbook.process
        #expect(
            await eventually {
                process.text.contains("sign in as captain within an hour, once: \(self.origin)/")
            })
        let first = try code(in: process.text)
        // A preview gets the page, which is the same for all invitations.
        #expect(try await request("../../invitation", as: "preview").contains("<form"))
        #expect(
            try await request("invitation/check", as: "phone", body: "{\"code\": \"\(first)\"}").contains(
                "Captain"))
        let signedIn = try await request(
            "invitation/accept", as: "phone", body: "{\"code\": \"\(first)\", \"name\": \"Kim\"}")
        #expect(signedIn == #"{"name":"Kim","role":"captain"} 200"#)
        #expect(try await request("users", as: "phone").hasSuffix(" 200"))
        let again = try await request("invitation/accept", as: "thief", body: "{\"code\": \"\(first)\"}")
        #expect(again.hasSuffix(" 404"))

        // The running logbook follows the command line.
        let link = try await run([
            "invite", "--role", "coach", "--name", "Jo", "--address", "https://log.example.org",
        ])
        #expect(link.hasPrefix("https://log.example.org/invitation#"), "\(link)")
        let accepted = try await request(
            "invitation/accept", as: "tablet", body: "{\"code\": \"\(try self.code(in: link))\"}")
        #expect(accepted == #"{"name":"Jo","role":"coach"} 200"#)
        #expect(try await request("gateways", as: "tablet").hasSuffix(" 200"))
        #expect(try await run(["user", "list"]).contains("Unknown browser"))
        #expect(try await run(["user", "list", "--json"]).contains(#""user_id":"jo""#))
        #expect(try await run(["user", "remove", "captain"], status: 2).contains("this is the last captain"))
        _ = try await run(["user", "edit", "jo", "--name", "Jo Park", "--role", "captain"])
        _ = try await run(["user", "sign-out", "jo"])
        let isOut = try await eventually(within: .seconds(60)) {
            try await request("gateways", as: "tablet").hasSuffix(" 401")
        }
        #expect(isOut)
        let revoked = try code(in: try await run(["invite", "--user", "jo", "--json"]))
        _ = try await run(["user", "revoke", "jo"])
        #expect(
            try await request("invitation/check", as: "tablet", body: "{\"code\": \"\(revoked)\"}").hasSuffix(
                " 404"))
        // A tablet that everybody in the room uses.
        let tablet = try code(in: try await run(["invite", "--role", "room", "--name", "Tablet"]))
        #expect(
            try await request("invitation/accept", as: "room", body: "{\"code\": \"\(tablet)\"}")
                == #"{"name":"Tablet","role":"room"} 200"#)
        #expect(try await request("check-in/athletes", as: "room") == #"{"athletes":[]} 200"#)
        #expect(try await request("check-in/code", as: "room") == "{} 200", "open check-in is off by default")
        #expect(try await request("sessions", as: "room").hasSuffix(" 403"))
        #expect(try await run(["user", "list"]).contains("room"))
        #expect(
            try await run(["user", "edit", "tablet", "--role", "coach"], status: 2).contains("keeps its role")
        )
        _ = try await run(["user", "remove", "tablet"])
        let isRemoved = try await eventually(within: .seconds(60)) {
            try await request("check-in/athletes", as: "room").hasSuffix(" 401")
        }
        #expect(isRemoved)
        #expect(try await run(["invite", "--athlete", "nobody"], status: 2).contains("there is no athlete"))
        #expect(try await run(["invite", "--role", "athlete"], status: 64).contains("--athlete"))
        #expect(await logbook.process.terminate() == 0)

        // Somebody has signed in, so the next start creates no link.
        let next = try ChildProcess(
            SimulatedRoom.program("rowgate-logbook"), ["--config", logbook.path, "--listen", "127.0.0.1:0"])
        #expect(await eventually { next.hasSubscribed(connections: 2) })
        #expect(!next.text.contains("sign in as captain"))
        #expect(await next.terminate() == 0)
        await broker.stop()
    }
}
