import Glibc

/// An IPv4 or IPv6 address. An IPv4 address that is mapped into IPv6 (`::ffff:10.0.0.1`) is an IPv4 address.
struct InternetAddress: Equatable, Sendable {
    /// 4 or 16.
    let bytes: [UInt8]

    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
    /// NAT64 (RFC 6052): the last 4 bytes are the IPv4 address.
    private static let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]

    /// - Parameter address: 4 or 16 bytes.
    private init(_ address: [UInt8]) {
        bytes = address.starts(with: Self.mapped) ? Array(address[12...]) : address
    }

    /// Returns nil unless `text` is a numeric address, an IPv6 address with or without brackets. Also reads
    /// the short forms of inet_aton(3), such as `127.1`.
    init?(_ text: String) {
        var (long, short) = (in6_addr(), in_addr())
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let bare = isBracketed ? String(text.dropFirst().dropLast()) : text
        // A zone, as in `fe80::1%eth0`, does not change the kind of address.
        let address = bare.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)[0]
        if inet_pton(AF_INET6, String(address), &long) == 1 {
            self.init(withUnsafeBytes(of: long) { Array($0) })
        } else if !isBracketed, inet_aton(text, &short) == 1 {
            self.init(withUnsafeBytes(of: short) { Array($0) })
        } else {
            return nil
        }
    }

    /// Returns nil unless the address is IPv4 or IPv6.
    init?(_ address: UnsafePointer<sockaddr>) {
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

    /// Whether the first `count` bits are those of `prefix`, an address of the same length.
    func hasPrefix(_ prefix: InternetAddress, bits count: Int) -> Bool {
        guard bytes.count == prefix.bytes.count, (0...bytes.count * 8).contains(count) else { return false }
        return bytes.indices.allSatisfy { index in
            let rest = min(max(count - index * 8, 0), 8)
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> rest)
            return bytes[index] & mask == prefix.bytes[index] & mask
        }
    }

    /// Whether it is an address of a single host in the internet, by the registries of special addresses of IANA.
    ///
    /// False for this machine, private and local networks, carriers' networks, multicast, documentation, tests,
    /// and everything that is reserved.
    var isPublic: Bool {
        if bytes.count == 4 { return !Self.special4.contains { hasPrefix($0.0, bits: $0.1) } }
        if bytes.starts(with: Self.translated) { return InternetAddress(Array(bytes[12...])).isPublic }
        // Only 2000::/3 is assigned to hosts of the internet.
        return bytes[0] & 0xE0 == 0x20 && !Self.special6.contains { hasPrefix($0.0, bits: $0.1) }
    }

    private static let special4 = networks([
        ("0.0.0.0", 8), ("10.0.0.0", 8), ("100.64.0.0", 10), ("127.0.0.0", 8), ("169.254.0.0", 16),
        ("172.16.0.0", 12), ("192.0.0.0", 24), ("192.0.2.0", 24), ("192.88.99.0", 24), ("192.168.0.0", 16),
        ("198.18.0.0", 15), ("198.51.100.0", 24), ("203.0.113.0", 24), ("224.0.0.0", 4), ("240.0.0.0", 4),
    ])

    /// Of 2000::/3: protocols and tunnels (Teredo, 6to4), documentation.
    private static let special6 = networks([
        ("2001::", 23), ("2001:db8::", 32), ("2002::", 16), ("3fff::", 20),
    ])

    private static func networks(_ list: [(String, Int)]) -> [(InternetAddress, Int)] {
        list.compactMap { text, bits in InternetAddress(text).map { ($0, bits) } }
    }
}
