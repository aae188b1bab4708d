import Testing
import Timeline

@testable import Insights
@testable import Rowing

@Suite struct AcknowledgementTests {
    @Test func whoHasSeenAnAlertIsSaidOnce() throws {
        // Goal: the first one counts, who and when, and it goes on to fire. Method: a stop that is seen
        // twice, then rowing.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.sit(seconds: 20)
        let id = try #require(bench.told.last?.id)
        let seen = bench.now
        #expect(bench.acknowledge(id, by: "anna")?.acknowledgement == .init(at: seen, by: "anna"))
        bench.wait(seconds: 10)
        #expect(bench.acknowledge(id, by: "ben")?.acknowledgement == .init(at: seen, by: "anna"))
        #expect(bench.firing == [.stopped])
        bench.row(3)
        #expect(bench.words == ["stopped", "stopped acknowledged", "-stopped recovered"])
        #expect(bench.told.map(\.acknowledgement?.by) == [nil, "anna", "anna"])
        #expect(Alert.disorder(in: bench.told) == [])
    }

    @Test func anotherAlertHasNotBeenSeen() throws {
        // Goal: who has seen one has not seen the next, nor one that is over. Method: two stops.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.sit(seconds: 20)
        let first = try #require(bench.told.last?.id)
        _ = bench.acknowledge(first, by: nil)
        bench.row(20)
        #expect(bench.acknowledge(first, by: nil) == nil)
        bench.sit(seconds: 20)
        #expect(bench.told.last?.state == .firing && bench.told.last?.id != first)
        #expect(bench.acknowledge("nobody's", by: nil) == nil)
        #expect(Alert.disorder(in: bench.told) == [])
    }

    @Test func aRestartKeepsWhoHasSeenIt() throws {
        // Goal: nobody has to look twice. Method: a restart behind it; it is seen already.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.sit(seconds: 20)
        let id = try #require(bench.told.last?.id)
        _ = bench.acknowledge(id, by: "anna")
        bench.restart()
        bench.wait(seconds: 10)
        #expect(bench.acknowledge(id, by: "ben")?.acknowledgement?.by == "anna")
        #expect(bench.told.count == 2)
    }

    @Test func whoIsForgottenHasSeenNothingByName() throws {
        // Goal: no record behind it says who it was, only that somebody did. Method: two who see one of
        // two alerts each, and one of them is forgotten.
        var bench = AlertBench()
        bench.battery = 9
        bench.begin()
        bench.row(10)
        bench.sit(seconds: 20)
        for (alert, name) in zip(bench.alerts.firing, ["anna", "ben"]) {
            _ = bench.acknowledge(alert.id, by: name)
        }
        bench.alerts.forget("anna")
        bench.battery = 90
        bench.row(10)
        let ends = bench.told.suffix(2)
        #expect(Set(ends.map(\.acknowledgement?.by)) == [nil, "ben"])
        #expect(ends.allSatisfy { $0.resolution == .recovered && $0.acknowledgement != nil })
        #expect(Alert.disorder(in: bench.told) == [])
    }

    @Test func theGatewaysAlertsLikewise() {
        // Goal: as at an erg. Method: a weak supply.
        var alerts = GatewayAlerts(AlertSettings()) { "G" }
        var told: [Alert] = []
        let now = BootInstant(nanoseconds: 0)
        alerts.take(
            GatewayMoment(hasBluetooth: true, adapters: 1, isUndervoltage: true), at: now,
            into: &told)
        #expect(alerts.acknowledge("G", by: "anna", at: now, into: &told)?.rule == .undervoltage)
        #expect(alerts.acknowledge("H", by: "anna", at: now, into: &told) == nil)
        #expect(told.map(\.state) == [.firing, .acknowledged])
        #expect(alerts.firing.map(\.acknowledgement?.by) == ["anna"])
        alerts.forget("anna")
        #expect(alerts.firing.map { $0.acknowledgement == .init(at: now) } == [true])
    }
}
