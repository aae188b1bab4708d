import SDBus

/// AcquireNotify and AcquireWrite: values as packets, past the bus.
extension BlueZService {
    func acquireNotify(
        _ call: BusInvocation, _ characteristic: CharacteristicObject
    ) throws {
        guard characteristic.canNotify, !characteristic.device.radio.faults.refusesAcquireNotify
        else { throw BlueZError.notSupported }
        guard !characteristic.isNotifyAcquired else { throw BlueZError.notifyAcquired }
        guard characteristic.notifyClients.isEmpty else { throw BlueZError.inProgress }
        try request(call, characteristic.device) { [self] in handNotifySocket(call, characteristic)
        }
        characteristic.isNotifyAcquired = true
    }

    private func handNotifySocket(_ call: BusInvocation, _ characteristic: CharacteristicObject) {
        let path = characteristic.path
        guard characteristic.isNotifyAcquired,
            let socket = PacketSocket(
                on: executor, received: { @Sendable _ in },
                ended: { @Sendable [weak self] in
                    self?.assumeIsolated { $0.notifySocketEnded(path) }
                })
        else { return refuse(call, .notSupported) }
        // There was no socket yet for what came before the monitor's answer, and bluetoothd drops it
        // (bluez 5.82, src/gatt-client.c, notify_io_cb).
        if characteristic.earlyValue != nil { characteristic.device.radio.counters.dropped += 1 }
        characteristic.notifySocket = socket
        changed(path, InterfaceName.characteristic, ["NotifyAcquired": .boolean(true)])
        hand(socket, to: call)
        subscribe(true, characteristic)
        sendPromptValue(of: characteristic)
    }

    /// The client closed its end; the monitor hears of it a moment later.
    private func notifySocketEnded(_ path: String) {
        guard case .characteristic(let characteristic)? = object(at: path) else { return }
        closeSockets(characteristic, write: false)
        let link = characteristic.device.linkNumber
        after(drawn(0.05...0.4)) { [self] in
            guard characteristic.device.linkNumber == link, !characteristic.isNotifyAcquired,
                characteristic.notifyClients.isEmpty
            else { return }
            subscribe(false, characteristic)
        }
    }

    func acquireWrite(
        _ call: BusInvocation, _ characteristic: CharacteristicObject
    ) throws {
        guard characteristic.layout.flags.contains("write-without-response") else {
            throw BlueZError.notSupported
        }
        guard characteristic.device.isConnected else { throw BlueZError.notConnected }
        guard characteristic.writeSocket == nil else { throw BlueZError.writeAcquired }
        let path = characteristic.path
        let socket = PacketSocket(
            on: executor,
            received: { @Sendable [weak self] bytes in
                self?.assumeIsolated { $0.writeSocketReceived(bytes, path) }
            },
            ended: { @Sendable [weak self] in
                self?.assumeIsolated { $0.writeSocketEnded(path) }
            })
        guard let socket else { throw BlueZError.notSupported }
        characteristic.writeSocket = socket
        changed(path, InterfaceName.characteristic, ["WriteAcquired": .boolean(true)])
        hand(socket, to: call)
    }

    private func writeSocketReceived(_ bytes: [UInt8], _ path: String) {
        guard case .characteristic(let characteristic)? = object(at: path) else { return }
        write(bytes, to: characteristic)
    }

    private func writeSocketEnded(_ path: String) {
        guard case .characteristic(let characteristic)? = object(at: path),
            let socket = characteristic.writeSocket
        else { return }
        socket.close()
        characteristic.writeSocket = nil
        changed(path, InterfaceName.characteristic, ["WriteAcquired": .boolean(false)])
    }

    /// A descriptor and the MTU: at most 20 bytes of value.
    private func hand(_ socket: PacketSocket, to call: BusInvocation) {
        reply(call) { message throws(BusError) in
            try message.append(fileDescriptor: socket.clientDescriptor)
            try message.append(uint16: 23)
        }
        socket.handedOver()
    }

    /// Ends what was acquired; the client reads end of file.
    func closeSockets(_ characteristic: CharacteristicObject, write: Bool = true) {
        characteristic.notifySocket?.close()
        let wasAcquired = characteristic.notifySocket != nil
        characteristic.notifySocket = nil
        characteristic.isNotifyAcquired = false
        if wasAcquired {
            changed(
                characteristic.path, InterfaceName.characteristic,
                ["NotifyAcquired": .boolean(false)])
        }
        guard write, let socket = characteristic.writeSocket else { return }
        socket.close()
        characteristic.writeSocket = nil
        changed(
            characteristic.path, InterfaceName.characteristic, ["WriteAcquired": .boolean(false)])
    }
}
