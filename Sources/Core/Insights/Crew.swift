import Contract

/// A named set of ergs.
package struct Crew: Equatable, Sendable {
    /// Of one gateway, by configuration and command together.
    package static let mostCrews = 8

    package let id: CrewID
    /// Each once, in the order in which they were named.
    package let ergs: [StationID]

    /// nil without an erg, and with more than there can be.
    package init?(_ id: CrewID, _ ergs: [StationID]) {
        guard (1...CrewID.mostMembers).contains(ergs.count), Set(ergs).count == ergs.count else {
            return nil
        }
        self.id = id
        self.ergs = ergs
    }
}
