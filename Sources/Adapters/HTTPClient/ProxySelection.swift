/// The proxy for a host, by a setting or by the environment, with the rules of libcurl.
///
/// libcurl does not report before a connection whether it uses a proxy. The client must know: through a proxy,
/// the address of the socket is the proxy's, which may be private.
struct ProxySelection: Equatable, Sendable {
    /// With scheme, port and perhaps credentials; empty for none.
    let proxy: String
    /// The value of `no_proxy`.
    private let exceptions: String

    /// - Parameters:
    ///   - setting: nil for the proxy of the environment, empty for none.
    ///   - scheme: `http` or `https`.
    ///   - environment: returns the value of a variable.
    init(setting: String?, scheme: String, environment: (String) -> String?) {
        // HTTP_PROXY in upper case could be the header `Proxy` of a request to a CGI program.
        let own = scheme == "http" ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
        proxy = setting ?? Self.first(of: own + ["all_proxy", "ALL_PROXY"], environment)
        exceptions = Self.first(of: ["no_proxy", "NO_PROXY"], environment)
    }

    /// The value of the first variable that is set and not empty.
    private static func first(of names: [String], _ environment: (String) -> String?) -> String {
        for name in names {
            if let value = environment(name), !value.isEmpty { return value }
        }
        return ""
    }

    /// Returns the proxy for a host name or numeric address; empty for none.
    func proxy(for host: String) -> String { isException(host) ? "" : proxy }

    private func isException(_ host: String) -> Bool {
        if exceptions == "*" { return true }
        let address = InternetAddress(host)
        return exceptions.split { $0 == "," || $0 == " " || $0 == "\t" }.contains { entry in
            if let address { return Self.matches(address, String(entry)) }
            return Self.matches(Self.normalized(host[...]), Self.normalized(entry))
        }
    }

    /// Whether `entry` is the address, or a network such as `10.0.0.0/8` with it.
    private static func matches(_ address: InternetAddress, _ entry: String) -> Bool {
        let parts = entry.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let network = InternetAddress(String(parts[0])) else { return false }
        guard let bits = parts.count == 2 ? Int(parts[1]) : network.bytes.count * 8 else { return false }
        return address.hasPrefix(network, bits: bits)
    }

    /// Whether `entry` is the name, or a domain of it.
    private static func matches(_ name: String, _ entry: String) -> Bool {
        !entry.isEmpty && (name == entry || name.hasSuffix("." + entry))
    }

    /// Lower case, without a dot at the beginning and the end.
    private static func normalized(_ name: Substring) -> String {
        var name = name
        if name.hasPrefix(".") { name.removeFirst() }
        if name.hasSuffix(".") { name.removeLast() }
        return name.lowercased()
    }
}
