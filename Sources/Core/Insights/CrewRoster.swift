import Contract

/// The crews of a gateway: those of the configuration, and those that commands named, which stand in the
/// place of configured ones of the same name.
package struct CrewRoster: Equatable, Sendable {
    private let configured: [Crew]
    /// What a process after this one has to know.
    package private(set) var commanded: [Crew]

    /// - Parameter commanded: what commands said to the last process; of more than there can be the
    ///   first stay.
    package init(configured: [Crew], commanded: [Crew] = []) {
        self.configured = configured
        self.commanded = []
        for crew in commanded { _ = name(crew) }
    }

    /// Configured ones first, then as they were named.
    package var all: [Crew] {
        let replaced = configured.map { crew in commanded.first { $0.id == crew.id } ?? crew }
        return replaced
            + commanded.filter { crew in !configured.contains { $0.id == crew.id } }
    }

    /// Names a crew, in place of one that has its name. Returns false where there are too many.
    package mutating func name(_ crew: Crew) -> Bool {
        let isNew = !all.contains { $0.id == crew.id }
        guard !isNew || all.count < Crew.mostCrews else { return false }
        if let index = commanded.firstIndex(where: { $0.id == crew.id }) {
            commanded[index] = crew
        } else {
            commanded.append(crew)
        }
        return true
    }

    /// Forgets what commands said of a crew. Returns what is left of it: what the configuration says.
    package mutating func forget(_ id: CrewID) -> Crew? {
        commanded.removeAll { $0.id == id }
        return configured.first { $0.id == id }
    }
}
