import Bests
import Bytes
import Timeline
import Training

/// What is suggested to somebody, and what became of what was.
///
/// A function of a set of sessions, of what people have said, and of the moment: nothing is remembered
/// from before. So a season gives the same suggestions in whatever order it came, and a session that was
/// corrected or erased takes back what rested on it.
package struct AthleteSuggestions: Equatable, Sendable {
    package typealias State = SuggestionState

    /// A suggestion, and how it stands.
    package struct Standing: Equatable, Sendable {
        package let id: String
        package let rule: SuggestionRule
        package let target: String
        package let machine: MachineKind
        package let workout: SuggestedWorkout
        package let confidence: Confidence
        /// Unix milliseconds.
        package let madeAt: Int64
        package let expiresAt: Int64
        /// Sessions that it rests on.
        package let evidence: [SuggestionEvidence]
        package let state: State
        /// nil of what nobody has said anything of.
        package let word: SuggestionWord?
        package let outcome: SuggestionOutcome?
        /// The suggestion as JSON, as it is or was offered.
        package let body: [UInt8]
    }

    /// Days in which there is one suggestion that asks for more.
    static let progressionDays: Int64 = 7
    /// Past ones that are told: the newest.
    package static let mostPast = 20

    /// In order of what to look at first: accepted, offered by the order of rules, snoozed.
    package let open: [Standing]
    /// What is over, the newest word first.
    package let past: [Standing]

    /// - Parameters:
    ///   - pieces: all of somebody's, on all machines.
    ///   - words: what was said of their suggestions, of each the last.
    ///   - now: Unix milliseconds.
    ///   - calendar: of the club, by which weeks are counted.
    package init(
        _ pieces: [PieceTraining], _ words: [SuggestionWord], now: Int64, in calendar: ClubCalendar
    ) {
        let known = words.filter { $0.at <= now }.sorted { ($0.at, $0.id) < ($1.at, $1.id) }
        let said = known.map { word in Standing(word, pieces, now: now) }
        let machines = Set(pieces.map(\.figures.machine)).sorted()
        var offers: [Suggestion] = []
        for machine in machines {
            let past = AthletePast(pieces, on: machine, words: known, now: now, in: calendar)
            offers += Self.allowed(Self.rules(past), besides: offers, said, past)
        }
        let fresh = offers.map(Standing.init)
        let isFresh = Set(fresh.map(\.id))
        let standing = said.filter { $0.state.isOpen && !isFresh.contains($0.id) }
        open =
            (standing.filter { $0.state == .accepted } + fresh)
            + standing.filter { $0.state == .snoozed }
        past = Array(said.reversed().filter { !$0.state.isOpen }.prefix(Self.mostPast))
    }

    /// What can still come of it, by its id.
    package func standing(_ id: String) -> Standing? { open.first { $0.id == id } }

    /// How one stands or ended, by its id.
    package func known(_ id: String) -> Standing? {
        standing(id) ?? past.first { $0.id == id }
    }

    /// What each rule says, in their order, whatever was said before.
    static func rules(_ past: AthletePast) -> [Suggestion] {
        let back = ReturnAfterBreak.suggestions(past)
        let light = DeloadWeek.suggestions(past)
        // Who comes back, or has earned a light week, is asked for no more, and for no test.
        if !back.isEmpty || !light.isEmpty { return back + light }
        return MorePower.suggestions(past) + MoreVolume.suggestions(past)
            + RankedTest.suggestions(past) + EvenPacing.suggestions(past)
    }

    /// Of what rules say, what the limits let through.
    private static func allowed(
        _ found: [Suggestion], besides others: [Suggestion], _ said: [Standing],
        _ past: AthletePast
    ) -> [Suggestion] {
        let week = past.now - progressionDays * AthletePast.day
        var hasProgression =
            others.contains { $0.rule.isProgression }
            || said.contains { standing in
                guard standing.rule.isProgression, let word = standing.word else { return false }
                return standing.state == .accepted
                    || word.said == .accepted && word.at > week && standing.state != .withdrawn
                    || standing.state == .snoozed
            }
        var allowed: [Suggestion] = []
        for suggestion in found {
            guard past.now < suggestion.expiresAt, !isAnswered(suggestion, said, past) else {
                continue
            }
            if suggestion.rule.isProgression {
                if hasProgression { continue }
                hasProgression = true
            }
            allowed.append(suggestion)
        }
        return allowed
    }

    /// Whether somebody has said something that holds of this one, or of another of its rule and target.
    private static func isAnswered(
        _ suggestion: Suggestion, _ said: [Standing], _ past: AthletePast
    ) -> Bool {
        let silence = past.now - SuggestionWord.silenceDays * AthletePast.day
        return said.contains { standing in
            guard let word = standing.word, standing.machine == suggestion.machine,
                standing.rule == suggestion.rule, standing.target == suggestion.target
            else { return false }
            if standing.state.isOpen { return true }
            if word.said == .dismissed, word.at > silence { return true }
            // What was answered is not asked again, but for what was put off.
            return word.id == suggestion.id && word.said != .snoozed
        }
    }

    /// Its members, in an object that is open.
    package func write(into json: inout JSONWriter) {
        json.list("open", of: open) { json, one in one.write(into: &json) }
        json.list("past", of: past) { json, one in one.write(into: &json) }
    }
}

extension AthleteSuggestions.Standing {
    fileprivate init(_ suggestion: Suggestion) {
        (id, rule, target) = (suggestion.id, suggestion.rule, suggestion.target)
        (machine, workout) = (suggestion.machine, suggestion.workout)
        (confidence, evidence) = (suggestion.confidence, suggestion.evidence)
        (madeAt, expiresAt) = (suggestion.madeAt, suggestion.expiresAt)
        (state, word, outcome) = (.offered, nil, nil)
        body = JSONWriter.object(suggestion.write)
    }

    /// What somebody has said, and what came of it until now.
    fileprivate init(_ word: SuggestionWord, _ pieces: [PieceTraining], now: Int64) {
        (id, rule, target) = (word.id, word.rule, word.target)
        (machine, workout, body, self.word) = (word.machine, word.workout, word.body, word)
        (confidence, evidence) = (word.confidence, word.evidence)
        (madeAt, expiresAt) = (word.madeAt, word.expiresAt)
        outcome = SuggestionOutcome.of(
            word, in: pieces.sorted { $0.figures.startedAt < $1.figures.startedAt })
        state =
            switch word.said {
            case .snoozed: now < word.until ?? 0 ? .snoozed : .expired
            case .accepted where outcome != nil: .done
            case .accepted where !word.stands(on: pieces): .withdrawn
            case .accepted: now < word.ends ? .accepted : .expired
            default: word.said
            }
    }

    /// Its members, in an object that is open.
    package func write(into json: inout JSONWriter) {
        json.field("id", id)
        json.field("state", state.rawValue)
        json.field("said_ms", word?.at)
        json.field("by", word?.by)
        json.field("until_ms", state == .snoozed ? word?.until : nil)
        json.field("why", word?.why)
        json.field("set_ms", word?.setAt)
        if let outcome { json.object("outcome") { outcome.write(into: &$0) } }
        json.key("suggestion")
        json.value(json: body)
    }
}
