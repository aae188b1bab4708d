import Contract
import TestSupport
import Testing

/// An active alert during all kinds of faults.
struct AlertEnduranceTests {
    /// A rower exceeds the rate limit throughout. Meanwhile values, link, broker, clock and gateway fail,
    /// and one of several acknowledgements succeeds.
    @Test func alertKeepsItsIDThroughAllFaults() async throws {
        let folder = try TemporaryFolder()
        try await SteppedLoop.run(seed: 1) { machine in
            let day = try SteppedDay(
                on: machine, seed: 1, folder: folder.path, settings: "alerts.rate_max_spm = 12\n")
            let listener = AlertListener()
            day.broker.onMessage = { listener.receive($0, $1) }
            func pass(_ seconds: Int64) async { await machine.sleep(for: .seconds(seconds)) }
            func acknowledge(_ id: String, by name: String, _ request: Int) {
                let payload =
                    #"{"request_id":"r\#(request)","alert_id":"\#(id)","by":"\#(name)"}"#
                _ = day.broker.send(Array(payload.utf8), to: "rowgate/v1/boathouse/cmd/ack")
            }
            var expected = ["erg-1 rate_out_of_band firing"]
            func check(_ fault: String) { #expect(listener.events == expected, "after \(fault)") }
            try await day.startGateway()
            let erg = day.ergs[0]
            try erg.switchOn("just-row", seed: 1)
            await pass(60)
            check("a minute")
            let id = try #require(listener.ids("rate_out_of_band").first ?? nil)
            erg.fallSilent(for: .seconds(10))
            await pass(60)
            check("silence")
            erg.lose(60)
            await pass(30)
            erg.close(.lost)
            await pass(30)
            check("a lost link")
            day.stepClock(by: 3_600_000)
            await pass(30)
            check("a step of the clock")
            acknowledge("01J7ZK3Q5XQ4W8G9T2V6B0C1DF", by: "anna", 1)
            acknowledge(id, by: "anna", 2)
            await pass(5)
            acknowledge(id, by: "ben", 3)
            await pass(5)
            expected.append("erg-1 rate_out_of_band acknowledged")
            check("an acknowledgement")
            #expect(listener.answers == ["unknown_alert", "done", "done"])
            day.broker.goAway()
            await pass(30)
            day.broker.comeBack()
            day.stepClock(by: -7_200_000)
            await pass(60)
            check("a step back")
            await day.stopGateway()
            await pass(10)
            try await day.startGateway()
            await pass(60)
            check("a restart")
            day.killGateway()
            await pass(10)
            try await day.startGateway()
            await pass(60)
            check("a kill")
            day.cutPower()
            await pass(10)
            try await day.startGateway()
            await pass(60)
            check("a power cut")
            let retained = day.broker.retained["rowgate/v1/boathouse/erg/erg-1/alerts"] ?? []
            let text = String(decoding: retained, as: UTF8.self)
            #expect(text.contains(#""firing":1,"#), "\(text)")
            #expect(text.contains(#""acknowledged_by":{"\#(id)":"anna"}"#), "\(text)")
            erg.switchOff()
            await pass(900)
            expected += [
                "erg-1 link_lost firing", "erg-1 rate_out_of_band resolved",
                "erg-1 link_lost resolved",
            ]
            check("the end")
            #expect(Set(listener.ids("rate_out_of_band")) == [id])
            let last = listener.records.last { $0.text("rule") == "rate_out_of_band" }
            #expect(last?.text("acknowledged_by") == "anna")
            #expect(last?.text("resolution") == "session_ended")
            await day.stopGateway()
        }
    }
}
