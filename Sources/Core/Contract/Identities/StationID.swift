import Bytes

/// A place in the room: the slug that a coach configures, and that topics carry.
///
/// It survives a swapped monitor; the serial number is data.
package struct StationID: SlugIdentity {
    package let slug: String

    package init(valid slug: String) { self.slug = slug }
}

extension ByteCoder {
    /// The slug of a place; an empty one for none.
    package mutating func station(_ station: inout StationID?) {
        var slug = station?.slug ?? ""
        slug.code(with: &self)
        station = StationID(slug)
        if station == nil, !slug.isEmpty { refuse() }
    }
}
