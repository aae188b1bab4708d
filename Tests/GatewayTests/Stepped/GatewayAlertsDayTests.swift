import Contract
import TestSupport
import Testing

/// The gateway's own alerts, from the fault to the subscriber.
struct GatewayAlertsDayTests {
    private static func retained(_ day: SteppedDay, _ place: String = "") -> String {
        let payload = day.broker.retained["rowgate/v1/boathouse/\(place)alerts"] ?? []
        return String(decoding: payload, as: UTF8.self)
    }

    @Test func eachFaultIsOnePairOfAlerts() async throws {
        let folder = try TemporaryFolder()
        try await SteppedLoop.run(seed: 1) { machine in
            let day = try SteppedDay(on: machine, seed: 1, folder: folder.path)
            let listener = AlertListener()
            day.broker.onMessage = { listener.receive($0, $1) }
            try await day.startGateway()
            try day.ergs[0].switchOn("just-row", seed: 1)
            await machine.sleep(for: .seconds(60))
            #expect(listener.events == [])
            #expect(Self.retained(day).contains(#""firing":0,"rules":[],"alert_ids":[]"#))
            day.isUndervoltage = true
            await machine.sleep(for: .seconds(10))
            #expect(listener.events == ["undervoltage firing"])
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
                listener.events == [
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

    @Test(arguments: [true, false])
    func restartKeepsActiveAlerts(isKilled: Bool) async throws {
        let folder = try TemporaryFolder()
        try await SteppedLoop.run(seed: 1) { machine in
            let day = try SteppedDay(on: machine, seed: 1, folder: folder.path)
            let listener = AlertListener()
            day.broker.onMessage = { listener.receive($0, $1) }
            try await day.startGateway()
            day.isUndervoltage = true
            await machine.sleep(for: .seconds(20))
            if isKilled { day.killGateway() } else { await day.stopGateway() }
            day.broker.forget()
            await machine.sleep(for: .seconds(5))
            try await day.startGateway()
            await machine.sleep(for: .seconds(20))
            #expect(listener.events == ["undervoltage firing"])
            #expect(Self.retained(day).contains(#""rules":["undervoltage"]"#))
            day.isUndervoltage = false
            await machine.sleep(for: .seconds(60))
            #expect(listener.events == ["undervoltage firing", "undervoltage resolved"])
            #expect(Set(listener.ids("undervoltage")).count == 1)
            await day.stopGateway()
        }
    }

    @Test func lostAdapterSuppressesLinkAlerts() async throws {
        let folder = try TemporaryFolder()
        try await SteppedLoop.run(seed: 1) { machine in
            let day = try SteppedDay(on: machine, seed: 1, folder: folder.path)
            let listener = AlertListener()
            day.broker.onMessage = { listener.receive($0, $1) }
            try await day.startGateway()
            for erg in day.ergs { try erg.switchOn("just-row", seed: 1) }
            await machine.sleep(for: .seconds(60))
            await day.loseReach(for: .seconds(60))
            await machine.sleep(for: .seconds(60))
            #expect(listener.events == ["adapter_lost firing", "adapter_lost resolved"])
            day.ergs[2].isOutOfReach = true
            day.ergs[2].close(.lost)
            await machine.sleep(for: .seconds(20))
            #expect(listener.events.last == "erg-3 link_lost firing")
            day.ergs[2].comeBack()
            await machine.sleep(for: .seconds(30))
            #expect(listener.events.count == 4)
            await day.stopGateway()
        }
    }
}
