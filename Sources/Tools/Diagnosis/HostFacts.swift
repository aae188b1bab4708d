import ControlSocket
import MQTTClient

/// What the doctor looks at, as plain values: the probes fill it, `Checkup` judges it.
struct HostFacts: Sendable {
    var configuration: ConfigurationFacts
    /// What to add to a command that is to look at the same files; empty for the daemon's own.
    var configurationOption = ""
    var service: ServiceFacts
    var bluetooth: BluetoothFacts
    /// Stations of Wi-Fi that are in use.
    var wireless: [WirelessFacts] = []
    var clock: ClockFacts
    var disk: DiskFacts
    var broker: BrokerFacts
    /// Of the files that matter.
    var permissions: [PermissionFacts] = []
}

/// What the daemon's own program says of its configuration.
enum ConfigurationFacts: Equatable, Sendable {
    case valid(EffectiveSettings, warnings: [String])
    /// Each problem with file, line, key and suggestion.
    case invalid(problems: [String])
    /// The program could not be run, or may not read the file.
    case unknown(reason: String, remedy: String)
}

/// Whether the daemon could be asked, and what it said.
enum ServiceFacts: Equatable, Sendable {
    case running(StatusReply)
    /// As `ControlClientError` words it.
    case unreachable(reason: String, remedy: String)
}

/// What bluetoothd has, and what the kernel says of its adapters.
struct BluetoothFacts: Equatable, Sendable {
    struct Adapter: Equatable, Sendable {
        /// Kernel name, `hci0`.
        var name: String
        /// Its own, `F4:4E:FC:00:00:01`.
        var address: String
        var isPowered: Bool
        /// By rfkill, soft or hard.
        var isBlocked: Bool
        /// Soldered to a board, and often sharing its antenna with Wi-Fi; not on USB.
        var isOnboard: Bool
    }

    /// Why bluetoothd could not be asked; nil when it could.
    var failure: String?
    /// Whether it could not be asked because there is no bus to ask it on.
    var isBusMissing = false
    /// `5.82`; nil when it does not say.
    var version: String?
    var adapters: [Adapter] = []
}

/// A Wi-Fi interface that is connected.
struct WirelessFacts: Equatable, Sendable {
    /// `wlan0`.
    var interface: String
    /// Of the channel: below 2500 it shares the band with Bluetooth.
    var megahertz: Int
}

/// How far the wall clock can be trusted.
struct ClockFacts: Equatable, Sendable {
    /// Something keeps it right (NTP, PTP).
    var isSynchronized: Bool
    /// A clock with a battery, which a Raspberry Pi up to the 4 has not.
    var hasHardwareClock: Bool
}

/// Where the ring is, and how that place is.
struct DiskFacts: Equatable, Sendable {
    /// As configured, or the default.
    var ringPath: String
    /// nil when there is no ring yet.
    var ringBytes: Int?
    /// Whether it is sure that there is none; one that cannot be seen is neither.
    var ringIsMissing = false
    /// On the file system of the ring, for users without privileges.
    var freeBytes: Int
    /// Whether the file system takes no writes.
    var isReadOnly: Bool
    /// Upper bound of the life that the flash has used, 0 to 100 and 110 for beyond; nil where the
    /// device does not say (SD cards do not, eMMC does).
    var lifeUsedPercent: Int?
    /// Of an SD card: how often its size has been written to the ring's file system, of all time;
    /// nil for other devices, and where the file system does not count it.
    var timesWritten: Int?
    /// `mmcblk0`.
    var device: String?
    /// Why nothing could be found out; nil when it could.
    var failure: String?
}

/// A trial of the connection to the broker.
struct BrokerFacts: Equatable, Sendable {
    enum Outcome: Equatable, Sendable {
        case untried(reason: String, remedy: String)
        case tried(BrokerTrial.Outcome)
    }

    /// `host:port`.
    var address: String
    /// Whether it runs on this machine.
    var isLocal: Bool
    var usesTLS: Bool
    /// As configured; the password itself is not kept.
    var hasPassword: Bool
    var outcome: Outcome
    /// The topic of the trial.
    var topic: String
    /// Unix milliseconds: when it was tried; nil by a clock that nothing keeps right.
    var triedAt: Int64?
    /// Brokers of the same configuration that failed, in its order; `outcome` is of one that did not,
    /// where there is one.
    var failedOthers: [Other] = []

    /// A broker among several.
    struct Other: Equatable, Sendable {
        /// `host:port`.
        var address: String
        var failure: BrokerFailure
    }
}

/// A file that only some may read, or that the daemon must be able to use.
struct PermissionFacts: Equatable, Sendable {
    enum Need: Equatable, Sendable {
        /// The user `rowgate` must be able to read it, and nobody else may.
        case secret
        /// The user `rowgate` must be able to read it.
        case readable
        /// It must belong to the user `rowgate`.
        case owned
    }

    var path: String
    var need: Need
    /// By name, or the number where it has none.
    var owner: String
    /// Likewise.
    var group: String
    /// The nine permission bits.
    var mode: Int
    /// The first folder above it that the user `rowgate` may not enter.
    var closedFolder: String?
}
