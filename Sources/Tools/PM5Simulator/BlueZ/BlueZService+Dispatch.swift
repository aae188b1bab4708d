import SDBus

extension BlueZService {
    /// Answers a call on any object; false leaves it to the library (Peer).
    func answer(_ call: BusInvocation) -> Bool {
        if call.interface == "org.freedesktop.DBus.Peer" { return false }
        do {
            try route(call)
        } catch let error as BlueZError {
            fail(call, error)
        } catch let error as BusError {
            // The arguments had other types than the method expects.
            log.debug("\(call.member): \(error)")
            fail(call, .unknownMethod(call))
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
        guard let object = object(at: call.path) else { throw BlueZError.unknownObject(call) }
        if let adapter = object as? AdapterObject, try serverMethod(call, adapter) { return }
        guard call.interface == object.interface else { throw BlueZError.unknownMethod(call) }
        switch object {
        case let adapter as AdapterObject: try adapterMethod(call, adapter)
        case let device as DeviceObject: try deviceMethod(call, device)
        case let phone as PhoneObject: try phoneMethod(call, phone)
        case let object as CharacteristicObject: try characteristicMethod(call, object)
        default: throw BlueZError.unknownMethod(call)
        }
    }

    // MARK: - Objects

    /// Every exported object below `/org/bluez`, parents before children.
    var objects: [any BlueZObject] {
        adapters.filter(\.isPresent).flatMap { adapter -> [any BlueZObject] in
            let devices = adapter.devices.values.sorted { $0.radio.number < $1.radio.number }
            let phones = adapter.server.phones.values.sorted { $0.path < $1.path }
            let ofDevices = devices.flatMap { [$0 as any BlueZObject] + $0.attributes }
            return [adapter as any BlueZObject] + ofDevices + phones.map { $0 as any BlueZObject }
        }
    }

    func object(at path: String) -> (any BlueZObject)? { objects.first { $0.path == path } }

    private var objectTree: BusObjectTree {
        var tree: BusObjectTree = ["/org/bluez": [InterfaceName.introspectable: [:]]]
        for object in objects { tree[object.path] = object.interfaces }
        return tree
    }

    // MARK: - Properties

    private func property(_ call: BusInvocation) throws {
        guard let object = object(at: call.path) else { throw BlueZError.unknownObject(call) }
        let interface = try call.message.readString()
        guard interface == object.interface else { throw BlueZError.noSuchInterface(interface) }
        let properties = object.properties
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

    private func set(_ property: String, to value: BusValue, of object: any BlueZObject) throws {
        switch (object, property, value) {
        case (let adapter as AdapterObject, "Powered", .boolean(let on)):
            if on, adapter.isBlocked { throw BlueZError.blocked }
            if on { powerOnSoon(adapter) } else { powerOff(adapter) }
        case (let adapter as AdapterObject, "Alias", .string(let alias)):
            adapter.alias = alias.isEmpty ? "boathouse" : alias
            changed(adapter, ["Alias": .string(adapter.alias)])
        case (let adapter as AdapterObject, "Pairable", .boolean(let isPairable)):
            adapter.isPairable = isPairable
            changed(adapter, ["Pairable": .boolean(isPairable)])
        case (let device as DeviceObject, "Trusted", .boolean(let trusted)):
            setTrusted(trusted, device)
        case (let device as DeviceObject, "Alias", .string(let alias)):
            device.alias = alias.isEmpty ? nil : alias
            changed(device, ["Alias": .string(device.alias ?? device.name)])
        case (is AdapterObject, "Powered", _), (is DeviceObject, "Trusted", _),
            (is DeviceObject, "Alias", _):
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

    func fail(_ call: BusInvocation, _ error: BlueZError) {
        do throws(BusError) {
            try call.fail(name: error.name, message: error.text)
        } catch {
            warn("error to \(call.member)", error)
        }
    }

    func changed(
        _ object: any BlueZObject, _ properties: BusProperties, invalidated: [String] = []
    ) {
        let (path, interface) = (object.path, object.interface)
        emit(path, InterfaceName.properties, "PropertiesChanged") { message throws(BusError) in
            try message.append(string: interface)
            try message.append(properties: properties)
            try message.append(strings: invalidated)
        }
    }

    func announce(_ object: any BlueZObject) {
        let (path, interfaces) = (object.path, object.interfaces)
        emit("/", InterfaceName.objectManager, "InterfacesAdded") { message throws(BusError) in
            try message.append(objectPath: path)
            try message.append(interfaces: interfaces)
        }
    }

    func retract(_ object: any BlueZObject) {
        let (path, names) = (object.path, object.interfaces.keys.sorted())
        emit("/", InterfaceName.objectManager, "InterfacesRemoved") { message throws(BusError) in
            try message.append(objectPath: path)
            try message.append(strings: names)
        }
    }

    private func emit(
        _ path: String, _ interface: String, _ member: String,
        writing: @Sendable (borrowing BusMessage) throws(BusError) -> Void
    ) {
        let failure = bus?.assumeIsolated { bus -> BusError? in
            do throws(BusError) {
                try bus.emit(path, interface, member, writing: writing)
                return nil
            } catch {
                return error
            }
        }
        if let failure = failure ?? nil { warn(member, failure) }
    }

    /// The connection itself reports the loss of the bus once.
    private func warn(_ what: String, _ error: BusError) {
        if !error.isDisconnected { log.warning("\(what) not sent: \(error)") }
    }
}
