import BlueZLink
import HostRuntime
import PM5Codec
import PM5Simulator
import Rowing
import Timeline

/// A monitor of a fleet's gateway, with its rower and its link.
final class FleetErg: @unchecked Sendable {  // of its room's queue alone
    let serial: String
    private let station: StationEndpoint
    private let queue: SerialQueueExecutor
    private let generation = MonitorGeneration.new
    private var erg: SimulatedErg
    /// When it was linked.
    private var begin = BootInstant(nanoseconds: 0)
    private var hasLeft = false

    init(
        serial: String, at station: StationEndpoint, on queue: SerialQueueExecutor, rowing: FleetRowing,
        seed: UInt64
    ) {
        self.serial = serial
        self.station = station
        self.queue = queue
        erg = SimulatedErg(
            SimulatedIdentity(serial: serial, generation: generation), script: rowing.script,
            calendar: MonitorCalendar(minutesAtStart: 29_700_000), seed: seed, repeats: true,
            pauseMilliseconds: 1000 * rowing.pauseSeconds)
    }

    static var linked: LinkStatus {
        var status = LinkStatus(phase: .streaming)
        status.connects = 1
        status.adapter = "hci0"
        return status
    }

    func open(at now: BootInstant) {
        begin = now
        erg.setConnected(true)
        var monitor = Rowing.MonitorIdentity(
            serial: serial, address: "F4:\(serial.suffix(2))", adapter: "hci0")
        monitor.machineType = .modelD
        // Each value by its own characteristic.
        monitor.notifying = generation.notifying.filter { $0 != .multiplexed }
        for characteristic in monitor.notifying { erg.setSubscribed(true, to: characteristic) }
        let (station, opened) = (station, monitor)
        station.executor.async { [self] in
            station.listener.linkDidUpdate(Self.linked)
            station.listener.linkDidOpen(opened, through: FleetLink(erg: self), at: now)
        }
    }

    func close(at now: BootInstant) {
        let station = station
        station.executor.async { station.listener.linkDidClose(.ours, at: now) }
    }

    /// The rower leaves, once.
    func leave() {
        guard !hasLeft else { return }
        hasLeft = true
        erg.leave()
    }

    /// Passes the monitor's values since the last call to the gateway.
    func advance(to now: BootInstant) {
        let values = erg.step(to: Int(begin.duration(to: now) / .milliseconds(1)))
            .compactMap { output -> (CharacteristicID, [UInt8])? in
                guard case .notification(let characteristic, let bytes) = output else { return nil }
                return (characteristic, bytes)
            }
        guard !values.isEmpty else { return }
        let station = station
        station.executor.async {
            for (characteristic, bytes) in values {
                bytes.withUnsafeBytes {
                    station.listener.linkDidReceive(characteristic, $0, at: now)
                }
            }
        }
    }

    fileprivate func receive(_ value: [UInt8], _ characteristic: CharacteristicID) async {
        await withCheckedContinuation { taken in
            queue.async { [self] in
                erg.write(value, to: characteristic)
                taken.resume()
            }
        }
    }
}

/// The way to a monitor of a fleet.
private struct FleetLink: ErgLink {
    let erg: FleetErg

    func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws {
        await erg.receive(value, characteristic)
    }
}
