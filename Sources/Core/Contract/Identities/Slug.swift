import Bytes

/// The rule for names of gateways, ergs and crews, which are levels of topics.
package enum Slug {
    package static let maximumLength = 32

    /// Whether a text is a slug: `[a-z0-9-]{1,32}`.
    package static func isValid(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...maximumLength).contains(bytes.count)
            && bytes.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || byte == UInt8(ascii: "-")
            }
    }

    /// A slug from the first label of a host name. Other characters become `-`; an empty label becomes
    /// "rowgate".
    package static func of(hostName: String) -> String {
        let label = hostName.lowercased().prefix { $0 != "." }
        let bytes = label.utf8.map { byte in
            isValid(String(decoding: [byte], as: UTF8.self)) ? byte : UInt8(ascii: "-")
        }
        let slug = String(decoding: bytes.prefix(maximumLength), as: UTF8.self)
        return slug.isEmpty ? "rowgate" : slug
    }
}

/// An identity that is a slug.
package protocol SlugIdentity: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// One level of a topic.
    var slug: String { get }

    /// - Parameter slug: a valid slug; not checked.
    init(valid slug: String)
}

extension SlugIdentity {
    /// Returns nil unless `slug` is valid.
    package init?(_ slug: String) {
        guard Slug.isValid(slug) else { return nil }
        self.init(valid: slug)
    }

    package var description: String { slug }

    package static func < (left: Self, right: Self) -> Bool { left.slug < right.slug }
}

/// The slug that names a gateway in topics.
package struct GatewayID: SlugIdentity {
    package let slug: String

    package init(valid slug: String) { self.slug = slug }
}

/// The slug that names a logbook in topics.
package struct LogbookID: SlugIdentity {
    package let slug: String

    package init(valid slug: String) { self.slug = slug }
}

/// An erg in the room: the configured slug, which is part of topics.
///
/// It stays the same when the monitor is replaced.
package struct StationID: SlugIdentity {
    package let slug: String

    package init(valid slug: String) { self.slug = slug }
}

extension ByteCoder {
    /// Codes the slug; an empty text for nil.
    package mutating func station(_ station: inout StationID?) {
        var slug = station?.slug ?? ""
        slug.code(with: &self)
        station = StationID(slug)
        if station == nil, !slug.isEmpty { refuse() }
    }
}

/// The slug that names a crew in topics.
package struct CrewID: SlugIdentity {
    /// Maximum number of ergs in a crew: all ergs of a gateway.
    package static let maximumMembers = 8

    package let slug: String

    package init(valid slug: String) { self.slug = slug }
}

/// The rule for athlete ids, which are opaque texts.
///
/// Ids occur in URLs (percent-encoded), in stored JSON (searched by bytes), and in lists that people
/// type. So an id has no `/`, `,` or `;`, no character that JSON escapes, and is not a dot segment.
package enum AthleteID {
    package static let maximumLength = 64

    /// The rule as the end of a sentence.
    package static let rule =
        "1 to 64 visible ASCII characters without \" , / ; \\, and neither . nor .."

    /// Whether a text is an athlete id: form `athlete` of `config/schema/contract.toml`.
    package static func isValid(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (1...maximumLength).contains(bytes.count), text != ".", text != ".." else {
            return false
        }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "/"), UInt8(ascii: ";"),
                UInt8(ascii: "\\"):
                false
            default: (0x21...0x7E).contains(byte)
            }
        }
    }
}

/// The target of a command.
package enum CommandTarget: Hashable, Sendable {
    case gateway
    case station(StationID)
    /// All ergs of the room: `erg/all`. Gives one reply per erg.
    case everyStation
}

/// The ergs that a gateway may have: the configured ones, and with `discovery = "any"` any monitor that
/// it finds.
package struct GatewayErgs: Equatable, Sendable {
    /// Which monitors a gateway connects to.
    package enum Discovery: String, Sendable {
        /// The configured ones only.
        case listed
        /// Any monitor in range. A monitor without `[[erg]]` gets a name from its serial number.
        case any
    }

    /// The configured ergs.
    package var stations: Set<StationID>
    package var discovery: Discovery
    /// Serial numbers of monitors that have a configured erg.
    private var serials: Set<String>

    /// - Parameter serials: serial numbers of the monitors of `stations`.
    package init(
        _ stations: some Sequence<StationID>, discovery: Discovery = .listed,
        serials: some Sequence<String> = []
    ) {
        self.stations = Set(stations)
        self.discovery = discovery
        self.serials = Set(serials)
    }

    /// Whether an erg may exist.
    package func contains(_ station: StationID) -> Bool {
        if stations.contains(station) { return true }
        guard discovery == .any, let serial = station.monitorSerial else { return false }
        return !serials.contains(serial)
    }
}

extension StationID {
    private static let unnamed = "pm5-"

    /// Returns the erg for a monitor that is not configured.
    package static func ofMonitor(_ serial: String) -> StationID? {
        StationID(unnamed + serial)
    }

    /// Serial number of such an erg's monitor, nine digits; nil for any other erg.
    package var monitorSerial: String? {
        let serial = slug.dropFirst(Self.unnamed.count)
        let isSerial = serial.utf8.count == 9 && serial.allSatisfy(\.isNumber)
        return slug.hasPrefix(Self.unnamed) && isSerial ? String(serial) : nil
    }
}
