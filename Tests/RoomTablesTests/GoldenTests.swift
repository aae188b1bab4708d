import Foundation
import TestSupport
import Testing

@testable import CommandLineText
@testable import ControlSocket
@testable import RoomTables

/// The expected texts are files; `ROWGATE_UPDATE_GOLDEN=1 swift test` updates them, for a
/// person to look at in the diff.
@Suite struct GoldenTests {
    private static let failed: StatusReply = {
        var status = StatusReply.sample
        status.status = .failed
        status.reasons = ["the D-Bus system bus does not answer", "no broker at hub.local:1883"]
        status.bus = StatusReply.Bus(isConnected: false, lastError: "Connection refused")
        status.adapters = []
        status.broker = StatusReply.Broker(
            host: "hub.local", port: 1883, isConnected: false, backlogMessages: 0,
            publishedTotal: 0, rejectedTotal: 3, unsubscribedTotal: 0)
        status.broker.lastError = "Connection refused"
        status.ring = StatusReply.Ring(
            path: "/var/lib/rowgate/ring.log", sizeBytes: 64 << 20, usedPercent: 0, droppedTotal: 0)
        status.gateway.clockIsSynchronized = false
        status.ergs = []
        return status
    }()

    @Test(arguments: [false, true])
    func statusTable(inColour: Bool) throws {
        // A status with every field.
        try expect(
            StatusTable(.sample).lines.rendered(inColour: inColour),
            equals: inColour ? "status-colour.txt" : "status.txt")
    }

    @Test func statusTableOfMinimalRoom() throws {
        try expect(StatusTable(Self.failed).lines.rendered(inColour: false), equals: "failed.txt")
    }

    @Test func statusTableOfOneErg() throws {
        // A rowing erg, then a parked one.
        let lines = ErgTable(.rowing).lines + [StyledLine()] + ErgTable(.parked).lines
        try expect(lines.rendered(inColour: false), equals: "erg.txt")
    }

    @Test func showsPaceOfABikeErgPer1000Meters() throws {
        var (bike, room) = (StatusReply.Erg.rowing, StatusReply.sample)
        bike.machineType = "bike_without_arms"
        room.ergs = [bike]
        #expect(ErgTable(bike).lines.rendered(inColour: false).contains("3:59.9 /1000 m"))
        #expect(WatchTable(room).lines().rendered(inColour: false).contains(" 3:59.9 /1000 m "))
    }

    @Test func watchTable() throws {
        // Ergs in six states, with and without targets.
        try expect(WatchTable(.sample).lines().rendered(inColour: false), equals: "watch.txt")
        var (free, room) = (StatusReply.Erg.rowing, StatusReply.sample)
        (free.paceVsTarget, free.powerVsTarget) = (nil, nil)
        (free.strokeRateVsTarget, free.heartRateVsTarget) = (nil, nil)
        var met = free
        (met.slug, met.paceVsTarget, met.heartRateVsTarget) = ("erg-2", "in", "in")
        (room.ergs, room.reasons, room.gateway.alerts) = ([free], [], [])
        let without = WatchTable(room).lines()
        room.ergs = [free, met, .rowing]
        let lines = without + [StyledLine()] + WatchTable(room).lines()
        try expect(lines.rendered(inColour: false), equals: "watch-targets.txt")
    }

    @Test func alertTable() throws {
        var quiet = StatusReply.sample
        (quiet.ergs, quiet.gateway.alerts) = ([.idle], [])
        let lines = AlertTable(.sample).lines + [StyledLine()] + AlertTable(quiet).lines
        try expect(lines.rendered(inColour: false), equals: "alerts.txt")
    }

    @Test func crewTable() throws {
        var none = StatusReply.sample
        none.crews = []
        let lines = CrewTable(.sample).lines + [StyledLine()] + CrewTable(none).lines
        try expect(lines.rendered(inColour: false), equals: "crews.txt")
    }

    @Test func liveFrameFitsTheTerminal() throws {
        // 40 columns; enough rows for all, and 6 rows.
        let lines = WatchTable(.sample).lines(width: 39)
        let frames = [24, 6].map { lines.frame(width: 40, height: $0, inColour: true) }
        try expect(frames.joined(separator: "\n"), equals: "frame.txt")
    }

    @Test func statusJSONIsStable() throws {
        try expect(StatusReply.sample.jsonText() + "\n", equals: "status.json")
    }

    @Test func scanTable() throws {
        let reply = ScanReply(
            isScanning: true,
            monitors: [
                ScanReply.Monitor(serial: "430000009", adapter: "hci1"),
                ScanReply.Monitor(serial: "430000002", adapter: "hci0", rssiDBm: -82),
                ScanReply.Monitor(
                    serial: "430000001", erg: "erg-1", phase: .streaming, adapter: "hci0",
                    rssiDBm: -61),
                ScanReply.Monitor(
                    serial: "430000003", erg: "erg-3", phase: .connecting, adapter: "hci0",
                    rssiDBm: -61),
            ])
        let lines = reply.lines + ScanReply(isScanning: false, monitors: []).lines
        try expect(lines.rendered(inColour: false), equals: "scan.txt")
        try expect(reply.jsonText() + "\n", equals: "scan.json")
    }

    @Test func workoutTable() throws {
        let reply = WorkoutsReply(workouts: [
            .init(name: "steady-state", row: "3x20:00/2:00r@18-20spm,-150bpm"),
            .init(name: "2k", row: "2000m@1:45-1:47"),
        ])
        let lines = reply.lines + WorkoutsReply(workouts: []).lines
        try expect(lines.rendered(inColour: false), equals: "workouts.txt")
    }

    @Test(arguments: [true, false])
    func prometheusMetrics(isUp: Bool) throws {
        try expect(
            MetricsPage(isUp ? .sample : nil).text, equals: isUp ? "metrics.prom" : "down.prom")
    }

    private func expect(
        _ text: String, equals name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let golden = try goldenText(name, for: text)
        #expect(text == golden, "\(text)", sourceLocation: sourceLocation)
    }
}
