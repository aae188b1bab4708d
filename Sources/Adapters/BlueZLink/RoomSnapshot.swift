import Rowing

/// A room's links at one moment, for status and health.
package struct RoomSnapshot: Equatable, Sendable {
    package struct Adapter: Equatable, Sendable {
        /// BD_ADDR.
        package let address: String
        /// Kernel name at this moment, `hci0`.
        package let name: String
        package let isPowered: Bool
        /// Whether anybody scans with it.
        package let isDiscovering: Bool
        /// Links that stand or are being made, other programs' included.
        package let linksUsed: Int
        /// The most it holds; nil while that is unknown.
        package let linkLimit: Int?
        /// Links that the kernel counts and bluetoothd does not; nil where the kernel is silent.
        package let foreignLinks: Int?
        /// The kernel's own figures; nil where it is silent.
        package let kernel: KernelRadio?
        /// Times that it was switched off and on to mend it.
        package let powerCycles: Int
    }

    package struct Monitor: Equatable, Sendable {
        package let serial: String
        package let status: LinkStatus
    }

    /// A monitor that bluetoothd knows at this moment, ours or not.
    package struct Sighting: Equatable, Sendable {
        package let serial: String
        /// Kernel name of the adapter that knows it.
        package let adapter: String
        /// dBm when it last advertised; nil when it has not since we listen.
        package let rssi: Int?
    }

    package let isServicePresent: Bool
    /// Times that systemd restarted bluetooth.service because we asked, to mend an adapter.
    package let serviceRestarts: Int
    /// Whether a monitor is missing that a scan may find. Scans have rests.
    package let isSeeking: Bool
    /// By address.
    package let adapters: [Adapter]
    /// By serial number.
    package let monitors: [Monitor]
    package let problems: [RoomProblem]
    /// One for each monitor and adapter, by path.
    package let sightings: [Sighting]
}

extension RoomSnapshot {
    /// Monitors whose radio is nobody's concern.
    package init(monitors: [(serial: String, status: LinkStatus)]) {
        self.init(
            isServicePresent: true, serviceRestarts: 0, isSeeking: false, adapters: [],
            monitors: monitors.map { Monitor(serial: $0.serial, status: $0.status) }, problems: [],
            sightings: [])
    }
}
