import Glibc
import Testing

@testable import AvahiClient

struct NetworkListenerTests {
    /// Listens on any free port of an IPv4 address.
    private func listener(_ address: UInt32) throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = address.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 1) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isListening)
        return (descriptor, UInt16(bigEndian: name.sin_port))
    }

    @Test func seesOnlyListenersOfAllAddresses() throws {
        let (open, port) = try listener(0)
        #expect(NetworkListener.isOpen(port: port))
        #expect(NetworkListener.isOpen(port: port))
        close(open)
        let (local, localPort) = try listener(0x7F00_0001)
        #expect(!NetworkListener.isOpen(port: localPort))
        close(local)
    }
}
