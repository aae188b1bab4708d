/// The address under which phones find the pages, for links and QR codes.
enum PageAddress {
    /// - Parameters:
    ///   - used: The address that the user's browser has for this server (`Origin`): `http://boathouse:8080`.
    ///   - configured: The address that the configuration gives, with a slash at the end.
    /// - Returns: `used`, unless it is none, or one that is valid on this machine only.
    static func forPhones(used: String?, configured: String) -> String {
        guard let used, isValid(used), !isLocal(used) else { return String(configured.dropLast()) }
        return used
    }

    /// Whether a text is a scheme and a host, with a port if needed, and nothing else.
    static func isValid(_ text: String) -> Bool {
        guard let host = host(of: text) else { return false }
        return (1...255).contains(host.utf8.count)
            && host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
                    true
                default: false
                }
            }
    }

    /// Whether other machines cannot use the address.
    private static func isLocal(_ text: String) -> Bool {
        guard let host = host(of: text)?.lowercased() else { return true }
        return host.hasPrefix("127.") || host == "localhost" || host.hasPrefix("localhost:")
            || host.hasPrefix("[::1]")
    }

    private static func host(of text: String) -> Substring? {
        ["http://", "https://"].first(where: text.hasPrefix).map { text.dropFirst($0.count) }
    }
}
