import Contract
import MQTTClient

/// A check of a text value, with an example of a valid text.
package struct TextCheck: Sendable {
    /// In TOML notation, for suggestions.
    var example: String
    var verify: @Sendable (String) throws(ConfigurationFault) -> Void

    init(example: String, _ verify: @escaping @Sendable (String) throws(ConfigurationFault) -> Void) {
        self.example = example
        self.verify = verify
    }
}

extension TextCheck {
    /// Any text that is not empty and has no control characters.
    package static let any = TextCheck(example: "\"text\"") { text throws(ConfigurationFault) in
        try requirePrintable(text)
    }

    /// A name of a topic level: `[a-z0-9-]{1,32}`.
    package static let slug = TextCheck(example: "\"erg-1\"") { text throws(ConfigurationFault) in
        guard Slug.isValid(text) else {
            throw ConfigurationFault(
                "\(text.tomlText) is not a slug",
                suggestion: "use 1 to \(Slug.maximumLength) of a-z, 0-9 and -")
        }
    }

    /// An athlete id.
    package static let athlete = TextCheck(example: "\"a-17\"") {
        text throws(ConfigurationFault) in
        guard AthleteID.isValid(text) else {
            throw ConfigurationFault(
                "\(text.tomlText) is not an athlete id", suggestion: "use \(AthleteID.rule)")
        }
    }

    /// The slug of an erg. `all` is reserved for the whole room in command topics.
    package static let ergSlug = TextCheck(example: slug.example) {
        text throws(ConfigurationFault) in
        try slug.verify(text)
        if text == "all" {
            throw ConfigurationFault(
                "\"all\" means the whole room in commands",
                suggestion: "give the erg another slug, such as \(slug.example)")
        }
    }

    /// The name of a crew.
    package static let crewName = TextCheck(example: "\"first-four\"", slug.verify)

    /// A PM5 serial number.
    package static let serial = TextCheck(example: "\"430123456\"") {
        text throws(ConfigurationFault) in
        guard text.utf8.count == 9, text.utf8.allSatisfy(\.isDigit) else {
            throw ConfigurationFault(
                "\(text.tomlText) is not a serial number",
                suggestion: "give the nine digits that the monitor shows under More Options, "
                    + "Utilities, Product ID, and that end its Bluetooth name")
        }
    }

    /// A host name or address. URLs and `host:port`, which are common mistakes, get a suggestion.
    package static let host = TextCheck(example: "\"localhost\"") {
        text throws(ConfigurationFault) in
        try requirePrintable(text)
        let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
        if text.contains("/") || colons == 1 {
            throw ConfigurationFault(
                "\(text.tomlText) is not a host name",
                suggestion: "give the name or address alone, and the port as port = 1883")
        }
        if text.contains(" ") { throw ConfigurationFault("\(text.tomlText) is not a host name") }
    }

    /// A host name or address with an optional port.
    package static let server = TextCheck(example: "\"hub.example.org:1883\"") {
        text throws(ConfigurationFault) in
        try requirePrintable(text)
        guard !text.contains("/"), !text.contains(" "), BrokerAddress(text, port: 1) != nil else {
            throw ConfigurationFault(
                "\(text.tomlText) is not a broker's name and port",
                suggestion: "write \"name:port\", or \"[address]:port\" for an IPv6 address")
        }
    }

    /// The first levels of all topics.
    package static let topicPrefix = TextCheck(example: "\"club/north\"") {
        text throws(ConfigurationFault) in
        do throws(TopicPrefix.Fault) { _ = try TopicPrefix(text) } catch {
            throw ConfigurationFault(error.reason, suggestion: error.remedy)
        }
    }

    /// An MQTT client id of at most 64 bytes without control characters.
    package static let clientID = TextCheck(example: "\"rowgate-boathouse\"") {
        text throws(ConfigurationFault) in
        try requirePrintable(text)
        guard text.utf8.count <= 64 else {
            throw ConfigurationFault(
                "has \(text.utf8.count) bytes; a client id has at most 64 here")
        }
    }

    /// An absolute path of a file.
    package static let absolutePath = TextCheck(example: "\"/var/lib/rowgate/ring.log\"") {
        text throws(ConfigurationFault) in
        try requirePrintable(text)
        guard text.hasPrefix("/"), !text.hasSuffix("/") else {
            throw ConfigurationFault(
                "\(text.tomlText) is not an absolute path of a file",
                suggestion: "begin it with /")
        }
    }

    /// `logbook`, or an absolute path of a file.
    package static let roster = TextCheck(example: "\"logbook\"") {
        text throws(ConfigurationFault) in
        if text == "logbook" { return }
        do throws(ConfigurationFault) { try absolutePath.verify(text) } catch {
            throw ConfigurationFault(
                "\(text.tomlText) is neither \"logbook\" nor an absolute path of a file",
                suggestion: "write \"logbook\", or begin the path with /")
        }
    }

    /// An absolute path that fits a socket address: at most 108 bytes with its NUL (unix(7)).
    package static let socketPath = TextCheck(example: "\"/run/rowgate/control.sock\"") {
        text throws(ConfigurationFault) in
        try absolutePath.verify(text)
        guard text.utf8.count <= 107 else {
            throw ConfigurationFault("has \(text.utf8.count) bytes; a socket path has at most 107")
        }
    }

    /// A workout in the notation of `rowgatectl workout`.
    package static let workout = TextCheck(example: "\"4x500m/1:00r@1:50-1:55\"") {
        text throws(ConfigurationFault) in
        do throws(WorkoutNotationError) { _ = try WorkoutRequest(parsing: text) } catch {
            throw ConfigurationFault(
                "\(text.tomlText) "
                    + (error.reason.map { "has a mistake: \($0)" } ?? "is not a valid workout"),
                suggestion: error.reason == nil
                    ? "write it as rowgatectl workout --help shows: 4x500m/1:00r@1:50-1:55" : nil)
        }
    }

    /// An absolute path, or the bare name of a systemd credential.
    package static let credentialFile = TextCheck(example: "\"mqtt-password\"") {
        text throws(ConfigurationFault) in
        try requirePrintable(text)
        guard text.hasPrefix("/") || !text.contains("/") else {
            throw ConfigurationFault(
                "\(text.tomlText) is neither an absolute path nor the name of a credential",
                suggestion: "begin it with /, or name a LoadCredential= of the unit")
        }
    }

    /// A Bluetooth adapter: its address, or its kernel name.
    package static let bluetoothAdapter = TextCheck(example: "\"hci1\"") {
        text throws(ConfigurationFault) in
        let digits = text.dropFirst(3)
        let isName =
            text.hasPrefix("hci") && (1...3).contains(digits.utf8.count)
            && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if !isName { try bluetoothAddress.verify(text) }
    }

    /// A Bluetooth device address.
    package static let bluetoothAddress = TextCheck(example: "\"B8:27:EB:01:02:03\"") {
        text throws(ConfigurationFault) in
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let isAddress =
            parts.count == 6
            && parts.allSatisfy { $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }
        guard isAddress else {
            throw ConfigurationFault(
                "\(text.tomlText) is not a Bluetooth address",
                suggestion: text.hasPrefix("hci")
                    ? "name it by the address that `bluetoothctl list` shows; hci numbers change"
                    : "write six pairs of hex digits: \"B8:27:EB:01:02:03\"")
        }
    }

    static func oneOf(_ names: [String]) -> TextCheck {
        let list = names.map(\.tomlText).joined(separator: ", ")
        return TextCheck(example: (names.first ?? "").tomlText) { text throws(ConfigurationFault) in
            guard !names.contains(text) else { return }
            let near = Spelling.nearest(to: text, among: names)
            throw ConfigurationFault(
                "\(text.tomlText) is not one of \(list)",
                suggestion: near.map { "did you mean \($0.tomlText)?" })
        }
    }

    private static func requirePrintable(_ text: String) throws(ConfigurationFault) {
        if text.isEmpty { throw ConfigurationFault("is empty") }
        if text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            throw ConfigurationFault("\(text.tomlText) contains a control character")
        }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
