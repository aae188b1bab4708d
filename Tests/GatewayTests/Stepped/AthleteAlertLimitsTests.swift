import TestSupport
import Testing

@testable import Gateway
@testable import Insights

/// Alert limits of athletes in a gateway.
struct AthleteAlertLimitsTests {
    /// Also after the gateway was killed.
    @Test func limitsFollowTheAssignedAthlete() async throws {
        let folder = try TemporaryFolder()
        var slow = AlertSettings()
        slow.rates = 10...12
        var light = AlertSettings()
        light.drags = 50...60
        let roster = AthleteRoster(athletes: [
            .init(id: "a-1", alerts: slow), .init(id: "a-2"), .init(id: "a-3", alerts: light),
        ])
        try await SteppedLoop.run(seed: 1) { machine in
            let day = try SteppedDay(on: machine, seed: 1, folder: folder.path, roster: roster)
            let listener = AlertListener()
            day.broker.onMessage = { listener.receive($0, $1) }
            func assign(_ athlete: String?) async {
                let name = athlete.map { #","athlete_id":"\#($0)""# } ?? ""
                let payload = #"{"request_id":"\#(athlete ?? "nobody")"\#(name)}"#
                _ = day.broker.send(
                    Array(payload.utf8), to: "rowgate/v1/boathouse/erg/erg-1/cmd/assign")
                await machine.sleep(for: .seconds(30))
            }
            try await day.startGateway()
            try day.ergs[0].switchOn("just-row", seed: 1)
            await machine.sleep(for: .seconds(60))
            #expect(listener.events == [])
            await assign("a-1")
            #expect(listener.events == ["erg-1 rate_out_of_band firing"])
            day.killGateway()
            await machine.sleep(for: .seconds(5))
            try await day.startGateway()
            await machine.sleep(for: .seconds(60))
            #expect(listener.events.count == 1)
            await assign("a-2")
            #expect(listener.events.last == "erg-1 rate_out_of_band resolved")
            #expect(listener.records.last?.text("resolution") == "rule_off")
            #expect(listener.events.count == 2)
            await assign("a-3")
            #expect(listener.events.last == "erg-1 drag_out_of_band firing")
            day.killGateway()
            await machine.sleep(for: .seconds(5))
            try await day.startGateway()
            await machine.sleep(for: .seconds(60))
            #expect(listener.events.count == 3)
            await assign(nil)
            #expect(listener.events.last == "erg-1 drag_out_of_band resolved")
            #expect(listener.events.count == 4)
            await day.stopGateway()
        }
    }

    @Test func reloadAppliesNewLimits() async throws {
        let folder = try TemporaryFolder()
        let roster = AthleteRoster(athletes: [.init(id: "a-1", erg: "erg-1")])
        try await SteppedLoop.run(seed: 1) { machine in
            let day = try SteppedDay(on: machine, seed: 1, folder: folder.path, roster: roster)
            let listener = AlertListener()
            day.broker.onMessage = { listener.receive($0, $1) }
            try await day.startGateway()
            try day.ergs[0].switchOn("just-row", seed: 1)
            await machine.sleep(for: .seconds(60))
            #expect(listener.events == [])
            let path = folder.path("roster.toml")
            for (text, file) in [
                ("[[athlete]]\nid = \"a-1\"\nalert_rate_max_spm = 12\n", path),
                (anyErg + "athletes.roster = \"\(path)\"\n", day.path),
            ] { try text.write(toFile: file, atomically: true, encoding: .utf8) }
            _ = day.broker.send(
                Array(#"{"request_id":"r-1"}"#.utf8), to: "rowgate/v1/boathouse/cmd/reload")
            await machine.sleep(for: .seconds(30))
            #expect(listener.events == ["erg-1 rate_out_of_band firing"])
            await day.stopGateway()
        }
    }
}
