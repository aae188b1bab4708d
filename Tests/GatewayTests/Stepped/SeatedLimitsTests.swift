import TestSupport
import Testing

@testable import Gateway
@testable import Insights

/// Limits of an athlete, in a gateway.
struct SeatedLimitsTests {
    /// Goal: whoever sits there brings their limits along, over a death of the gateway too, and takes them
    /// away. Method: somebody rows as nobody, as an athlete who is to row at 12 strokes a minute, as one
    /// without limits, as one with a drag that is too much, and as nobody.
    @Test func limitsComeAndGoWithTheAthlete() async throws {
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
            day.broker.onMessage = { listener.take($0, $1) }
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
            #expect(listener.words == [])
            await assign("a-1")
            #expect(listener.words == ["erg-1 rate_out_of_band firing"])
            day.killGateway()
            await machine.sleep(for: .seconds(5))
            try await day.startGateway()
            await machine.sleep(for: .seconds(60))
            #expect(listener.words.count == 1)
            await assign("a-2")
            #expect(listener.words.last == "erg-1 rate_out_of_band resolved")
            #expect(listener.records.last?.text("resolution") == "rule_off")
            #expect(listener.words.count == 2)
            await assign("a-3")
            #expect(listener.words.last == "erg-1 drag_out_of_band firing")
            day.killGateway()
            await machine.sleep(for: .seconds(5))
            try await day.startGateway()
            await machine.sleep(for: .seconds(60))
            #expect(listener.words.count == 3)
            await assign(nil)
            #expect(listener.words.last == "erg-1 drag_out_of_band resolved")
            #expect(listener.words.count == 4)
            await day.stopGateway()
        }
    }

    /// Goal: a coach who writes other limits into the roster has them in force without a restart. Method: an
    /// athlete without limits rows; the roster gives them one, and the configuration is read again.
    @Test func aReloadBringsOtherLimits() async throws {
        let folder = try TemporaryFolder()
        let roster = AthleteRoster(athletes: [.init(id: "a-1", erg: "erg-1")])
        try await SteppedLoop.run(seed: 1) { machine in
            let day = try SteppedDay(on: machine, seed: 1, folder: folder.path, roster: roster)
            let listener = AlertListener()
            day.broker.onMessage = { listener.take($0, $1) }
            try await day.startGateway()
            try day.ergs[0].switchOn("just-row", seed: 1)
            await machine.sleep(for: .seconds(60))
            #expect(listener.words == [])
            let path = folder.path("roster.toml")
            for (text, file) in [
                ("[[athlete]]\nid = \"a-1\"\nalert_rate_max_spm = 12\n", path),
                (anyErg + "athletes.roster = \"\(path)\"\n", day.path),
            ] { try text.write(toFile: file, atomically: true, encoding: .utf8) }
            _ = day.broker.send(
                Array(#"{"request_id":"r-1"}"#.utf8), to: "rowgate/v1/boathouse/cmd/reload")
            await machine.sleep(for: .seconds(30))
            #expect(listener.words == ["erg-1 rate_out_of_band firing"])
            await day.stopGateway()
        }
    }
}
