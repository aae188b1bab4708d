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

    private static func description(of object: BlueZObject) -> String {
        let (name, properties) = object.interface
        let writable = ["Powered", "Trusted", "Alias"]
        let lines = properties.sorted { $0.key < $1.key }.map { name, value in
            "    <property name=\"\(name)\" type=\"\(value.signature)\" access=\""
                + (writable.contains(name) ? "readwrite" : "read") + "\"/>"
        }
        return "  <interface name=\"\(name)\">\n"
            + (methods(of: object) + lines).joined(separator: "\n") + "\n  </interface>"
    }

    private static func methods(of object: BlueZObject) -> [String] {
        switch object {
        case .adapter:
            [
                method("StartDiscovery"), method("StopDiscovery"),
                method("SetDiscoveryFilter", ["properties": "a{sv}"]),
                method("GetDiscoveryFilters", returns: ["filters": "as"]),
                method("RemoveDevice", ["device": "o"]),
            ]
        case .device: [method("Connect"), method("Disconnect")]
        case .characteristic:
            [
                method("ReadValue", ["options": "a{sv}"], returns: ["value": "ay"]),
                "    <method name=\"WriteValue\">\n" + argument("value", "ay", "in") + "\n"
                    + argument("options", "a{sv}", "in") + "\n    </method>",
                method("StartNotify"), method("StopNotify"), acquire("AcquireNotify"),
                acquire("AcquireWrite"),
            ]
        case .service, .descriptor: []
        }
    }

    private static func acquire(_ name: String) -> String {
        "    <method name=\"\(name)\">\n"
            + [
                argument("options", "a{sv}", "in"), argument("fd", "h", "out"),
                argument("mtu", "q", "out"),
            ].joined(separator: "\n") + "\n    </method>"
    }

    private static func method(
        _ name: String, _ takes: [String: String] = [:], returns: [String: String] = [:]
    ) -> String {
        let arguments =
            takes.map { argument($0.key, $0.value, "in") }
            + returns.map { argument($0.key, $0.value, "out") }
        guard !arguments.isEmpty else { return "    <method name=\"\(name)\"/>" }
        return "    <method name=\"\(name)\">\n" + arguments.joined(separator: "\n")
            + "\n    </method>"
    }

    private static func argument(_ name: String, _ type: String, _ direction: String) -> String {
        "      <arg name=\"\(name)\" type=\"\(type)\" direction=\"\(direction)\"/>"
    }

    private static let head = """
        <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">

        """

    private static let introspectable = """
          <interface name="org.freedesktop.DBus.Introspectable">
            <method name="Introspect"><arg name="xml" type="s" direction="out"/></method>
          </interface>
        """

    private static let properties = """
          <interface name="org.freedesktop.DBus.Properties">
            <method name="Get">
              <arg name="interface" type="s" direction="in"/>
              <arg name="name" type="s" direction="in"/>
              <arg name="value" type="v" direction="out"/>
            </method>
            <method name="Set">
              <arg name="interface" type="s" direction="in"/>
              <arg name="name" type="s" direction="in"/>
              <arg name="value" type="v" direction="in"/>
            </method>
            <method name="GetAll">
              <arg name="interface" type="s" direction="in"/>
              <arg name="properties" type="a{sv}" direction="out"/>
            </method>
            <signal name="PropertiesChanged">
              <arg name="interface" type="s"/>
              <arg name="changed_properties" type="a{sv}"/>
              <arg name="invalidated_properties" type="as"/>
            </signal>
          </interface>
        """

    private static let objectManager = """
          <interface name="org.freedesktop.DBus.ObjectManager">
            <method name="GetManagedObjects">
              <arg name="objects" type="a{oa{sa{sv}}}" direction="out"/>
            </method>
            <signal name="InterfacesAdded">
              <arg name="object" type="o"/>
              <arg name="interfaces" type="a{sa{sv}}"/>
            </signal>
            <signal name="InterfacesRemoved">
              <arg name="object" type="o"/>
              <arg name="interfaces" type="as"/>
            </signal>
          </interface>
        """
}
