import Glibc

/// The host name of this machine.
enum HostName {
    /// The names under which browsers in the network find the machine, such as `boathouse` and
    /// `boathouse.local`; empty if it has no host name.
    static let names: [String] = {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return [] }
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let name = String(decoding: bytes, as: UTF8.self).lowercased()
        guard !name.isEmpty, name != "localhost" else { return [] }
        let first = name.prefix { $0 != "." }
        return Array(Set([name, String(first)])).sorted() + ["\(first).local"]
    }()
}
