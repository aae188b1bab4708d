import AvahiClient
import Contract

extension Configuration {
    /// The gateway and its broker, as apps in the network find them by mDNS; nil if they cannot connect to the
    /// broker.
    ///
    /// - Parameters:
    ///   - hostName: this machine's.
    ///   - isOpen: whether a port of this machine accepts connections from the network.
    func announcement(
        hostName: String, isOpen: (UInt16) -> Bool = NetworkListener.isOpen
    ) -> Announcement? {
        guard gateway.isAnnounced, let port = UInt16(exactly: broker.port) else { return nil }
        let isHere = Self.isThisMachine(broker.host, named: hostName)
        guard !isHere || isOpen(port) else { return nil }
        var services = [
            Announcement.Service(
                "_rowgate._tcp", port: port,
                text: [
                    "id": gateway.id, "prefix": broker.topicPrefix.text,
                    "contract": TopicPrefix.contractVersion, "tls": broker.tls == nil ? nil : "1",
                    "broker": isHere ? nil : broker.host,
                ])
        ]
        if isHere {
            services.append(
                Announcement.Service(broker.tls == nil ? "_mqtt._tcp" : "_secure-mqtt._tcp", port: port))
        }
        return Announcement(name: "rowgate \(gateway.id)", services: services)
    }

    /// Whether a host in the configuration means this machine.
    private static func isThisMachine(_ host: String, named hostName: String) -> Bool {
        let (host, own) = (host.lowercased(), hostName.lowercased())
        return host == "localhost" || host == "::1" || host.hasPrefix("127.")
            || !own.isEmpty && (host == own || host == "\(own.prefix { $0 != "." }).local")
    }
}
