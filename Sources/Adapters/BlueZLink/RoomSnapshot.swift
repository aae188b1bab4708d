import HostRuntime
import Rowing

/// The links of a room at one moment, for status and health.
package struct RoomSnapshot: Equatable, Sendable {
    package struct Adapter: Equatable, Sendable {
        /// BD_ADDR.
        package let address: String
        /// The current kernel name, for example `hci0`.
        package let name: String
        package let isPowered: Bool
        /// Whether any program scans with it.
        package let isDiscovering: Bool
        /// Existing and starting links, including other programs'.
        package let linksUsed: Int
        /// The maximum; nil while unknown.
        package let linkLimit: Int?
        /// Links that the kernel reports and bluetoothd does not; nil if the kernel reports none.
        package let foreignLinks: Int?
        /// The kernel's values; nil if it reports none.
        package let kernel: KernelRadio?
        /// How often it was power-cycled.
        package let powerCycles: Int
    }

    package struct Monitor: Equatable, Sendable {
        package let serial: String
        package let status: LinkStatus
    }

    /// A monitor that bluetoothd currently knows, whether or not it belongs to the room.
    package struct Sighting: Equatable, Sendable {
        package let serial: String
        /// Kernel name of the adapter that knows it.
        package let adapter: String
        /// In dBm at its last advertisement; nil if there was none since the start.
        package let rssi: Int?
    }

    package let isServicePresent: Bool
    /// How often systemd restarted bluetooth.service at our request.
    package let serviceRestarts: Int
    /// Whether a monitor is missing that a scan may find. Scans have pauses.
    package let isMonitorMissing: Bool
    /// By address.
    package let adapters: [Adapter]
    /// By serial number.
    package let monitors: [Monitor]
    package let problems: [RoomProblem]
    /// One per monitor and adapter, by path.
    package let sightings: [Sighting]
    /// In the order of the configuration.
    package var relays: [RelayStatus] = []
}

extension RoomSnapshot {
    /// Creates a snapshot without radios.
    package init(monitors: [(serial: String, status: LinkStatus)]) {
        self.init(
            isServicePresent: true, serviceRestarts: 0, isMonitorMissing: false, adapters: [],
            monitors: monitors.map { Monitor(serial: $0.serial, status: $0.status) }, problems: [],
            sightings: [])
    }
}

/// The gateway's interface to the links of a room; `RoomLink` implements it with bluetoothd.
package protocol RoomPort: Sendable {
    /// The bus queue, for the liveness check.
    var executor: SerialQueueExecutor { get }

    /// Starts and returns at once, even without a bus, bluetoothd or adapter.
    func start() async

    /// Ends every link.
    func stop() async

    /// Releases a monitor to another central, for `duration` or until `reclaim`; false for a monitor
    /// that does not belong to this room.
    func release(_ serial: String, for duration: Duration?) async -> Bool

    /// Ends a release; false for a monitor that does not belong to this room.
    func reclaim(_ serial: String) async -> Bool

    /// Makes a relay present the monitor, or nothing if nil, until the next start. A phone at the relay is
    /// disconnected. False without this adapter or monitor.
    func moveRelay(to serial: String?, adapter: String) async -> Bool

    /// Returns the current state of the room.
    func snapshot() async -> RoomSnapshot
}

extension RoomLink: RoomPort {}
