import Bests
import People
import Timeline

/// An age group of Concept2's records, which have 13 of them.
///
/// A profile has only the year of birth. The age is therefore the year of the session minus this year: an athlete
/// changes the group on 1 January, as in the rules of World Rowing.
package struct AgeGroup: Hashable, Comparable, Sendable {
    /// The youngest age of each group, in years.
    private static let youngest = [0, 13, 15, 17, 19, 30, 40, 50, 60, 70, 80, 90, 100]

    /// In years.
    package let from: Int
    /// In years; nil for the oldest group.
    package let to: Int?

    /// nil for an athlete who was born later.
    package init?(birthYear: Int, on day: CalendarDay) {
        let age = Int(day.year) - birthYear
        guard let index = Self.youngest.lastIndex(where: { $0 <= age }) else { return nil }
        from = Self.youngest[index]
        to = index + 1 < Self.youngest.count ? Self.youngest[index + 1] - 1 : nil
    }

    package static func < (left: Self, right: Self) -> Bool { left.from < right.from }
}

/// The category of a result in lists of results; nil where the profile of the athlete has no value.
package struct ResultCategory: Hashable, Comparable, Sendable {
    package let gender: AthleteProfile.Gender?
    /// At the time of the result.
    package let ageGroup: AgeGroup?
    package let weightClass: AthleteProfile.WeightClass?

    package init(_ profile: AthleteProfile?, on day: CalendarDay) {
        gender = profile?.gender
        ageGroup = profile?.birthYear.flatMap { AgeGroup(birthYear: $0, on: day) }
        weightClass = profile?.weightClass
    }

    package static func < (left: Self, right: Self) -> Bool { left.order < right.order }

    private var order: (String, Int, String) {
        (gender?.rawValue ?? "", ageGroup?.from ?? -1, weightClass?.rawValue ?? "")
    }
}
