import ControlSocket
import MQTTClient

/// The facts that the probes collect and `Checkup` evaluates.
struct HostFacts: Sendable {
    var configuration: ConfigurationFacts
    /// Option that makes another command read the same file; empty for the default file.
    var configurationOption = ""
    var service: ServiceFacts
    var bluetooth: BluetoothFacts
    /// Stations of Wi-Fi that are in use.
    var wireless: [WirelessFacts] = []
    var clock: ClockFacts
    var disk: DiskFacts
    var broker: BrokerFacts
    /// Of the password, key, certificate, roster and ring files.
    var permissions: [PermissionFacts] = []
}

/// The result of `rowgate --check-config`.
enum ConfigurationFacts: Equatable, Sendable {
    case valid(EffectiveSettings, warnings: [String])
    /// Each problem with file, line, key and suggestion.
    case invalid(problems: [String])
    /// The program could not be run, or may not read the file.
    case unknown(reason: String, remedy: String)
}

/// The daemon's status, or why it could not be queried.
enum ServiceFacts: Equatable, Sendable {
    case running(StatusReply)
    /// As `ControlClientError` words it.
    case unreachable(reason: String, remedy: String)
}

/// The adapters of bluetoothd and of the kernel.
struct BluetoothFacts: Equatable, Sendable {
    struct Adapter: Equatable, Sendable {
        /// Kernel name, `hci0`.
        var name: String
        /// BD_ADDR, `F4:4E:FC:00:00:01`.
        var address: String
        var isPowered: Bool
        /// By rfkill, soft or hard.
        var isBlocked: Bool
        /// Soldered to a board, and often sharing its antenna with Wi-Fi; not on USB.
        var isOnboard: Bool
    }

    /// Why bluetoothd could not be queried; nil if it could.
    var failure: String?
    /// Whether the reason is a missing D-Bus system bus.
    var isBusMissing = false
    /// `5.82`; nil if unknown.
    var version: String?
    var adapters: [Adapter] = []
    /// `ReverseServiceDiscovery` and `ControllerMode` of /etc/bluetooth/main.conf; empty if they are unset.
    var options: [String: String] = [:]
}

/// A Wi-Fi interface that is connected.
struct WirelessFacts: Equatable, Sendable {
    /// `wlan0`.
    var interface: String
    /// Of the channel: below 2500 it shares the band with Bluetooth.
    var megahertz: Int
}

/// The reliability of the wall clock.
struct ClockFacts: Equatable, Sendable {
    /// It is synchronized (NTP, PTP).
    var isSynchronized: Bool
    /// A clock with a battery, which a Raspberry Pi up to the 4 has not.
    var hasHardwareClock: Bool
}

/// The location of the ring log, in which the gateway stores its records, and the state of its disk.
struct DiskFacts: Equatable, Sendable {
    /// As configured, or the default.
    var ringPath: String
    /// nil when there is no ring yet.
    var ringBytes: Int?
    /// Whether there is certainly no ring; false if the folder cannot be read.
    var ringIsMissing = false
    /// On the file system of the ring, for users without privileges.
    var freeBytes: Int
    /// Whether the file system is read-only.
    var isReadOnly: Bool
    /// Upper bound of the life that the flash has used, 0 to 100 and 110 for beyond; nil where the
    /// device does not report it (SD cards do not, eMMC does).
    var lifeUsedPercent: Int?
    /// Of an SD card: how often its size has been written to the ring's file system, of all time;
    /// nil for other devices, and where the file system does not count it.
    var timesWritten: Int?
    /// `mmcblk0`.
    var device: String?
    /// Why the facts are unknown; nil if they are known.
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
    /// As configured; the password itself is not stored.
    var hasPassword: Bool
    var outcome: Outcome
    /// The topic of the trial.
    var topic: String
    /// Filter for all topics of the gateway.
    var filter = ""
    /// Unix milliseconds of the trial; nil if the clock is not synchronized.
    var triedAt: Int64?
    /// Failed brokers in the order of the configuration; `outcome` belongs to a broker that did not
    /// fail, if any.
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
        /// Only the user `rowgate` may be able to read it.
        case secret
        /// The user `rowgate` must be able to read it.
        case readable
        /// It must belong to the user `rowgate`.
        case owned
    }

    var path: String
    var need: Need
    /// The name of the owner, or its number if it has no name.
    var owner: String
    /// The name of the group, or its number if it has no name.
    var group: String
    /// The nine permission bits.
    var mode: Int
    /// The first folder above it that the user `rowgate` may not enter.
    var closedFolder: String?
}
