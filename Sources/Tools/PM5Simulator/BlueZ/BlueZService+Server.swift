import SDBus

/// GattManager1 and LEAdvertisingManager1 of an adapter.
extension BlueZService {
    /// Handles a call to one of the interfaces for servers; false for other interfaces.
    func serverMethod(_ call: BusInvocation, _ adapter: AdapterObject) throws -> Bool {
        switch (call.interface, call.member) {
        case (InterfaceName.gattManager, "RegisterApplication"):
            let root = try call.message.readObjectPath()
            register(call, root, adapter)
        case (InterfaceName.gattManager, "UnregisterApplication"):
            let root = try call.message.readObjectPath()
            let server = adapter.server
            guard server.applications.contains(where: { $0.owner == call.sender && $0.root == root }) else {
                throw BlueZError.doesNotExist
            }
            server.applications.removeAll { $0.owner == call.sender && $0.root == root }
            reply(call)
        case (InterfaceName.advertisingManager, "RegisterAdvertisement"):
            let path = try call.message.readObjectPath()
            try advertise(call, path, adapter)
        case (InterfaceName.advertisingManager, "UnregisterAdvertisement"):
            let path = try call.message.readObjectPath()
            guard let current = adapter.server.advertisement, current.owner == call.sender,
                current.path == path
            else { throw BlueZError.doesNotExist }
            adapter.server.advertisement = nil
            reply(call)
        default: return false
        }
        return true
    }

    /// Reads the objects of the caller before the answer.
    private func register(_ call: BusInvocation, _ root: String, _ adapter: AdapterObject) {
        let stopNumber = stopCount
        guard !adapter.server.applications.contains(where: { $0.owner == call.sender && $0.root == root }),
            let bus
        else { return fail(call, .alreadyExists) }
        Task {
            do throws(BusError) {
                let tree = try await bus.call(
                    call.sender, root, InterfaceName.objectManager, "GetManagedObjects",
                    reading: { message throws(BusError) in try message.readObjectTree() })
                guard stopNumber == stopCount, adapter.isPresent else { return }
                guard let attributes = ServedAttribute.list(of: tree, below: root), !attributes.isEmpty else {
                    return fail(call, .failed("Failed to create entry in database"))
                }
                adapter.server.applications.append(
                    .init(owner: call.sender, root: root, attributes: attributes))
                adapter.server.registrations += 1
                reply(call)
            } catch { fail(call, .failed("No object received")) }
        }
    }

    private func advertise(_ call: BusInvocation, _ path: String, _ adapter: AdapterObject) throws {
        guard adapter.isPowered else { throw BlueZError.failed("Failed to register advertisement") }
        guard adapter.server.advertisement == nil else { throw BlueZError.alreadyExists }
        guard let bus else { return }
        let stopNumber = stopCount
        Task {
            do throws(BusError) {
                let properties = try await bus.call(
                    call.sender, path, InterfaceName.properties, "GetAll",
                    writing: { message throws(BusError) in
                        try message.append(string: InterfaceName.advertisement)
                    }, reading: { message throws(BusError) in try message.readProperties() })
                guard stopNumber == stopCount, adapter.isPresent else { return }
                guard Self.length(of: properties) <= 31 else {
                    return fail(call, .failed("Advertising data too long"))
                }
                adapter.server.advertisement = .init(
                    owner: call.sender, path: path, properties: properties)
                reply(call)
            } catch { fail(call, .failed("No object received")) }
        }
    }

    /// Bytes of the legacy advertising data. bluetoothd puts the name into the scan response.
    static func length(of properties: BusProperties) -> Int {
        var length = properties["Discoverable"] != nil ? 3 : 0
        for uuid in properties["ServiceUUIDs"]?.strings ?? [] {
            length += uuid.hasPrefix("0000") && uuid.hasSuffix("-0000-1000-8000-00805f9b34fb") ? 4 : 18
        }
        for data in properties["ServiceData"]?.dictionary ?? [:] {
            length += 4 + (data.value.bytes?.count ?? 0)
        }
        for name in properties["Includes"]?.strings ?? [] {
            length += name == "tx-power" ? 3 : name == "appearance" ? 4 : 0
        }
        return length
    }

    /// A client has left the bus: what it registered ends.
    func endRegistrations(of client: String, on adapter: AdapterObject) {
        adapter.server.applications.removeAll { $0.owner == client }
        if adapter.server.advertisement?.owner == client { adapter.server.advertisement = nil }
    }

    /// The links of all phones end, without a word to anybody.
    func cutPhones(_ adapter: AdapterObject) {
        for phone in adapter.server.phones.values.sorted(by: { $0.path < $1.path }) { cut(phone, adapter) }
    }

    func cut(_ phone: PhoneObject, _ adapter: AdapterObject) {
        guard phone.isConnected else { return }
        phone.isConnected = false
        phone.closeSockets()
        changed(phone, ["Connected": .boolean(false)])
        adapter.server.phones = adapter.server.phones.filter { $0.value !== phone }
        retract(phone)
    }

    /// Device1.Disconnect of a phone.
    func phoneMethod(_ call: BusInvocation, _ phone: PhoneObject) throws {
        guard call.member == "Disconnect" else { throw BlueZError.unknownMethod(call) }
        guard let adapter = adapters.first(where: { $0.path == phone.adapter }) else {
            throw BlueZError.unknownObject(call)
        }
        after(randomDelay(1.9...2.3)) { [self] in
            cut(phone, adapter)
            reply(call)
        }
    }
}
