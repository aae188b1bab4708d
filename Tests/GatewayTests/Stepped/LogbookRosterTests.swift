import Bytes
import Contract
import Foundation
import TestSupport
import Testing

@testable import Gateway

/// A gateway with `[athletes] roster = "logbook"`.
struct LogbookRosterTests {
    private func withGateway(
        _ settings: String = "athletes.publish_names = true\n",
        _ body: @escaping @Sendable (CommandSender, SteppedDay, TemporaryFolder) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        try await SteppedLoop.run(seed: 1) { machine in
            let day = try SteppedDay(
                on: machine, seed: 1, folder: folder.path,
                settings: "athletes.roster = \"logbook\"\n" + settings)
            try await day.startGateway()
            await machine.sleep(for: .seconds(60))
            try await body(CommandSender(day, on: machine), day, folder)
            await day.stopGateway()
        }
    }

    @Test func onlyAthletesOfTheRosterCanBeAssigned() async throws {
        try await withGateway { sender, _, _ in
            #expect(sender.retained("roster")?.text("source") == "logbook")
            #expect(sender.retained("roster")?["revision"] == nil)
            #expect(sender.retained("roster")?["power_6k"] == .flag(true))
            // Before the first roster everybody can be assigned.
            #expect(await sender.assign("stranger") == "done")
            let athletes =
                #"{"athlete_id":"kim","name":"Kim Õ","power_2k_w":300,"power_6k_w":250},"#
                + #"{"athlete_id":"lee"}"#
            #expect(await sender.roster("one", athletes) == "done")
            #expect(await sender.assign("kim") == "done")
            #expect(await sender.assign("stranger") == "unknown_athlete")
            #expect(sender.retained("roster")?.number("athletes") == 2)
            #expect(sender.retained("roster")?.text("revision") == "one")
            #expect(sender.retained("roster")?.text("logbook") == "club")
            #expect(sender.retained("erg/erg-1/state")?.text("athlete_name") == "Kim Õ")
        }
    }

    @Test func theRosterSurvivesRestartsWithoutABroker() async throws {
        try await withGateway { sender, day, folder in
            #expect(await sender.roster("one", #"{"athlete_id":"kim","name":"Kim"}"#) == "done")
            #expect(await sender.assign("kim") == "done")
            day.killGateway()
            day.broker.goAway()
            await sender.machine.sleep(for: .seconds(5))
            try await day.startGateway()
            await sender.machine.sleep(for: .seconds(60))
            day.broker.comeBack()
            await sender.machine.sleep(for: .seconds(120))
            #expect(await sender.assign("stranger") == "unknown_athlete")
            #expect(sender.retained("roster")?.text("revision") == "one")
            // A damaged file is as none, and the next roster replaces it.
            day.killGateway()
            try "{\"revision\"".write(toFile: folder.path("roster"), atomically: true, encoding: .utf8)
            await sender.machine.sleep(for: .seconds(5))
            try await day.startGateway()
            await sender.machine.sleep(for: .seconds(60))
            #expect(await sender.assign("stranger", to: 2) == "done")
            #expect(await sender.roster("two", #"{"athlete_id":"lee"}"#) == "done")
            #expect(await sender.assign("kim") == "unknown_athlete")
        }
    }

    @Test func doesNotStoreNamesThatAreNotPublished() async throws {
        try await withGateway("") { sender, _, folder in
            #expect(await sender.roster("one", #"{"athlete_id":"kim","name":"Kim Secret"}"#) == "done")
            #expect(await sender.assign("kim") == "done")
            #expect(sender.retained("erg/erg-1/state")?.text("athlete_id") == "kim")
            #expect(sender.retained("erg/erg-1/state")?.text("athlete_name") == nil)
            let stored = try String(contentsOfFile: folder.path("roster"), encoding: .utf8)
            #expect(stored.contains("kim") && !stored.contains("Secret"))
        }
    }

    @Test func partsReplaceTheRosterTogether() async throws {
        try await withGateway { sender, _, _ in
            let second = #","part":2,"parts":2"#
            #expect(await sender.roster("one", #"{"athlete_id":"kim"}"#, part: #","parts":2"#) == "done")
            #expect(await sender.assign("stranger") == "done")
            #expect(await sender.roster("one", #"{"athlete_id":"lee"}"#, part: second) == "done")
            #expect(await sender.assign("stranger") == "unknown_athlete")
            #expect(await sender.assign("kim") == "done")
            #expect(await sender.assign("lee", to: 2) == "done")
            // A part of another revision replaces the earlier parts.
            #expect(await sender.roster("two", #"{"athlete_id":"max"}"#, part: second) == "done")
            #expect(await sender.roster("three", #"{"athlete_id":"ann"}"#, part: #","parts":2"#) == "done")
            #expect(await sender.assign("kim") == "done")
            // An athlete in two parts would be ambiguous.
            #expect(await sender.roster("three", #"{"athlete_id":"ann"}"#, part: second) == "bad_value")
        }
    }

    @Test func wrongRostersChangeNothing() async throws {
        try await withGateway { sender, _, _ in
            #expect(await sender.roster("one", #"{"athlete_id":"kim"}"#) == "done")
            for (athletes, code) in [
                (#"{"athlete_id":"a,b"}"#, "bad_value"), (#"{"name":"Kim"}"#, "missing_field"),
                (#"{"athlete_id":"a"},{"athlete_id":"a"}"#, "bad_value"), ("7", "bad_value"),
                (#"{"athlete_id":"a","name":"x\u0007"}"#, "bad_value"),
                (#"{"athlete_id":"a","power_2k_w":5}"#, "bad_value"),
                (#"{"athlete_id":"a","power_6k_w":5}"#, "bad_value"),
                (#"{"athlete_id":"a","belt":"x"}"#, "unknown_field"),
                (#"{"athlete_id":"a","name":"\#(String(repeating: "x", count: 241))"}"#, "bad_value"),
            ] { #expect(await sender.roster("two", athletes) == code, "\(athletes)") }
            #expect(await sender.send("cmd/roster", #""revision":"x","athletes":[]"#) == "missing_field")
            #expect(await sender.roster("two", "", part: #","part":3,"parts":2"#) == "bad_value")
            #expect(sender.retained("roster")?.text("revision") == "one")
            #expect(await sender.assign("kim") == "done")
        }
    }

    @Test func aForgottenAthleteLeavesTheStoredRoster() async throws {
        try await withGateway("commands.forget = true\n") { sender, _, folder in
            let athletes = #"{"athlete_id":"kim"},{"athlete_id":"lee"}"#
            #expect(await sender.roster("one", athletes) == "done")
            #expect(await sender.send("cmd/forget", #""athlete_id":"kim""#) == "done")
            await sender.machine.sleep(for: .seconds(60))
            #expect(await sender.assign("kim") == "unknown_athlete")
            let stored = try String(contentsOfFile: folder.path("roster"), encoding: .utf8)
            #expect(stored.contains("lee") && !stored.contains("kim"))
        }
    }

    /// A reload switches between a logbook, a file and no roster.
    @Test func aReloadChangesTheSource() async throws {
        try await withGateway { sender, day, folder in
            #expect(await sender.roster("one", #"{"athlete_id":"kim"}"#) == "done")
            func reload(_ line: String) async throws -> String? {
                try (anyErg + line).write(toFile: day.path, atomically: true, encoding: .utf8)
                return await sender.send("cmd/reload", "")
            }
            let path = folder.path("roster.toml")
            try "[[athlete]]\nid = \"max\"\n".write(toFile: path, atomically: true, encoding: .utf8)
            #expect(try await reload("athletes.roster = \"\(path)\"\n") == "done")
            #expect(await sender.assign("kim") == "unknown_athlete")
            #expect(await sender.assign("max") == "done")
            #expect(sender.retained("roster")?.text("source") == "file")
            #expect(await sender.roster("two", #"{"athlete_id":"lee"}"#) == "disabled")
            #expect(try await reload("athletes.roster = \"logbook\"\n") == "done")
            #expect(await sender.assign("kim") == "done")
            #expect(try await reload("") == "done")
            #expect(sender.retained("roster")?.text("source") == "none")
            #expect(await sender.assign("anybody") == "done")
        }
    }
}

extension CommandSender {
    fileprivate func roster(_ revision: String, _ athletes: String, part: String = "") async -> String? {
        await send(
            "cmd/roster",
            #""revision":"\#(revision)","logbook":"club","athletes":[\#(athletes)]\#(part)"#)
    }

    fileprivate func assign(_ athlete: String, to erg: Int = 1) async -> String? {
        await send("erg/erg-\(erg)/cmd/assign", #""athlete_id":"\#(athlete)""#)
    }
}
