import Testing
import Timeline

@testable import Insights
@testable import Rowing

@Suite struct AcknowledgementTests {
    @Test func acknowledgesAlertOnce() throws {
        // A stop is acknowledged twice, and then the rower continues. The first acknowledgement counts.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.pauseRowing(seconds: 20)
        let id = try #require(bench.published.last?.id)
        let seen = bench.now
        #expect(bench.acknowledge(id, by: "anna")?.acknowledgement == .init(at: seen, by: "anna"))
        bench.wait(seconds: 10)
        #expect(bench.acknowledge(id, by: "ben")?.acknowledgement == .init(at: seen, by: "anna"))
        #expect(bench.firing == [.stopped])
        bench.row(3)
        #expect(bench.alertNames == ["stopped", "stopped acknowledged", "-stopped recovered"])
        #expect(bench.published.map(\.acknowledgement?.by) == [nil, "anna", "anna"])
        #expect(Alert.disorder(in: bench.published) == [])
    }

    @Test func acknowledgesOnlyTheAlertWithThisID() throws {
        // Two stops.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.pauseRowing(seconds: 20)
        let first = try #require(bench.published.last?.id)
        _ = bench.acknowledge(first, by: nil)
        bench.row(20)
        #expect(bench.acknowledge(first, by: nil) == nil)
        bench.pauseRowing(seconds: 20)
        #expect(bench.published.last?.state == .firing && bench.published.last?.id != first)
        #expect(bench.acknowledge("unknown", by: nil) == nil)
        #expect(Alert.disorder(in: bench.published) == [])
    }

    @Test func keepsAcknowledgementOverRestart() throws {
        // Acknowledged before and after a restart.
        var bench = AlertBench()
        bench.begin()
        bench.row(10)
        bench.pauseRowing(seconds: 20)
        let id = try #require(bench.published.last?.id)
        _ = bench.acknowledge(id, by: "anna")
        bench.restart()
        bench.wait(seconds: 10)
        #expect(bench.acknowledge(id, by: "ben")?.acknowledgement?.by == "anna")
        #expect(bench.published.count == 2)
    }

    @Test func removesNameFromAcknowledgement() throws {
        // Two people acknowledge one of two alerts each, and one of them is removed.
        var bench = AlertBench()
        bench.battery = 9
        bench.begin()
        bench.row(10)
        bench.pauseRowing(seconds: 20)
        for (alert, name) in zip(bench.alerts.firing, ["anna", "ben"]) {
            _ = bench.acknowledge(alert.id, by: name)
        }
        bench.alerts.forget("anna")
        bench.battery = 90
        bench.row(10)
        let ends = bench.published.suffix(2)
        #expect(Set(ends.map(\.acknowledgement?.by)) == [nil, "ben"])
        #expect(ends.allSatisfy { $0.resolution == .recovered && $0.acknowledgement != nil })
        #expect(Alert.disorder(in: bench.published) == [])
    }

    @Test func acknowledgesGatewayAlerts() {
        // Undervoltage.
        var alerts = GatewayAlerts(AlertSettings()) { "G" }
        var published: [Alert] = []
        let now = BootInstant(nanoseconds: 0)
        alerts.evaluate(
            GatewayMoment(hasBluetooth: true, adapters: 1, isUndervoltage: true), at: now,
            into: &published)
        #expect(alerts.acknowledge("G", by: "anna", at: now, into: &published)?.rule == .undervoltage)
        #expect(alerts.acknowledge("H", by: "anna", at: now, into: &published) == nil)
        #expect(published.map(\.state) == [.firing, .acknowledged])
        #expect(alerts.firing.map(\.acknowledgement?.by) == ["anna"])
        alerts.forget("anna")
        #expect(alerts.firing.map { $0.acknowledgement == .init(at: now) } == [true])
    }
}
