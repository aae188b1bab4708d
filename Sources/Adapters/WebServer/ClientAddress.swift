import Glibc

/// The unit of connection limits: an IPv4 address, or a 64-bit IPv6 network prefix, because an IPv6
/// client can use any address of its network.
package struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]
    /// Whether it is this machine.
    package let isLoopback: Bool

    /// Returns nil unless the address is IPv4 or IPv6.
    init?(_ address: UnsafePointer<sockaddr>?) {
        guard let address else { return nil }
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let found = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            self.init(withUnsafeBytes(of: found) { Array($0) })
        case AF_INET6:
            let found = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self.init(withUnsafeBytes(of: found) { Array($0) })
        default: return nil
        }
    }

    /// - Parameter address: 4 or 16 bytes.
    package init(_ address: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let whole = address.starts(with: mapped) ? Array(address[12...]) : address
        if whole.count == 4 {
            isLoopback = whole[0] == 127
            bytes = whole
        } else {
            isLoopback = whole == [UInt8](repeating: 0, count: 15) + [1]
            bytes = Array(whole.prefix(8))
        }
    }

    /// Whether it is this machine, or in the network of one of its interfaces.
    package var isOnLocalNetwork: Bool { isLoopback || Self.networks().contains { $0.contains(bytes) } }

    private struct Network {
        let address: [UInt8]
        let mask: [UInt8]

        func contains(_ other: [UInt8]) -> Bool {
            other.count == address.count && mask.contains { $0 != 0 }
                && zip(other, zip(address, mask)).allSatisfy { $0 & $1.1 == $1.0 & $1.1 }
        }
    }

    /// The networks of all interfaces. Not cached, because the machine may move to another network.
    private static func networks() -> [Network] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var (networks, next): ([Network], _) = ([], first)
        while let entry = next?.pointee {
            next = entry.ifa_next
            // A point-to-point link is not a network.
            guard entry.ifa_flags & UInt32(IFF_POINTOPOINT) == 0,
                let address = ClientAddress(entry.ifa_addr), !address.isLoopback,
                let mask = ClientAddress(entry.ifa_netmask)
            else { continue }
            networks.append(Network(address: address.bytes, mask: mask.bytes))
        }
        return networks
    }
}
