import SDBus

extension BlueZService {
    /// Describes an object, or a folder on the way to one, in D-Bus introspection XML.
    func introspect(_ call: BusInvocation) throws {
        guard call.member == "Introspect" else { throw BlueZError.unknownMethod(call) }
        let paths = ["/org/bluez"] + objects.map(\.path)
        let folder = call.path == "/" ? "/" : call.path + "/"
        let children = Set(
            paths.filter { $0.hasPrefix(folder) && $0 != call.path }.compactMap {
                $0.dropFirst(folder.count).split(separator: "/").first.map(String.init)
            })
        let object = object(at: call.path)
        guard object != nil || call.path == "/" || !children.isEmpty || paths.contains(call.path)
        else { throw BlueZError.unknownObject(call) }
        var parts = [Self.introspectable]
        if call.path == "/" { parts.append(Self.objectManager) }
        if let object { parts += [Self.properties, Self.description(of: object)] }
        parts += children.sorted().map { "  <node name=\"\($0)\"/>" }
        let xml = Self.head + "<node>\n" + parts.joined(separator: "\n") + "\n</node>\n"
        reply(call) { message throws(BusError) in try message.append(string: xml) }
    }

    private static func description(of object: any BlueZObject) -> String {
        let writable = ["Powered", "Trusted", "Alias"]
        let properties = object.properties.sorted { $0.key < $1.key }.map { name, value in
            "    <property name=\"\(name)\" type=\"\(value.signature)\" access=\""
                + (writable.contains(name) ? "readwrite" : "read") + "\"/>"
        }
        return interface(object.interface, (methods[object.interface] ?? []) + properties)
    }

    private static func interface(_ name: String, _ members: [String]) -> String {
        "  <interface name=\"\(name)\">\n" + members.joined(separator: "\n") + "\n  </interface>"
    }

    /// A method, whose arguments are given as `name type direction`.
    private static func method(_ name: String, _ arguments: String...) -> String {
        member("method", name, arguments)
    }

    /// A signal, whose arguments are given as `name type`.
    private static func signal(_ name: String, _ arguments: String...) -> String {
        member("signal", name, arguments)
    }

    private static func member(_ kind: String, _ name: String, _ arguments: [String]) -> String {
        let lines = arguments.map { argument in
            let words = argument.split(separator: " ")
            let direction = words.count > 2 ? " direction=\"\(words[2])\"" : ""
            return "      <arg name=\"\(words[0])\" type=\"\(words[1])\"\(direction)/>\n"
        }
        let tag = "    <\(kind) name=\"\(name)\""
        return lines.isEmpty ? tag + "/>" : tag + ">\n" + lines.joined() + "    </\(kind)>"
    }

    private static let head = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">

        """

    /// Methods of BlueZ's objects, by interface.
    private static let methods = [
        InterfaceName.adapter: [
            method("StartDiscovery"), method("StopDiscovery"),
            method("SetDiscoveryFilter", "properties a{sv} in"),
            method("GetDiscoveryFilters", "filters as out"), method("RemoveDevice", "device o in"),
        ],
        InterfaceName.device: [method("Connect"), method("Disconnect")],
        InterfaceName.characteristic: [
            method("ReadValue", "options a{sv} in", "value ay out"),
            method("WriteValue", "value ay in", "options a{sv} in"),
            method("StartNotify"), method("StopNotify"),
            method("AcquireNotify", "options a{sv} in", "fd h out", "mtu q out"),
            method("AcquireWrite", "options a{sv} in", "fd h out", "mtu q out"),
        ],
    ]

    private static let introspectable = interface(
        InterfaceName.introspectable, [method("Introspect", "xml s out")])

    private static let properties = interface(
        InterfaceName.properties,
        [
            method("Get", "interface s in", "name s in", "value v out"),
            method("Set", "interface s in", "name s in", "value v in"),
            method("GetAll", "interface s in", "properties a{sv} out"),
            signal(
                "PropertiesChanged", "interface s", "changed_properties a{sv}",
                "invalidated_properties as"),
        ])

    private static let objectManager = interface(
        InterfaceName.objectManager,
        [
            method("GetManagedObjects", "objects a{oa{sa{sv}}} out"),
            signal("InterfacesAdded", "object o", "interfaces a{sa{sv}}"),
            signal("InterfacesRemoved", "object o", "interfaces as"),
        ])
}
