import SDBus

extension BlueZService {
    /// Answers a call on any object; false leaves it to the library (Peer).
    func answer(_ call: BusInvocation) -> Bool {
        if call.interface == "org.freedesktop.DBus.Peer" { return false }
        do {
            try route(call)
        } catch let error as BlueZError {
            refuse(call, error)
        } catch let error as BusError {
            // The arguments were of another type than the method takes.
            log.debug("\(call.member): \(error)")
            refuse(call, .unknownMethod(call))
        } catch {
            preconditionFailure("calls fail as BlueZError or BusError, not as \(error)")
        }
        return true
    }

    private func route(_ call: BusInvocation) throws {
        switch call.interface {
        case InterfaceName.objectManager where call.path == "/":
            guard call.member == "GetManagedObjects" else { throw BlueZError.unknownMethod(call) }
            reply(call) { [tree = objectTree] message throws(BusError) in
                try message.append(objectTree: tree)
            }
        case InterfaceName.introspectable: try introspect(call)
        case InterfaceName.properties: try property(call)
        default: try method(call)
        }
    }

    private func method(_ call: BusInvocation) throws {
        if let adapter = frozenAdapter(of: call.path) { return try frozenMethod(call, adapter) }
        switch (object(at: call.path), call.interface) {
        case (.adapter(let adapter)?, InterfaceName.adapter): try adapterMethod(call, adapter)
        case (.device(let device)?, InterfaceName.device): try deviceMethod(call, device)
        case (.characteristic(let characteristic)?, InterfaceName.characteristic):
            try characteristicMethod(call, characteristic)
        case (nil, _): throw BlueZError.unknownObject(call)
        default: throw BlueZError.unknownMethod(call)
        }
    }

    // MARK: - Objects

    /// Every exported object below `/org/bluez`, parents before children.
    var objects: [(path: String, object: BlueZObject)] {
        adapters.filter(\.isPresent).flatMap { adapter -> [(path: String, object: BlueZObject)] in
            let devices = adapter.devices.values.sorted { $0.radio.number < $1.radio.number }
            return [(adapter.path, .adapter(adapter))]
                + devices.flatMap { [($0.path, .device($0))] + $0.gattObjects }
        }
    }

    func object(at path: String) -> BlueZObject? {
        objects.first { $0.path == path }?.object
    }

    private var objectTree: BusObjectTree {
        var tree: BusObjectTree = ["/org/bluez": [InterfaceName.introspectable: [:]]]
        for (path, object) in objects { tree[path] = object.interfaces }
        return tree
    }

    // MARK: - Properties

    private func property(_ call: BusInvocation) throws {
        guard let object = object(at: call.path) else { throw BlueZError.unknownObject(call) }
        let interface = try call.message.readString()
        let (name, properties) = object.interface
        guard interface == name else { throw BlueZError.noSuchInterface(interface) }
        switch call.member {
        case "GetAll":
            reply(call) { message throws(BusError) in try message.append(properties: properties) }
        case "Get":
            let property = try call.message.readString()
            guard let value = properties[property] else {
                throw BlueZError.noSuchProperty(property)
            }
            reply(call) { message throws(BusError) in try message.append(variant: value) }
        case "Set":
            let property = try call.message.readString()
            guard properties[property] != nil else { throw BlueZError.noSuchProperty(property) }
            try set(property, to: try call.message.readVariant(), of: object)
            reply(call)
        default: throw BlueZError.unknownMethod(call)
        }
    }

    private func set(_ property: String, to value: BusValue, of object: BlueZObject) throws {
        switch (object, property, value) {
        case (.adapter(let adapter), "Powered", .boolean(let on)):
            if on, adapter.isBlocked { throw BlueZError.blocked }
            if on { powerOnSoon(adapter) } else { powerOff(adapter) }
        case (.device(let device), "Trusted", .boolean(let trusted)):
            setTrusted(trusted, device)
        case (.device(let device), "Alias", .string(let alias)):
            device.alias = alias.isEmpty ? nil : alias
            changed(
                device.path, InterfaceName.device, ["Alias": .string(device.alias ?? device.name)])
        case (.adapter, "Powered", _), (.device, "Trusted", _), (.device, "Alias", _):
            throw BlueZError.invalidArguments
        default: throw BlueZError.readOnly(property)
        }
    }

    // MARK: - Sending

    func reply(
        _ call: BusInvocation,
        writing: (borrowing BusMessage) throws(BusError) -> Void = {
            (_: borrowing BusMessage) throws(BusError) in
        }
    ) {
        do throws(BusError) {
            try call.reply(writing: writing)
        } catch {
            warn("answer to \(call.member)", error)
        }
    }

    func refuse(_ call: BusInvocation, _ error: BlueZError) {
        do throws(BusError) {
            try call.fail(name: error.name, message: error.text)
        } catch {
            warn("refusal of \(call.member)", error)
        }
    }

    /// PropertiesChanged.
    func changed(
        _ path: String, _ interface: String, _ properties: BusProperties,
        invalidated: [String] = []
    ) {
        emit(path, .propertiesChanged(interface, properties, invalidated: invalidated))
    }

    /// InterfacesAdded.
    func announce(_ path: String, _ object: BlueZObject) {
        emit("/", .interfacesAdded(path, object.interfaces))
    }

    /// InterfacesRemoved.
    func retract(_ path: String, _ object: BlueZObject) {
        emit("/", .interfacesRemoved(path, object.interfaces.keys.sorted()))
    }

    /// A bus that has gone is told once, by the connection itself.
    private func warn(_ what: String, _ error: BusError) {
        if !error.isDisconnected { log.warning("\(what) not sent: \(error)") }
    }

    private func emit(_ path: String, _ signal: ObjectSignal) {
        let log = log
        bus?.assumeIsolated { bus in
            do throws(BusError) {
                try bus.emit(path, signal.interface, signal.member) { message throws(BusError) in
                    try signal.append(to: message)
                }
            } catch {
                // A bus that has gone is told once, by the connection itself.
                if !error.isDisconnected { log.warning("\(signal.member) not sent: \(error)") }
            }
        }
    }
}

/// What the service tells on its own.
private enum ObjectSignal: Sendable {
    case propertiesChanged(String, BusProperties, invalidated: [String])
    case interfacesAdded(String, BusInterfaces)
    case interfacesRemoved(String, [String])

    var interface: String {
        if case .propertiesChanged = self { return InterfaceName.properties }
        return InterfaceName.objectManager
    }

    var member: String {
        switch self {
        case .propertiesChanged: "PropertiesChanged"
        case .interfacesAdded: "InterfacesAdded"
        case .interfacesRemoved: "InterfacesRemoved"
        }
    }

    func append(to message: borrowing BusMessage) throws(BusError) {
        switch self {
        case .propertiesChanged(let interface, let properties, let invalidated):
            try message.append(string: interface)
            try message.append(properties: properties)
            try message.append(strings: invalidated)
        case .interfacesAdded(let path, let interfaces):
            try message.append(objectPath: path)
            try message.append(interfaces: interfaces)
        case .interfacesRemoved(let path, let names):
            try message.append(objectPath: path)
            try message.append(strings: names)
        }
    }
}
