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
