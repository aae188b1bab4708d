/// Services of this machine under one name, for browsers of the local network (DNS-SD, RFC 6763).
package struct Announcement: Equatable, Sendable {
    /// One service type with its port.
    package struct Service: Equatable, Sendable {
        /// For example `_http._tcp`.
        package let type: String
        package let port: UInt16
        /// The TXT record: `key=value`, each at most 255 bytes.
        package let text: [String]

        /// - Parameter text: keys and values of the TXT record. An entry without a value or that is too long
        ///   is omitted.
        package init(_ type: String, port: UInt16, text: KeyValuePairs<String, String?> = [:]) {
            self.type = type
            self.port = port
            self.text = text.compactMap { key, value in value.map { "\(key)=\($0)" } }
                .filter { $0.utf8.count <= Limit.textEntry }
        }
    }

    private enum Limit {
        /// RFC 6763, 4.1.1: bytes of an instance name.
        static let name = 63
        /// RFC 6763, 6.1: bytes of an entry of a TXT record.
        static let textEntry = 255
    }

    /// What browsers show, at most 63 bytes.
    package let name: String
    package let services: [Service]

    /// - Parameter name: shortened to 63 bytes.
    package init(name: String, services: [Service]) {
        self.name = Self.shortened(name)
        self.services = services
    }

    /// Shortens between characters, and removes control characters, which RFC 6763 forbids.
    static func shortened(_ name: String) -> String {
        var short = ""
        for character in name
        where character.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) {
            guard short.utf8.count + character.utf8.count <= Limit.name else { break }
            short.append(character)
        }
        return short
    }
}
