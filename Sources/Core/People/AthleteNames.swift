/// The names of athletes in output for people.
package struct AthleteNames: Sendable {
    private let names: [String: String]

    package init(_ profiles: [AthleteProfile] = []) {
        let namesakes = Dictionary(grouping: profiles) { AthleteNaming.folded($0.name) }
        names = Dictionary(
            profiles.map { profile in
                let isOnly = namesakes[AthleteNaming.folded(profile.name)]?.count == 1
                return (profile.id, isOnly ? profile.name : "\(profile.name) (\(profile.id))")
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The name of an athlete; nil without a profile.
    package func known(_ id: String) -> String? { names[id] }

    /// The name of an athlete, with the id if others have the same name; the id of an athlete without a profile.
    package subscript(id: String) -> String { names[id] ?? id }
}
