import Testing

@testable import People

/// Profiles of two ids that are one person.
@Suite struct ProfileMergeTests {
    private func profile(
        _ id: String, _ name: String, _ change: (inout AthleteProfile) -> Void = { _ in }
    ) throws -> AthleteProfile {
        var profile = try AthleteProfile(id: id, name: name)
        change(&profile)
        return profile
    }

    private func merged(_ kept: AthleteProfile?, _ other: AthleteProfile?) throws -> AthleteProfile? {
        try ProfileMerge.merged(kept, id: "a", with: other)
    }

    @Test func takesOnlyMissingDetails() throws {
        let kept = try profile("a", "Anna Meier") { ($0.birthYear, $0.weight) = (2006, 571) }
        let other = try profile("b", "Anna Meyer") {
            ($0.birthYear, $0.gender, $0.power2k, $0.power6k) = (2007, .female, 210, 190)
            ($0.shortName, $0.weightClass, $0.beltID) = ("Meyer", .lightweight, "H10")
        }
        let merged = try #require(try merged(kept, other))
        #expect(merged.id == "a" && merged.name == "Anna Meier" && merged.shortName == nil)
        #expect(merged.birthYear == 2006 && merged.weight == 571)
        #expect(merged.gender == .female && merged.power2k == 210 && merged.power6k == 190)
        #expect(merged.weightClass == .lightweight && merged.beltID == "H10")
        #expect(
            ProfileMerge.changedFields(kept, merged) == [.gender, .weightClass, .power2k, .power6k, .beltID])
        #expect(
            try ProfileMerge.restored(merged, former: kept, merged: merged, without: other) == kept)
    }

    @Test func keepsBothNotes() throws {
        let kept = try profile("a", "A") { $0.note = "shy" }
        let other = try profile("b", "B") { $0.note = "left knee\ncalls at eight" }
        #expect(try merged(kept, other)?.note == "shy\nleft knee\ncalls at eight")
        #expect(try merged(profile("a", "A"), other)?.note == other.note)
        #expect(try merged(kept, profile("b", "B") { $0.note = "shy" })?.note == "shy")
        let long = try profile("b", "B") { $0.note = String(repeating: "x", count: 297) }
        let fault = #expect(throws: PeopleFault.self) { try merged(kept, long) }
        #expect(
            fault.map { "\($0)" }
                == "note: both notes have 301 characters together; a note has at most 300; shorten one of them first"
        )
        let fits = try profile("b", "B") { $0.note = String(repeating: "x", count: 296) }
        #expect(try merged(kept, fits)?.note?.count == 300)
    }

    @Test func activePersonIsNotArchived() throws {
        let archived = try profile("a", "A") { $0.isArchived = true }
        #expect(try merged(archived, profile("b", "B"))?.isArchived == false)
        #expect(try merged(archived, profile("b", "B") { $0.isArchived = true })?.isArchived == true)
        #expect(try merged(archived, nil)?.isArchived == true)
        #expect(
            try merged(profile("a", "A"), profile("b", "B") { $0.isArchived = true })?.isArchived == false)
    }

    @Test func athleteWithoutProfileTakesTheOther() throws {
        let other = try profile("b", "Anna") {
            ($0.shortName, $0.birthYear, $0.isArchived) = ("An", 2006, true)
        }
        let merged = try #require(try merged(nil, other))
        #expect(merged.id == "a" && merged.shortName == "An" && merged.birthYear == 2006 && merged.isArchived)
        func restored(_ current: AthleteProfile?) throws -> AthleteProfile? {
            try ProfileMerge.restored(current, former: nil, merged: merged, without: other)
        }
        #expect(try restored(merged) == nil && restored(nil) == nil)
        // A coach has added a weight since: the profile and its name stay.
        var changed = merged
        changed.weight = 600
        let kept = try #require(try restored(changed))
        #expect(kept.name == "Anna" && kept.weight == 600 && kept.birthYear == nil && !kept.isArchived)
        #expect(try self.merged(nil, nil) == nil)
    }

    @Test func undoKeepsWhatPeopleChanged() throws {
        let kept = try profile("a", "A") { $0.note = "shy" }
        let other = try profile("b", "B") { ($0.birthYear, $0.gender, $0.note) = (2006, .male, "knee") }
        let merged = try #require(try merged(kept, other))
        var current = try AthleteProfile(id: "a") { $0 == .name ? "Anna" : merged[$0] }
        (current.birthYear, current.note) = (2005, "shy\nknee\nwins sprints")
        let restored = try #require(
            try ProfileMerge.restored(current, former: kept, merged: merged, without: other))
        #expect(restored.name == "Anna" && restored.birthYear == 2005 && restored.gender == nil)
        #expect(restored.note == "shy\nwins sprints")
        current.note = "rewritten"
        #expect(
            try ProfileMerge.restored(current, former: kept, merged: merged, without: other)?.note
                == "rewritten")
    }

    @Test func twoMergesAreUndoneInAnyOrder() throws {
        let kept = try profile("a", "A") { $0.note = "a" }
        let first = try profile("b", "B") { ($0.note, $0.birthYear) = ("b", 2006) }
        let second = try profile("c", "C") { ($0.note, $0.gender) = ("c", .other) }
        let one = try #require(try merged(kept, first))
        let both = try #require(try merged(one, second))
        let withoutFirst = try ProfileMerge.restored(both, former: kept, merged: one, without: first)
        #expect(
            withoutFirst?.note == "a\nc" && withoutFirst?.birthYear == nil && withoutFirst?.gender == .other)
        #expect(
            try ProfileMerge.restored(withoutFirst, former: one, merged: both, without: second) == kept)
        let withoutSecond = try ProfileMerge.restored(both, former: one, merged: both, without: second)
        #expect(withoutSecond == one)
    }

    @Test func namesOfMergedIDs() throws {
        let names = AthleteNames([try profile("a", "Anna")], merged: ["b": "a", "c": "x"])
        #expect(names["b"] == "Anna" && names["c"] == "c" && names.known("c") == nil)
    }
}
