/// A one-byte enumeration of the PM5 that survives values newer firmware may add.
///
/// `Self(rawValue: n).rawValue == n` for all 256 values; unknown ones become `.unrecognized(n)`.
package protocol WireEnumeration: Hashable, Sendable, BitwiseCopyable {
    init(rawValue: UInt8)
    var rawValue: UInt8 { get }
    static func unrecognized(_ rawValue: UInt8) -> Self
}
