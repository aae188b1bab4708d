import SDBus

/// AcquireNotify and AcquireWrite: values as packets, past the bus.
extension BlueZService {
    func acquireNotify(_ call: BusInvocation, _ characteristic: CharacteristicObject) throws {
        guard characteristic.canNotify, !characteristic.device.radio.faults.refusesAcquireNotify
        else { throw BlueZError.notSupported }
        guard !characteristic.isNotifyAcquired else { throw BlueZError.notifyAcquired }
        guard characteristic.notifyClients.isEmpty else { throw BlueZError.inProgress }
        try request(call, characteristic.device) { [self] in
            sendNotifySocket(call, characteristic)
        }
        characteristic.isNotifyAcquired = true
    }

    private func sendNotifySocket(_ call: BusInvocation, _ characteristic: CharacteristicObject) {
        let path = characteristic.path
        guard characteristic.isNotifyAcquired,
            let socket = PacketSocket(
                on: executor, received: { @Sendable _ in },
                ended: { @Sendable [weak self] in
                    self?.assumeIsolated { $0.notifySocketEnded(path) }
                })
        else { return fail(call, .notSupported) }
        // bluetoothd drops values that arrive before the monitor's answer, because there is no
        // socket yet (bluez 5.82, src/gatt-client.c, notify_io_cb).
        if characteristic.earlyValue != nil { characteristic.device.radio.counters.dropped += 1 }
        characteristic.notifySocket = socket
        changed(characteristic, ["NotifyAcquired": .boolean(true)])
        send(socket, to: call)
        subscribe(true, characteristic)
        sendPromptValue(of: characteristic)
    }

    /// The client closed its end; the monitor notices a moment later.
    private func notifySocketEnded(_ path: String) {
        guard let characteristic = characteristic(at: path) else { return }
        closeNotifySocket(of: characteristic)
        // A strong reference: bluetoothd may have removed it by then.
        let device = characteristic.device
        let link = device.linkNumber
        after(randomDelay(0.05...0.4)) { [self] in
            guard device.linkNumber == link, !characteristic.isNotifyAcquired,
                characteristic.notifyClients.isEmpty
            else { return }
            subscribe(false, characteristic)
        }
    }

    func acquireWrite(_ call: BusInvocation, _ characteristic: CharacteristicObject) throws {
        guard characteristic.canWriteWithoutResponse else { throw BlueZError.notSupported }
        guard characteristic.device.isConnected else { throw BlueZError.notConnected }
        guard characteristic.writeSocket == nil else { throw BlueZError.writeAcquired }
        let path = characteristic.path
        let socket = PacketSocket(
            on: executor,
            received: { @Sendable [weak self] bytes in
                self?.assumeIsolated { service in
                    if let object = service.characteristic(at: path) {
                        service.write(bytes, to: object)
                    }
                }
            },
            ended: { @Sendable [weak self] in
                self?.assumeIsolated { service in
                    if let object = service.characteristic(at: path) {
                        service.closeWriteSocket(of: object)
                    }
                }
            })
        guard let socket else { throw BlueZError.notSupported }
        characteristic.writeSocket = socket
        changed(characteristic, ["WriteAcquired": .boolean(true)])
        send(socket, to: call)
    }

    func characteristic(at path: String) -> CharacteristicObject? {
        object(at: path) as? CharacteristicObject
    }

    /// A descriptor and the MTU: at most 20 bytes of value.
    private func send(_ socket: PacketSocket, to call: BusInvocation) {
        reply(call) { message throws(BusError) in
            try message.append(fileDescriptor: socket.clientDescriptor)
            try message.append(uint16: 23)
        }
        socket.closeClientDescriptor()
    }

    /// Ends AcquireNotify; the client reads end of file.
    func closeNotifySocket(of characteristic: CharacteristicObject) {
        characteristic.isNotifyAcquired = false
        guard let socket = characteristic.notifySocket else { return }
        socket.close()
        characteristic.notifySocket = nil
        changed(characteristic, ["NotifyAcquired": .boolean(false)])
    }

    /// Ends AcquireWrite.
    func closeWriteSocket(of characteristic: CharacteristicObject) {
        guard let socket = characteristic.writeSocket else { return }
        socket.close()
        characteristic.writeSocket = nil
        changed(characteristic, ["WriteAcquired": .boolean(false)])
    }
}
