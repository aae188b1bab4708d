import Contract
import PM5Codec
import Recording
import Rowing
import Synchronization
import Testing

@testable import Gateway
@testable import HostRuntime

/// Calls to the listeners of a station.
struct StationListenerTests {
    private final class RecordingListener: StationListener {
        let calls = Mutex<[String]>([])
        let hasRoom: Bool

        init(hasRoom: Bool) { self.hasRoom = hasRoom }

        private func note(_ call: String) { calls.withLock { $0.append(call) } }
        func stationDidStart(_ station: StationID) { note("start \(station)") }
        func stationDidOpen(_ station: StationID, to monitor: MonitorIdentity) {
            note("open \(station) \(monitor.serial)")
        }
        func stationDidClose(_ station: StationID) { note("close \(station)") }
        func stationDidReport(_ update: StationUpdate) -> Bool {
            note("report")
            return hasRoom
        }
    }

    private struct DeadLink: ErgLink {
        func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws {}
    }

    /// One of the listeners reports that it has no room.
    @Test func everyListenerReceivesEveryCall() async throws {
        let listeners = [RecordingListener(hasRoom: false), RecordingListener(hasRoom: true)]
        let station = try #require(StationID("erg-1"))
        let pipeline = StationPipeline(
            station: station, gateway: try #require(GatewayID("boathouse")), resuming: nil,
            keepsRaw: false,
            outputs: StationOutputs(listeners: listeners, live: { _, _ in }, retain: { _, _ in }),
            runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .error))
        await pipeline.start(interval: .seconds(60))
        pipeline.executor.async { @Sendable in
            let monitor = MonitorIdentity(serial: "430000001", address: "", adapter: "hci0")
            pipeline.linkDidOpen(monitor, through: DeadLink(), at: SystemRuntime().now())
            pipeline.linkDidUpdate(LinkStatus(phase: .parked(.noSlot("full"))))
            pipeline.linkDidClose(.lost, at: SystemRuntime().now())
        }
        let lost = await pipeline.snapshot().lostEvents
        await pipeline.stop()
        let calls = listeners.map { $0.calls.withLock { $0 } }
        #expect(calls[0] == calls[1] && calls[0].contains("report") && lost >= 1)
        #expect(
            calls[0].filter { $0 != "report" }
                == ["start erg-1", "open erg-1 430000001", "close erg-1"])
    }
}

/// Passes the reports of a station to a closure.
struct UpdateListener: StationListener {
    let onUpdate: @Sendable (StationUpdate) -> Bool

    func stationDidReport(_ update: StationUpdate) -> Bool { onUpdate(update) }
}
