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

/// The crews of a gateway: configured ones, and those defined by commands, which replace configured
/// ones of the same name.
package struct CrewRoster: Equatable, Sendable {
    private let configured: [Crew]
    /// Crews that commands defined, in contrast to the configured ones; stored for the next process.
    package private(set) var commanded: [Crew]

    /// - Parameter commanded: crews that commands defined in the last process; if there are too many,
    ///   the first stay.
    package init(configured: [Crew], commanded: [Crew] = []) {
        self.configured = configured
        self.commanded = []
        for crew in commanded { _ = define(crew) }
    }

    /// Configured crews first, then in the order of definition.
    package var all: [Crew] {
        let replaced = configured.map { crew in commanded.first { $0.id == crew.id } ?? crew }
        return replaced
            + commanded.filter { crew in !configured.contains { $0.id == crew.id } }
    }

    /// Defines a crew, or replaces the commanded one with the same id. Returns false if there are too many.
    package mutating func define(_ crew: Crew) -> Bool {
        let isNew = !all.contains { $0.id == crew.id }
        guard !isNew || all.count < Crew.mostCrews else { return false }
        if let index = commanded.firstIndex(where: { $0.id == crew.id }) {
            commanded[index] = crew
        } else {
            commanded.append(crew)
        }
        return true
    }

    /// Removes the crew that a command defined with this id, if any. Returns the configured crew with this
    /// id, which is used from now on; nil if there is none.
    package mutating func removeCommanded(_ id: CrewID) -> Crew? {
        commanded.removeAll { $0.id == id }
        return configured.first { $0.id == id }
    }
}
