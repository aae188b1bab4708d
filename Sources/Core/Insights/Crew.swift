import Contract

/// A named set of ergs.
package struct Crew: Equatable, Sendable {
    /// Maximum per gateway, configured and commanded together.
    package static let mostCrews = 8

    package let id: CrewID
    /// Each once, in the given order.
    package let ergs: [StationID]

    /// Returns nil without an erg, and with too many.
    package init?(_ id: CrewID, _ ergs: [StationID]) {
        guard (1...CrewID.maximumMembers).contains(ergs.count), Set(ergs).count == ergs.count else {
            return nil
        }
        self.id = id
        self.ergs = ergs
    }
}
