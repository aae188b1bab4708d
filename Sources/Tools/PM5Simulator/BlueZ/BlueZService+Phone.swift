import SDBus

/// A phone within range, which tests drive.
///
/// Changes `phoneCount`. It behaves like an app on bluetoothd as a server: a Write Request to a characteristic that also takes
/// commands is answered at once, and a subscription is answered before the application has a socket.
extension BlueZService {
    /// Connects to an adapter that advertises; false if none does.
    ///
    /// - Parameter isLate: the connection request was on its way when another phone connected.
    package func connectPhone(_ name: String = "phone", to adapter: String, isLate: Bool = false) async
        -> Bool
    {
        guard let object = adapters.first(where: { $0.name == adapter }), object.isPresent,
            object.isPowered, object.server.phones[name] == nil,
            isLate || object.server.advertisement?.isOnAir == true
        else { return false }
        phoneCount += 1
        object.server.advertisement?.isOnAir = false
        let phone = PhoneObject(number: phoneCount % 200, adapter: object.path)
        object.server.phones[name] = phone
        announce(phone)
        return true
    }

    /// What the phone sees of an adapter that advertises; nil if it does not.
    package func advertisement(of adapter: String) -> (alias: String, properties: BusProperties)? {
        guard let object = adapters.first(where: { $0.name == adapter }), object.isPresent,
            let advertisement = object.server.advertisement, advertisement.isOnAir
        else { return nil }
        return (object.alias, advertisement.properties)
    }

    package func disconnectPhone(_ name: String = "phone") {
        for adapter in adapters { if let phone = adapter.server.phones[name] { cut(phone, adapter) } }
    }

    package func isPhoneConnected(_ name: String = "phone") -> Bool { phone(name) != nil }

    private func phone(_ name: String) -> (object: PhoneObject, adapter: AdapterObject)? {
        for adapter in adapters {
            if let phone = adapter.server.phones[name], phone.isConnected { return (phone, adapter) }
        }
        return nil
    }

    /// The table that the phone reads.
    package func attributes(for name: String = "phone") -> [ServedAttribute] {
        phone(name)?.adapter.server.attributes ?? []
    }

    /// How often an application was registered on an adapter.
    package func registrations(on adapter: String) -> Int {
        adapters.first { $0.name == adapter }?.server.registrations ?? 0
    }

    /// The notifications of a characteristic so far, in order.
    package func received(_ uuid: String, by name: String = "phone") -> [[UInt8]] {
        phone(name)?.object.received[uuid] ?? []
    }

    private func found(
        _ uuid: String, _ name: String
    ) throws(ATTError) -> (phone: PhoneObject, attribute: ServedAttribute, owner: String, bus: BusConnection)
    {
        guard let (phone, adapter) = phone(name), let bus,
            let application = adapter.server.applications.first(where: {
                $0.attributes.contains { $0.uuid == uuid }
            }),
            let attribute = application.attributes.first(where: { $0.uuid == uuid })
        else { throw .attributeNotFound }
        return (phone, attribute, application.owner, bus)
    }

    private static func options(_ phone: PhoneObject, _ more: BusProperties = [:]) -> BusProperties {
        let options: BusProperties = [
            "device": .objectPath(phone.path), "link": .string("LE"), "mtu": .uint16(23),
        ]
        return options.merging(more) { $1 }
    }

    package func read(_ uuid: String, by name: String = "phone") async throws(ATTError) -> [UInt8] {
        let (phone, attribute, owner, bus) = try found(uuid, name)
        guard attribute.flags.contains("read") else { throw ATTError(code: 0x02) }
        let options = Self.options(phone)
        do throws(BusError) {
            return try await bus.call(
                owner, attribute.path, InterfaceName.characteristic, "ReadValue",
                writing: { message throws(BusError) in try message.append(properties: options) },
                reading: { message throws(BusError) in try message.readBytes() })
        } catch { throw ATTError(error, notPermitted: 0x02) }
    }

    /// Sends a Write Request, or a command.
    package func write(
        _ value: [UInt8], to uuid: String, asCommand: Bool = false, by name: String = "phone"
    ) async throws(ATTError) {
        let (phone, attribute, owner, bus) = try found(uuid, name)
        let canCommand = attribute.flags.contains("write-without-response")
        guard attribute.flags.contains("write") || canCommand else { throw ATTError(code: 0x03) }
        let options = Self.options(phone, ["type": .string(asCommand ? "command" : "request")])
        // bluetoothd answers at once, and drops the error of the application.
        if canCommand {
            // On this queue, so that writes leave in their order.
            Task { [self] in _ = await send(value, options, to: attribute.path, of: owner, bus) }
            return
        }
        if let error = await send(value, options, to: attribute.path, of: owner, bus) {
            throw ATTError(error, notPermitted: 0x03)
        }
    }

    private func send(
        _ value: [UInt8], _ options: BusProperties, to path: String, of owner: String, _ bus: BusConnection
    ) async -> BusError? {
        do throws(BusError) {
            try await bus.call(
                owner, path, InterfaceName.characteristic, "WriteValue",
                writing: { message throws(BusError) in
                    try message.append(bytes: value)
                    try message.append(properties: options)
                })
            return nil
        } catch { return error }
    }

    /// Writes the client configuration. It is answered before the application knows of it.
    package func subscribe(
        _ uuid: String, _ on: Bool = true, by name: String = "phone"
    ) throws(ATTError) {
        let (phone, attribute, owner, bus) = try found(uuid, name)
        guard attribute.flags.contains("notify") || attribute.flags.contains("indicate") else {
            throw ATTError(code: 0x03)
        }
        guard on else {
            phone.sockets.removeValue(forKey: uuid)?.close()
            return
        }
        guard attribute.canAcquire, phone.sockets[uuid] == nil else { return }
        let options = Self.options(phone)
        Task { [self] in  // on this queue
            do throws(BusError) {
                let descriptor = try await bus.call(
                    owner, attribute.path, InterfaceName.characteristic, "AcquireNotify",
                    writing: { message throws(BusError) in try message.append(properties: options) },
                    reading: { message throws(BusError) in try message.readFileDescriptor() })
                let reader = ValueReader(descriptor, on: executor) { @Sendable [weak phone] value in
                    phone?.received[uuid, default: []].append(value)
                }
                if phone.isConnected { phone.sockets[uuid] = reader } else { reader.close() }
            } catch { log.debug("AcquireNotify: \(error)") }
        }
    }
}
