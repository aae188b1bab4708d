import SDBus

/// The behaviour of bluetoothd 5.82 with a controller that executes no command, as observed with an
/// emulated radio.
extension BlueZService {
    /// Seconds before a scan is given up: the kernel's timeouts of two commands, at any speed.
    private static let scanTimeout = 4.0

    /// The adapter that a call on this path needs, if it is frozen.
    func frozenAdapter(of path: String) -> AdapterObject? {
        adapters.first { $0.isFrozen && (path == $0.path || path.hasPrefix($0.path + "/")) }
    }

    func frozenMethod(_ call: BusInvocation, _ adapter: AdapterObject) throws {
        switch (object(at: call.path), call.member) {
        case (is AdapterObject, "SetDiscoveryFilter"), (is AdapterObject, "GetDiscoveryFilters"):
            try adapterMethod(call, adapter)  // bluetoothd's own business
        case (is AdapterObject, "StartDiscovery"):
            at(seconds + Self.scanTimeout) { [self] in fail(call, .discoveryInProgress) }
        case (is AdapterObject, "StopDiscovery"): throw BlueZError.inProgress
        case (let device as DeviceObject, "Connect") where device.pendingConnect == nil:
            cancel(device.expiry)
            device.pendingConnect = call
        case (let device as DeviceObject, "Disconnect") where device.pendingConnect != nil:
            failConnect(device, .canceled)
            reply(call)
        default: break  // No answer: the caller waits until its timeout.
        }
    }
}
