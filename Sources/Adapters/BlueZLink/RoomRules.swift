/// Which monitors and adapters a room uses, and how.
package struct RoomRules: Sendable {
    /// Which monitors belong to this room.
    enum Membership: Sendable {
        case listed(Set<String>)
        case any(limit: Int)
    }

    var membership: Membership
    /// Addresses of the adapters to use, in upper case; empty for all.
    package var adapters: Set<String> = []
    /// Adapters that are reserved for relays: the room neither scans nor connects with them.
    package var relayAdapters: Set<RelayAdapter> = []
    /// Maximum links per adapter; nil to learn it.
    package var slotsPerAdapter: Int?
    /// Whether bluetooth.service may be restarted if an adapter hangs; systemd also asks polkit.
    package var mayRestartService = false
    /// nil for never.
    package var idleRelease: IdleRelease?
    /// The default. Monitors at the far end of a boathouse are stronger, those in the next building
    /// are weaker.
    package static let defaultWeakestSignal = -85
    /// In dBm; a room without a list ignores weaker monitors.
    package var weakestSignal = Self.defaultWeakestSignal

    init(membership: Membership) { self.membership = membership }
}

/// When to release unused monitors: a connected PM5 never switches itself off, and drains its
/// batteries.
package struct IdleRelease: Equatable, Sendable {
    /// Time without a stroke, a key press or a new program.
    package var after: Duration
    /// How long a released monitor is left alone while it still advertises. It switches itself off
    /// after four minutes; if it is on later, it is either in use, and not recorded until then, or
    /// has an external supply.
    package var hold: Duration

    package init(after: Duration, hold: Duration) {
        self.after = after
        self.hold = hold
    }
}

/// A problem of the whole room, or of one radio.
package enum RoomProblem: Hashable, Sendable {
    /// The message bus cannot be reached.
    case noBus(cause: String)
    /// bluetoothd is not running.
    case noBluetoothService(cause: String)
    /// There is no adapter.
    case noAdapter
    /// A configured adapter is not plugged in.
    case adapterMissing(address: String)
    /// Not powered although power was requested.
    case adapterOff(name: String)
    /// Soft-blocked or hard-blocked by rfkill.
    case adapterBlocked(name: String)
    /// Does not answer; recovery has started.
    case adapterStuck(name: String)
    /// Another program scans with it continuously.
    case adapterScanned(name: String)

    /// One sentence for a log line or a status table.
    package var message: String {
        switch self {
        case .noBus(let cause): "no message bus: \(cause)"
        case .noBluetoothService(let cause): "bluetoothd is not running: \(cause)"
        case .noAdapter: "no Bluetooth adapter"
        case .adapterMissing(let address): "adapter \(address) is missing"
        case .adapterOff(let name): "adapter \(name) is switched off"
        case .adapterBlocked(let name): "adapter \(name) is blocked by rfkill"
        case .adapterStuck(let name): "adapter \(name) does not answer"
        case .adapterScanned(let name):
            "another program scans with adapter \(name), which makes each connect 8 s slower"
        }
    }

    /// A command or an action that fixes the problem.
    package var remedy: String {
        switch self {
        case .noBus: "systemctl status dbus"
        case .noBluetoothService: "systemctl enable --now bluetooth"
        case .noAdapter, .adapterMissing: "plug it in, then see: bluetoothctl list"
        case .adapterOff: "bluetoothctl power on"
        case .adapterBlocked: "rfkill unblock bluetooth"
        case .adapterStuck: "systemctl restart bluetooth; if that does not help, unplug or reboot"
        case .adapterScanned:
            "bluetoothctl scan off, or let that program use another adapter"
        }
    }
}
