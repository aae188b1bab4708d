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

/// The target of a command.
package enum CommandTarget: Hashable, Sendable {
    case gateway
    case station(StationID)
    /// All ergs of the room: `erg/all`. Gives one reply per erg.
    case everyStation
}
