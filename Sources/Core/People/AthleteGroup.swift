import Contract

/// A named set of athletes: juniors, a crew for the season, a course.
package struct AthleteGroup: Equatable, Sendable {
    package static let maximumNameLength = 40
    package static let maximumMembers = 512

    /// A slug.
    package let id: String
    package let name: String
    /// Athlete ids, sorted, each once.
    package let members: [String]

    package init(id: String, name: String, members: [String]) throws(PeopleFault) {
        guard Slug.isValid(id) else {
            throw PeopleFault(
                "\"\(id.prefix(40))\" is not a valid id of a group", "use 1 to 32 of a-z, 0-9 and -",
                field: "group_id")
        }
        if let wrong = members.first(where: { !AthleteID.isValid($0) }) {
            throw PeopleFault(
                "\"\(wrong.prefix(40))\" is not a valid athlete id", "use \(AthleteID.rule)",
                field: "athletes")
        }
        let sorted = Set(members).sorted()
        guard sorted.count <= Self.maximumMembers else {
            throw PeopleFault(
                "the group has \(sorted.count) athletes", "use at most \(Self.maximumMembers)",
                field: "athletes")
        }
        self.id = id
        self.name = try PeopleText.name(name, Self.maximumNameLength, field: "name")
        self.members = sorted
    }
}
