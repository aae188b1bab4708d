import Contract
import PM5Codec
import Recording
import Rowing
import Synchronization
import Testing

@testable import Gateway
@testable import HostRuntime

/// The seam behind which the recorder, Home Assistant's bridge and others listen.
struct StationListenerTests {
    private final class Witness: StationListener {
        let heard = Mutex<[String]>([])
        let hasRoom: Bool

        init(hasRoom: Bool) { self.hasRoom = hasRoom }

        private func note(_ words: String) { heard.withLock { $0.append(words) } }
        func stationDidStart(_ station: StationID) { note("start \(station)") }
        func stationDidOpen(_ station: StationID, to monitor: MonitorIdentity) {
            note("open \(station) \(monitor.serial)")
        }
        func stationDidClose(_ station: StationID) { note("close \(station)") }
        func stationDidReport(_ news: StationNews) -> Bool {
            note("report")
            return hasRoom
        }
    }

    private struct DeadLink: ErgLink {
        func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws {}
    }

    /// Goal: each listener hears the whole life of a station in its order, and one that has no room
    /// costs the others nothing. Method: a link that opens and closes, between two listeners.
    @Test func eachHearsEverything() async throws {
        let witnesses = [Witness(hasRoom: false), Witness(hasRoom: true)]
        let station = try #require(StationID("erg-1"))
        let pipeline = StationPipeline(
            station: station, gateway: try #require(GatewayID("boathouse")), resuming: nil,
            keepsRaw: false,
            outlet: StationOutlet(listeners: witnesses, live: { _, _ in }, retain: { _, _ in }),
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
        let heard = witnesses.map { $0.heard.withLock { $0 } }
        #expect(heard[0] == heard[1] && heard[0].contains("report") && lost >= 1)
        #expect(
            heard[0].filter { $0 != "report" }
                == ["start erg-1", "open erg-1 430000001", "close erg-1"])
    }
}
