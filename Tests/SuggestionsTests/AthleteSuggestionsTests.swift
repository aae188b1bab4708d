import Bests
import TestSupport
import Testing
import Training

@testable import Suggestions

/// Combined suggestions, responses to them, and their outcomes.
@Suite struct AthleteSuggestionsTests {
    /// Several rules apply: the athlete has many sessions on two machines.
    private static func busy(strength: Double = 1, later: Int64 = 0) -> SyntheticAthlete {
        var athlete = SyntheticAthlete()
        (athlete.strength, athlete.later) = (strength, later)
        athlete.ranked(2000, daysAgo: 200, pace: 110)
        for (metres, days, pace) in [(500, 80.0, 100.0), (1000, 70, 105), (5000, 60, 117)] {
            athlete.ranked(metres, daysAgo: days, pace: pace, slower: 3)
        }
        athlete.ranked(1000, daysAgo: 20, pace: 106, slower: 3)
        for week in 0..<9 {
            let days = Double(58 - week * 7)
            athlete.intervals(daysAgo: days, watts: 250)
            athlete.steady(daysAgo: days - 1, minutes: 40, watts: 150)
            athlete.intervals(daysAgo: days - 2, watts: 252, machine: .ski)
        }
        return athlete
    }

    @Test func doesNotDependOnTheOrder() {
        var athlete = Self.busy()
        #expect(athlete.rules().count >= 3)
        for suggestion in athlete.suggestions().open.prefix(2) {
            athlete.respond(.snoozed, suggestion, untilDays: 4)
        }
        let json = athlete.json()
        var generator = SeededGenerator(seed: 20)
        for _ in 0..<8 {
            athlete.pieces.shuffle(using: &generator)
            athlete.responses.shuffle(using: &generator)
            #expect(athlete.json() == json)
        }
    }

    @Test func changesOnlyDatesAYearLater() {
        func undated(_ text: String) -> String {
            text.replacing(/"(made|expires)_ms":\d+/, with: "")
        }
        let (json, later) = (Self.busy().json(), Self.busy(later: 364).json())
        #expect(json != later && undated(json) == undated(later))
    }

    @Test func scalesOnlyWattsWithStrength() {
        let pairs = zip(
            Self.busy().suggestions().open, Self.busy(strength: 1.728).suggestions().open)
        for (one, other) in pairs {
            #expect(one.id == other.id && one.target == other.target)
            guard let low = one.workout.watts, let high = other.workout.watts else { continue }
            let ratio = Double(high.lowerBound) / Double(low.lowerBound)
            #expect(abs(ratio / 1.728 - 1) < 0.04, "\(one.id) \(low) \(high)")
        }
        #expect(Self.busy().rules() == Self.busy(strength: 1.728).rules())
    }

    @Test func withdrawsSuggestionsOfErasedOrChangedSessions() throws {
        // Erases each session of an accepted suggestion in turn; then corrects one.
        var athlete = SyntheticAthlete.repeating()
        let found = try #require(athlete.open(.morePower))
        athlete.respond(.accepted, found)
        #expect(athlete.suggestions().open.map(\.state) == [.accepted])
        for index in athlete.pieces.indices {
            var less = athlete
            less.pieces.remove(at: index)
            let current = less.suggestions()
            #expect(!current.open.contains { $0.id == found.id && $0.state == .accepted })
            #expect(current.past.map(\.state) == [.withdrawn])
        }
        var corrected = athlete
        let moved = corrected.pieces.removeFirst()
        corrected.intervals(daysAgo: 25, watts: 150)
        #expect(corrected.suggestions().past.map(\.state) == [.withdrawn])
        corrected.pieces.removeLast()
        corrected.pieces.append(moved)
        #expect(corrected.suggestions().open.map(\.state) == [.accepted])
    }

    // MARK: Limits

    @Test func offersOneProgressionAWeek() throws {
        var athlete = SyntheticAthlete.repeating()
        for days in [21.0, 15, 9, 3] { athlete.steady(daysAgo: days, minutes: 30, watts: 150) }
        #expect(athlete.rules().filter(\.isProgression).count == 1)
        let found = try #require(athlete.open(.morePower))
        athlete.respond(.accepted, found, daysAgo: 0.9)
        #expect(athlete.rules() == [.morePower] && athlete.open(.morePower)?.state == .accepted)
        athlete.intervals(daysAgo: 0, watts: 203)
        #expect(athlete.suggestions().past.map(\.state) == [.done])
        #expect(athlete.rules(inDays: 1).filter(\.isProgression) == [])
        #expect(athlete.rules(inDays: 7).filter(\.isProgression) == [.morePower])
    }

    @Test func offersOneSuggestionForEachRuleAndTarget() throws {
        // Afterwards, a new session would yield a suggestion with another id.
        for answer in AthleteSuggestions.State.answers {
            var athlete = SyntheticAthlete.repeating()
            let found = try #require(athlete.open(.morePower))
            athlete.respond(answer, found, daysAgo: 0.5, untilDays: answer == .snoozed ? 3 : nil)
            athlete.responses = athlete.responses.map { response in
                var response = response
                response.setAt = nil
                return response
            }
            // Rowed before the response, but stored only now.
            athlete.intervals(daysAgo: 0.6, watts: 201)
            let open = athlete.suggestions().open
            #expect(open.filter { $0.rule == .morePower }.count == (answer == .dismissed ? 0 : 1))
            #expect(open.allSatisfy { $0.id == found.id }, "\(answer)")
        }
    }

    @Test func isOfferedFourWeeksAfterADismissal() throws {
        var athlete = SyntheticAthlete.repeating()
        athlete.respond(.dismissed, try #require(athlete.open(.morePower)))
        #expect(athlete.rules() == [] && athlete.suggestions().past.map(\.state) == [.dismissed])
        athlete.later = 30
        for days in [26.0, 20, 14, 8] { athlete.intervals(daysAgo: days, watts: 200) }
        #expect(athlete.rules() == [.morePower])
        #expect(athlete.suggestions().past.map(\.state) == [.dismissed])
    }

    @Test func isOfferedAfterASnooze() throws {
        var athlete = SyntheticAthlete.repeating()
        let found = try #require(athlete.open(.morePower))
        athlete.respond(.snoozed, found, untilDays: 2)
        #expect(athlete.suggestions().open.map(\.state) == [.snoozed])
        #expect(athlete.suggestions(inDays: 1.9).open.map(\.state) == [.snoozed])
        let later = athlete.suggestions(inDays: 2.1)
        #expect(later.open.map(\.state) == [.offered] && later.open.map(\.id) == [found.id])
    }

    @Test func expiresWithoutResponseOrSession() throws {
        var athlete = SyntheticAthlete.repeating()
        #expect(athlete.rules(inDays: 14.5) == [.returnAfterBreak])
        athlete.respond(.accepted, try #require(athlete.open(.morePower)))
        #expect(athlete.suggestions(inDays: 12).open.map(\.state) == [.accepted])
        #expect(athlete.suggestions(inDays: 15).past.map(\.state) == [.expired])
    }

    @Test func offersNothingAfterAMissedTarget() throws {
        for (watts, comes) in [(203.0, true), (180, false)] {
            var athlete = SyntheticAthlete.repeating()
            athlete.respond(.accepted, try #require(athlete.open(.morePower)))
            athlete.later = 8
            athlete.intervals(daysAgo: 6, watts: watts)
            athlete.intervals(daysAgo: 0, watts: 200)
            #expect(athlete.rules().contains(.morePower) == comes, "\(watts)")
        }
    }

    @Test func lowersConfidenceForFewOldOrSpreadResults() {
        #expect(Confidence(count: 5, ageDays: 1, spreadPercent: 2) == .high)
        #expect(Confidence(count: 4, ageDays: 1, spreadPercent: 2) == .medium)
        #expect(Confidence(count: 2, ageDays: 1, spreadPercent: 2) == .low)
        #expect(Confidence(count: 5, ageDays: 11, spreadPercent: 2) == .medium)
        #expect(Confidence(count: 5, ageDays: 22, spreadPercent: 2) == .low)
        #expect(Confidence(count: 5, ageDays: 1, spreadPercent: 7) == .medium)
        #expect(Confidence(count: 5, ageDays: 1, spreadPercent: 13) == .low)
        let athlete = SyntheticAthlete.repeating()
        #expect(athlete.json().contains(#""confidence":"high""#))
        #expect(athlete.json(inDays: 11).contains(#""confidence":"medium""#))
    }

    // MARK: Outcomes

    @Test(arguments: [
        (4, 203.0, SuggestionOutcome.Verdict.met), (4, 195, .met), (4, 186, .below),
        (4, 225, .above), (3, 203, .incomplete),
    ])
    func judgesTheOutcomeFromTheSession(
        _ count: Int, _ watts: Double, _ verdict: SuggestionOutcome.Verdict
    ) throws {
        // The target is 195 to 211 W. A session with another workout, and one on another machine, come
        // first.
        var athlete = SyntheticAthlete.repeating()
        athlete.respond(.accepted, try #require(athlete.open(.morePower)), daysAgo: 0.9)
        athlete.steady(daysAgo: 0.5, minutes: 30, watts: 150)
        athlete.intervals(daysAgo: 0.4, watts: 203, machine: .ski)
        #expect(athlete.open(.morePower)?.state == .accepted)
        athlete.intervals(daysAgo: 0, count, watts: watts)
        let done = try #require(athlete.suggestions().past.first)
        #expect(done.state == .done && done.outcome?.verdict == verdict)
        #expect(done.outcome?.session == SyntheticAthlete.name(athlete.pieces.count))
        if verdict == .below { #expect(abs((done.outcome?.percent ?? 0) + 4.6) < 0.1) }
        // If the session is erased, the suggestion is open again.
        athlete.pieces.removeLast()
        #expect(athlete.open(.morePower)?.state == .accepted)
    }

    @Test func refusesInvalidStoredResponses() throws {
        let body = try #require(SyntheticAthlete.repeating().open(.morePower)).body
        #expect(SuggestionResponse(body, .accepted, at: 0) != nil)
        #expect(SuggestionResponse(Array(body.dropLast()), .accepted, at: 0) == nil)
        let text = String(decoding: body, as: UTF8.self)
        for (old, new) in [
            (#""rule":"more_power""#, #""rule":"more""#),
            (#""machine":"rower""#, #""machine":"x""#),
            ("@195-211w", "@195-211x"), (#""time_s":"#, #""time_x":"#),
        ] {
            let other = text.replacing(old, with: new)
            #expect(other != text)
            #expect(SuggestionResponse(Array(other.utf8), .accepted, at: 0) == nil, "\(new)")
        }
        #expect(AthleteSuggestions([], [], now: 0, in: .utc).open.isEmpty)
    }
}
