import Glibc

/// Whose connections are counted together: an IPv4 address, or the 64 bits of a network in IPv6,
/// within which anybody has as many addresses as they like.
package struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]
    /// This machine.
    package let isLoopback: Bool

    /// nil for what is neither kind of address.
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

    /// Whether it is in the network of one of this machine's interfaces, or this machine.
    package var isNeighbour: Bool { isLoopback || Self.networks().contains { $0.holds(bytes) } }

    private struct Network {
        let address: [UInt8]
        let mask: [UInt8]

        func holds(_ other: [UInt8]) -> Bool {
            other.count == address.count && mask.contains { $0 != 0 }
                && zip(other, zip(address, mask)).allSatisfy { $0 & $1.1 == $1.0 & $1.1 }
        }
    }

    /// Asked anew each time: a machine that is carried into another room has another network.
    private static func networks() -> [Network] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var (networks, next): ([Network], _) = ([], first)
        while let entry = next?.pointee {
            next = entry.ifa_next
            // A line to one other machine is no network.
            guard entry.ifa_flags & UInt32(IFF_POINTOPOINT) == 0,
                let address = ClientAddress(entry.ifa_addr), !address.isLoopback,
                let mask = ClientAddress(entry.ifa_netmask)
            else { continue }
            networks.append(Network(address: address.bytes, mask: mask.bytes))
        }
        return networks
    }
}
