import BlueZLink
import HostRuntime
import PM5Codec
import PM5Simulator
import Rowing
import Timeline

/// A monitor of a fleet's gateway, who rows on it, and its link.
final class FleetErg: @unchecked Sendable {  // of its room's queue alone
    let serial: String
    private let seat: StationSeat
    private let queue: SerialQueueExecutor
    private let generation = MonitorGeneration.new
    private var erg: SimulatedErg
    /// When it was linked.
    private var begin = BootInstant(nanoseconds: 0)
    private var hasLeft = false

    init(
        serial: String, at seat: StationSeat, on queue: SerialQueueExecutor, rowing: FleetRowing,
        seed: UInt64
    ) {
        self.serial = serial
        self.seat = seat
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
        let (seat, opened) = (seat, monitor)
        seat.executor.async { [self] in
            seat.listener.linkDidUpdate(Self.linked)
            seat.listener.linkDidOpen(opened, through: FleetLink(erg: self), at: now)
        }
    }

    func close(at now: BootInstant) {
        let seat = seat
        seat.executor.async { seat.listener.linkDidClose(.ours, at: now) }
    }

    /// Whoever rows goes home, once.
    func leave() {
        guard !hasLeft else { return }
        hasLeft = true
        erg.leave()
    }

    /// Lets the gateway hear what the monitor has sent since the last time.
    func advance(to now: BootInstant) {
        let values = erg.step(to: Int(begin.duration(to: now) / .milliseconds(1)))
            .compactMap { output -> (CharacteristicID, [UInt8])? in
                guard case .notification(let characteristic, let bytes) = output else { return nil }
                return (characteristic, bytes)
            }
        guard !values.isEmpty else { return }
        let seat = seat
        seat.executor.async {
            for (characteristic, bytes) in values {
                bytes.withUnsafeBytes {
                    seat.listener.linkDidReceive(characteristic, $0, at: now)
                }
            }
        }
    }

    fileprivate func take(_ value: [UInt8], _ characteristic: CharacteristicID) async {
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
        await erg.take(value, characteristic)
    }
}
