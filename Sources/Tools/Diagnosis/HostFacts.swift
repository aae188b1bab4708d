import ControlSocket

/// What the doctor looks at, as plain values: the probes fill it, `Checkup` judges it.
package struct HostFacts: Sendable {
    /// What the files say.
    package var configuration: ConfigurationFacts
    /// What to add to a command that is to look at the same files; empty for the daemon's own.
    package var configurationOption = ""
    /// What the daemon says.
    package var service: ServiceFacts
    /// What there is to hold links with.
    package var bluetooth: BluetoothFacts
    /// Stations of Wi-Fi that are in use.
    package var wireless: [WirelessFacts] = []
    /// Whether times can be trusted.
    package var clock: ClockFacts
    /// Where the ring is.
    package var disk: DiskFacts
    /// Where messages go.
    package var broker: BrokerFacts
    /// Of the files that matter.
    package var permissions: [PermissionFacts] = []
}

/// What the daemon's own program says of its configuration.
package enum ConfigurationFacts: Equatable, Sendable {
    case valid(EffectiveSettings, warnings: [String])
    /// Each problem with file, line, key and suggestion.
    case invalid(problems: [String])
    /// The program could not be run, or may not read the file.
    case unknown(reason: String, remedy: String)
}

/// Whether the daemon could be asked, and what it said.
package enum ServiceFacts: Equatable, Sendable {
    case running(StatusReply)
    /// As `ControlClientError` words it.
    case unreachable(reason: String, remedy: String)
}

/// What bluetoothd has, and what the kernel says of its adapters.
package struct BluetoothFacts: Equatable, Sendable {
    /// One adapter.
    package struct Adapter: Equatable, Sendable {
        /// Kernel name, `hci0`.
        package var name: String
        /// Its own, `F4:4E:FC:00:00:01`.
        package var address: String
        /// As bluetoothd says.
        package var isPowered: Bool
        /// By rfkill, soft or hard.
        package var isBlocked: Bool
        /// Soldered to a board, and often sharing its antenna with Wi-Fi; not on USB.
        package var isOnboard: Bool
    }

    /// Why bluetoothd could not be asked; nil when it could.
    package var failure: String?
    /// Whether it could not be asked because there is no bus to ask it on.
    package var isBusMissing = false
    /// `5.82`; nil when it does not say.
    package var version: String?
    /// As bluetoothd lists them.
    package var adapters: [Adapter] = []
}

/// A Wi-Fi interface that is connected.
package struct WirelessFacts: Equatable, Sendable {
    /// `wlan0`.
    package var interface: String
    /// Of the channel: below 2500 it shares the band with Bluetooth.
    package var megahertz: Int
}

/// How far the wall clock can be trusted.
package struct ClockFacts: Equatable, Sendable {
    /// Something keeps it right (NTP, PTP).
    package var isSynchronized: Bool
    /// A clock with a battery, which a Raspberry Pi up to the 4 has not.
    package var hasHardwareClock: Bool
}

/// Where the ring is, and how that place is.
package struct DiskFacts: Equatable, Sendable {
    /// As configured, or the default.
    package var ringPath: String
    /// nil when there is no ring yet.
    package var ringBytes: Int?
    /// Whether it is sure that there is none; one that cannot be seen is neither.
    package var ringIsMissing = false
    /// On the file system of the ring, for users without privileges.
    package var freeBytes: Int
    /// Whether the file system takes no writes.
    package var isReadOnly: Bool
    /// Upper bound of the life that the flash has used, 0 to 100 and 110 for beyond; nil where the
    /// device does not say (SD cards do not, eMMC does).
    package var lifeUsedPercent: Int?
    /// Of an SD card: how often its size has been written to the ring's file system, of all time;
    /// nil for other devices, and where the file system does not count it.
    package var timesWritten: Int?
    /// `mmcblk0`.
    package var device: String?
    /// Why nothing could be found out; nil when it could.
    package var failure: String?
}

/// A trial of the connection to the broker.
package struct BrokerFacts: Equatable, Sendable {
    /// What came of the trial.
    package enum Outcome: Equatable, Sendable {
        case untried(reason: String, remedy: String)
        case refused(cause: String, remedy: String?)
        /// The broker was there, and no encrypted connection came about.
        case unencrypted(cause: String, remedy: String?)
        case accepted(milliseconds: Int, publish: Publish)
    }

    /// What the broker said to a message on a topic of the gateway.
    package enum Publish: Equatable, Sendable {
        case accepted
        case refused(cause: String)
        /// MQTT 3.1.1 acknowledges what it denies.
        case untold
    }

    /// `host:port`.
    package var address: String
    /// Whether it runs on this machine.
    package var isLocal: Bool
    /// As configured.
    package var usesTLS: Bool
    /// As configured; the password itself is not kept.
    package var hasPassword: Bool
    /// What came of the trial.
    package var outcome: Outcome
    /// The topic of the trial.
    package var topic: String
}

/// A file that only some may read, or that the daemon must be able to use.
package struct PermissionFacts: Equatable, Sendable {
    /// What the file is for.
    package enum Need: Equatable, Sendable {
        /// The user `rowgate` must be able to read it, and nobody else may.
        case secret
        /// The user `rowgate` must be able to read it.
        case readable
        /// It must belong to the user `rowgate`.
        case owned
    }

    /// Of the file.
    package var path: String
    /// What the file is for.
    package var need: Need
    /// By name, or the number where it has none.
    package var owner: String
    /// Likewise.
    package var group: String
    /// The nine permission bits.
    package var mode: Int
    /// The first folder above it that the user `rowgate` may not enter.
    package var closedFolder: String?
}
