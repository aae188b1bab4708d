import Glibc

/// Whose connections are counted together: an IPv4 address, or the 64 bits of a network in IPv6,
/// within which anybody has as many addresses as they like.
struct ClientAddress: Hashable, Sendable {
    private let bytes: [UInt8]
    /// This machine.
    let isLoopback: Bool

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
    init(_ address: [UInt8]) {
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
}
