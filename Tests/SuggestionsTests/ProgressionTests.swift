import Bests
import Testing
import Training

@testable import Suggestions

/// Rules that suggest more work: `more_power` and `more_volume`.
@Suite struct ProgressionTests {
    @Test func suggestsSlightlyMorePowerForARepeatedWorkout() throws {
        let athlete = SyntheticAthlete.repeating()
        let found = try #require(athlete.open(.morePower))
        #expect(found.target == "4x500m/1:00r" && found.state == .offered)
        let band = try #require(found.workout.watts)
        let middle = Double(band.lowerBound + band.upperBound) / 2
        #expect((1.01...1.02).contains(middle / 200), "\(band)")
        #expect(found.workout.notation == "4x500m/1:00r@195-211w")
        let json = athlete.json()
        #expect(json.contains(#""finding":"rowed_often","kind":"computed","times":5,"days":42"#))
        #expect(json.contains(#""finding":"held_power","kind":"computed","power_w":200.0"#))
        #expect(json.contains(#""confidence":"high""#))
        #expect(json.contains(#""target_power_min_w":195"#) && json.contains(#""repeat":4"#))
        for number in 1...5 { #expect(json.contains(SyntheticAthlete.name(number).session)) }
    }

    @Test func ignoresOneHardSession() throws {
        let usual = try #require(SyntheticAthlete.repeating().open(.morePower))
        let hard = SyntheticAthlete.repeating([198, 201, 200, 199, 215])
        #expect(hard.open(.morePower)?.workout == usual.workout)
        // Two hard sessions do count.
        let twice = SyntheticAthlete.repeating([198, 201, 205, 210, 215])
        #expect(twice.open(.morePower)?.workout != usual.workout)
    }

    @Test(arguments: [
        "too few", "old", "break", "faded", "off target", "left early", "drift", "uneven",
        "too short",
    ])
    func suggestsNoMorePower(_ why: String) {
        var athlete = SyntheticAthlete.repeating()
        #expect(athlete.open(.morePower) != nil)
        switch why {
        case "too few": athlete = .repeating([200, 201])
        case "old": #expect(athlete.rules(inDays: 12).contains(.morePower))
        case "break": athlete.pieces.removeAll { (2...4).contains(number($0)) }
        case "faded": athlete.intervals(daysAgo: 0, watts: 205, fade: 1.1)
        case "off target": athlete.intervals(daysAgo: 0, watts: 200, inTarget: 590)
        case "left early": athlete.intervals(daysAgo: 0, 3, watts: 200)
        case "drift": athlete.steady(daysAgo: 0, minutes: 30, watts: 130, drift: 12)
        case "uneven": athlete = .repeating([160, 210, 170, 240, 200])
        default:
            athlete = SyntheticAthlete()
            for days in [13.0, 9, 5, 1] {
                athlete.steady(daysAgo: days, minutes: 10, watts: 200)
            }
        }
        let days = why == "old" ? 13.8 : 0
        #expect(!athlete.rules(inDays: days).contains(.morePower), "\(why)")
    }

    private func number(_ piece: PieceTraining) -> Int { Int(piece.name.session.suffix(4))! }

    @Test func acceptsResultsJustWithinTheLimits() {
        var athlete = SyntheticAthlete.repeating()
        athlete.intervals(daysAgo: 0, watts: 205, fade: 1.04, inTarget: 610)
        athlete.steady(daysAgo: 0, minutes: 30, watts: 130, drift: 8)
        #expect(athlete.open(.morePower) != nil)
        #expect(
            athlete.json().contains(#""finding":"target_met","kind":"computed","percent":61.0"#))
    }

    @Test func suggestsMorePowerForSteadyPieces() {
        var athlete = SyntheticAthlete()
        for days in [20.0, 14, 8, 2] { athlete.steady(daysAgo: days, minutes: 30, watts: 150) }
        #expect(athlete.open(.morePower)?.workout.notation == "30:00@146-158w")
    }

    // MARK: Volume

    /// Two easy pieces of 40 minutes and two hard ones of 30 per week: 140 minutes.
    private static let level: [(minutes: Int, watts: Double)] =
        [(40, 240), (30, 330), (40, 250), (30, 340)]

    @Test func suggestsALongerEasyPiece() throws {
        let athlete = SyntheticAthlete.weeks([Self.level, Self.level, Self.level, Self.level])
        #expect(athlete.rules().filter(\.isProgression) == [.moreVolume])
        let past = SessionHistory(athlete.pieces, on: .rower, responses: [], now: athlete.now, in: .utc)
        let found = try #require(MoreVolume.suggestions(past).first)
        #expect(found.workout.notation == "51:00@220-259w")
        let added = (51.0 - 40) / 140 * 100
        #expect(MoreVolume.growth.contains(added))
        #expect(found.confidence == .high && found.evidence.count == 16)
    }

    @Test(arguments: [20.0, 45, 60, 77, 140, 200, 600])
    func limitsGrowth(minutes week: Double) {
        // Short weeks have no whole minute that is small enough.
        if let more = MoreVolume.minutes(toAddTo: week * 60) {
            #expect((5...10).contains(Double(more) / week * 100))
        } else {
            #expect(week < 20)
        }
        #expect(MoreVolume.minutes(toAddTo: 5 * 60) == nil)
    }

    @Test(arguments: [
        "growing", "one session", "mostly easy", "no zones", "break", "no easy piece",
    ])
    func suggestsNoMoreVolume(_ why: String) {
        let week = Self.level
        var athlete = SyntheticAthlete.weeks([week, week, week, week])
        switch why {
        case "growing":
            let longer = week.map { (minutes: $0.minutes * 2, watts: $0.watts) }
            athlete = .weeks([week, week, week, longer])
        case "one session": athlete = .weeks([week, week, [(140, 240)], week])
        case "mostly easy":
            let easy = week.map { (minutes: $0.minutes, watts: 230.0) }
            athlete = .weeks([easy, easy, easy, easy])
        case "no zones": athlete.pieces.removeFirst()
        case "no easy piece":
            let hard = week.map { (minutes: $0.minutes, watts: 330.0) }
            athlete = .weeks([hard, hard, hard, hard])
        default: athlete.pieces.removeAll { (6...13).contains(number($0)) }
        }
        let past = SessionHistory(athlete.pieces, on: .rower, responses: [], now: athlete.now, in: .utc)
        #expect(MoreVolume.suggestions(past).isEmpty, "\(why)")
    }
}
