import SDBus

/// Finds the bus and bluetoothd, and finds them again after a loss.
extension RoomLink {
    func openBus() async {
        guard !isStopping, client == nil else { return }
        let bus = BusConnection(on: executor)
        service.open(bus)
        do throws(BusError) {
            try await bus.start(address: configuration.busAddress) {
                @Sendable [weak self, weak bus] error in
                self?.assumeIsolated { $0.busEnded(bus, error) }
            }
            try await watch(bus)
            try await serveRelays(on: bus)
        } catch {
            busEnded(bus, error)
            return await bus.stop()
        }
        await waitForService(on: bus)
    }

    /// The matches are sent before the first GetManagedObjects, so that no change is missed.
    private func watch(_ bus: BusConnection) async throws(BusError) {
        try await bus.matchOwner(of: BlueZName.service) { @Sendable [weak self, weak bus] hasOwner in
            self?.assumeIsolated { $0.ownerChanged(bus, hasOwner: hasOwner) }
        }
        try await bus.match(
            "type='signal',sender='\(BlueZName.service)',path='/',"
                + "interface='\(BlueZName.objectManager)'"
        ) { @Sendable [weak self, weak bus] message in
            guard let event = Self.objectEvent(message) else { return }
            self?.assumeIsolated { $0.handleSignal(event, from: bus) }
        }
        try await bus.match(
            "type='signal',sender='\(BlueZName.service)',path_namespace='/org/bluez',"
                + "interface='\(BlueZName.properties)',member='PropertiesChanged'"
        ) { @Sendable [weak self, weak bus] message in
            guard let event = Self.propertyEvent(message) else { return }
            self?.assumeIsolated { $0.handleSignal(event, from: bus) }
        }
    }

    /// Requests the objects repeatedly until they arrive.
    private func waitForService(on bus: BusConnection) async {
        guard service.beginWaiting() else { return }
        defer { service.endWaiting() }
        while await !tryService(on: bus), service.isOpen(bus), !isStopping { await retry() }
    }

    /// Requests the objects. The call starts bluetoothd if systemd may (D-Bus activation). This
    /// also restarts it after a crash under Debian's unit, whose Restart= is commented out.
    private func tryService(on bus: BusConnection) async -> Bool {
        guard service.isOpen(bus), !isStopping else { return false }
        if machine.isServicePresent { return true }
        do throws(BusError) {
            try await BlueZClient(bus: bus).managedObjects { @Sendable [weak self] objects in
                self?.assumeIsolated { $0.serviceFound(objects) }
            }
            return true
        } catch {
            guard service.isOpen(bus), !isStopping else { return false }
            log.debug("bluetoothd: \(error)")
            service.note(.noBluetoothService(cause: error.serviceCause))
            reportProblems()
            return false
        }
    }

    private func serviceFound(_ objects: BusObjectTree) {
        service.noteFound()
        process(.serviceFound(objects))
    }

    private func retry() async {
        // Never cancelled; a stop in the meantime is noticed afterwards.
        try? await Task.sleep(for: service.nextDelay())
    }

    private func busEnded(_ bus: BusConnection?, _ error: BusError) {
        guard let bus, service.isOpen(bus) else { return }
        _ = service.close()
        guard !isStopping else { return }
        service.note(.noBus(cause: error.message))
        process(.serviceLost)
        Task {
            await retry()
            await openBus()
        }
    }

    private func ownerChanged(_ bus: BusConnection?, hasOwner: Bool) {
        guard let bus, service.isOpen(bus), !isStopping else { return }
        log.debug(hasOwner ? "bluetoothd is available" : "bluetoothd is gone")
        // A new owner knows none of our subscriptions, even if the end of the old one was not seen.
        if machine.isServicePresent {
            service.note(.noBluetoothService(cause: "it left the bus"))
            process(.serviceLost)
        }
        Task {
            if hasOwner { _ = await tryService(on: bus) } else { await retry() }
            await waitForService(on: bus)
        }
    }

    private func handleSignal(_ event: RoomMachine.Event, from bus: BusConnection?) {
        guard let bus, service.isOpen(bus), machine.isServicePresent else { return }
        if case .changed(let path, BlueZName.characteristic, let changed, _) = event {
            return handleSignalledValue(changed["Value"]?.bytes, from: path)
        }
        process(event)
    }

    // MARK: - Reading signals

    private nonisolated static func objectEvent(
        _ message: borrowing BusMessage
    ) -> RoomMachine.Event? {
        do throws(BusError) {
            switch message.member {
            case "InterfacesAdded":
                let path = try message.readObjectPath()
                return .added(path: path, try message.readInterfaces())
            case "InterfacesRemoved":
                let path = try message.readObjectPath()
                return .removed(path: path, interfaces: try message.readStrings())
            default: return nil
            }
        } catch {
            return nil  // an object with a property of a type that this program does not know
        }
    }

    private nonisolated static func propertyEvent(
        _ message: borrowing BusMessage
    ) -> RoomMachine.Event? {
        guard let path = message.path else { return nil }
        do throws(BusError) {
            let interface = try message.readString()
            let changed = try message.readProperties()
            return .changed(
                path: path, interface: interface, changed,
                invalidated: try message.readStrings())
        } catch {
            return nil  // a property of a type that this program does not know
        }
    }
}
