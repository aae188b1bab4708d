import Contract
import TestSupport
import Testing

/// The gateway's own alerts, from what is wrong with it to what a subscriber gets.
struct GatewayAlertsDayTests {
    private static func retained(_ day: SteppedDay, _ place: String = "") -> String {
        let payload = day.broker.retained["rowgate/v1/boathouse/\(place)alerts"] ?? []
        return String(decoding: payload, as: UTF8.self)
    }

    /// Goal: what is wrong with the gateway is told as what is wrong at an erg is: one pair each, of one
    /// id, and kept for who comes later. Method: a weak supply, a disk that stalls, a broker that is away
    /// for two minutes.
    @Test func eachTroubleIsOnePair() async throws {
        let folder = try TemporaryFolder()
        try await SteppedLoop.run(seed: 1) { machine in
            let day = try SteppedDay(on: machine, seed: 1, folder: folder.path)
            let listener = AlertListener()
            day.broker.onMessage = { listener.take($0, $1) }
            try await day.startGateway()
            try day.ergs[0].switchOn("just-row", seed: 1)
            await machine.sleep(for: .seconds(60))
            #expect(listener.words == [])
            #expect(Self.retained(day).contains(#""firing":0,"rules":[],"alert_ids":[]"#))
            day.isUndervoltage = true
            await machine.sleep(for: .seconds(10))
            #expect(listener.words == ["undervoltage firing"])
            #expect(Self.retained(day).contains(#""firing":1,"severity":"warning""#))
            day.isUndervoltage = false
            await machine.sleep(for: .seconds(60))
            day.stallDisk(for: .seconds(20))
            await machine.sleep(for: .seconds(90))
            day.broker.goAway()
            await machine.sleep(for: .seconds(120))
            day.broker.comeBack()
            await machine.sleep(for: .seconds(90))
            #expect(
                listener.words == [
                    "undervoltage firing", "undervoltage resolved", "disk firing", "disk resolved",
                    "backlog firing", "backlog resolved",
                ])
            for rule in ["undervoltage", "disk", "backlog"] {
                let ids = listener.ids(rule)
                #expect(ids.count == 2 && ids[0] != nil && ids[0] == ids[1], "\(rule)")
            }
            #expect(Self.retained(day).contains(#""firing":0"#))
            await day.stopGateway()
        }
    }

    /// Goal: a restart neither ends an alert nor tells of it twice. Method: a weak supply, and the
    /// gateway killed and stopped in the middle of it; it is well again behind the second start.
    @Test(arguments: [true, false])
    func aRestartGoesOnWithWhatFires(isKilled: Bool) async throws {
        let folder = try TemporaryFolder()
        try await SteppedLoop.run(seed: 1) { machine in
            let day = try SteppedDay(on: machine, seed: 1, folder: folder.path)
            let listener = AlertListener()
            day.broker.onMessage = { listener.take($0, $1) }
            try await day.startGateway()
            day.isUndervoltage = true
            await machine.sleep(for: .seconds(20))
            if isKilled { day.killGateway() } else { await day.stopGateway() }
            day.broker.forget()
            await machine.sleep(for: .seconds(5))
            try await day.startGateway()
            await machine.sleep(for: .seconds(20))
            #expect(listener.words == ["undervoltage firing"])
            #expect(Self.retained(day).contains(#""rules":["undervoltage"]"#))
            day.isUndervoltage = false
            await machine.sleep(for: .seconds(60))
            #expect(listener.words == ["undervoltage firing", "undervoltage resolved"])
            #expect(Set(listener.ids("undervoltage")).count == 1)
            await day.stopGateway()
        }
    }

    /// Goal: one thing, one alert: without an adapter no erg says that its link is lost, and none says so
    /// behind it. Method: eight ergs that row lose their adapter for a minute, then one of them its link.
    @Test func aLostAdapterSilencesTheErgs() async throws {
        let folder = try TemporaryFolder()
        try await SteppedLoop.run(seed: 1) { machine in
            let day = try SteppedDay(on: machine, seed: 1, folder: folder.path)
            let listener = AlertListener()
            day.broker.onMessage = { listener.take($0, $1) }
            try await day.startGateway()
            for erg in day.ergs { try erg.switchOn("just-row", seed: 1) }
            await machine.sleep(for: .seconds(60))
            await day.loseReach(for: .seconds(60))
            await machine.sleep(for: .seconds(60))
            #expect(listener.words == ["adapter_lost firing", "adapter_lost resolved"])
            day.ergs[2].isOutOfReach = true
            day.ergs[2].close(.lost)
            await machine.sleep(for: .seconds(20))
            #expect(listener.words.last == "erg-3 link_lost firing")
            day.ergs[2].comeBack()
            await machine.sleep(for: .seconds(30))
            #expect(listener.words.count == 4)
            await day.stopGateway()
        }
    }
}
