import Bytes

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
