import Bests
import Bytes
import Timeline
import Training

/// The suggestions to an athlete: open ones, and the outcome of earlier ones.
///
/// The value depends only on the sessions, the responses and the moment; there is no other memory. So a
/// season yields the same suggestions in any order. If a session is corrected or erased, suggestions based
/// on it are withdrawn.
package struct AthleteSuggestions: Equatable, Sendable {
    package typealias State = SuggestionState

    /// A suggestion with its state.
    package struct Tracked: Equatable, Sendable {
        package let id: String
        package let rule: SuggestionRule
        package let target: String
        package let machine: MachineKind
        package let workout: SuggestedWorkout
        package let confidence: Confidence
        /// Unix milliseconds.
        package let madeAt: Int64
        package let expiresAt: Int64
        /// Sessions that it is based on.
        package let evidence: [SuggestionEvidence]
        package let state: State
        /// nil without a response.
        package let response: SuggestionResponse?
        package let outcome: SuggestionOutcome?
        /// The suggestion as JSON, as it is or was offered.
        package let body: [UInt8]
    }

    /// At most one suggestion for more work is offered within these days.
    static let progressionDays: Int64 = 7
    /// Maximum number of past suggestions in the list; the newest are listed.
    package static let mostPast = 20

    /// Accepted suggestions first, then offered ones in the order of the rules, then snoozed ones.
    package let open: [Tracked]
    /// Closed suggestions, newest response first.
    package let past: [Tracked]

    /// - Parameters:
    ///   - pieces: all sessions of the athlete, on all machines.
    ///   - responses: the last response to each suggestion.
    ///   - now: Unix milliseconds.
    ///   - calendar: the club's calendar, which defines weeks.
    package init(
        _ pieces: [PieceTraining], _ responses: [SuggestionResponse], now: Int64,
        in calendar: ClubCalendar
    ) {
        let known = responses.filter { $0.at <= now }.sorted { ($0.at, $0.id) < ($1.at, $1.id) }
        let answered = known.map { response in Tracked(response, pieces, now: now) }
        let machines = Set(pieces.map(\.metrics.machine)).sorted()
        var offers: [Suggestion] = []
        for machine in machines {
            let past = SessionHistory(pieces, on: machine, responses: known, now: now, in: calendar)
            offers += Self.allowed(Self.rules(past), besides: offers, answered, past)
        }
        let fresh = offers.map(Tracked.init)
        let freshIDs = Set(fresh.map(\.id))
        let stillOpen = answered.filter { $0.state.isOpen && !freshIDs.contains($0.id) }
        open =
            (stillOpen.filter { $0.state == .accepted } + fresh)
            + stillOpen.filter { $0.state == .snoozed }
        past = Array(answered.reversed().filter { !$0.state.isOpen }.prefix(Self.mostPast))
    }

    /// Returns an open suggestion by its id.
    package func openSuggestion(_ id: String) -> Tracked? { open.first { $0.id == id } }

    /// Returns an open or past suggestion by its id.
    package func suggestion(_ id: String) -> Tracked? {
        openSuggestion(id) ?? past.first { $0.id == id }
    }

    /// Returns the suggestions of all rules in order, regardless of responses.
    static func rules(_ past: SessionHistory) -> [Suggestion] {
        let back = ReturnAfterBreak.suggestions(past)
        let light = DeloadWeek.suggestions(past)
        // After a break, or in a light week, no more work and no test is suggested.
        if !back.isEmpty || !light.isEmpty { return back + light }
        return MorePower.suggestions(past) + MoreVolume.suggestions(past)
            + RankedTest.suggestions(past) + EvenPacing.suggestions(past)
    }

    /// Returns the suggestions that pass the limits.
    private static func allowed(
        _ found: [Suggestion], besides others: [Suggestion], _ answered: [Tracked],
        _ past: SessionHistory
    ) -> [Suggestion] {
        let week = past.now - progressionDays * SessionHistory.day
        var hasProgression =
            others.contains { $0.rule.isProgression }
            || answered.contains { tracked in
                guard tracked.rule.isProgression, let response = tracked.response else { return false }
                return tracked.state == .accepted
                    || response.answer == .accepted && response.at > week && tracked.state != .withdrawn
                    || tracked.state == .snoozed
            }
        var allowed: [Suggestion] = []
        for suggestion in found {
            guard past.now < suggestion.expiresAt, !isAnswered(suggestion, answered, past) else {
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

    /// Whether a response to this suggestion, or to another of its rule and target, still blocks it.
    private static func isAnswered(
        _ suggestion: Suggestion, _ answered: [Tracked], _ past: SessionHistory
    ) -> Bool {
        let quietSince = past.now - SuggestionResponse.quietDaysAfterDismissal * SessionHistory.day
        return answered.contains { tracked in
            guard let response = tracked.response, tracked.machine == suggestion.machine,
                tracked.rule == suggestion.rule, tracked.target == suggestion.target
            else { return false }
            if tracked.state.isOpen { return true }
            if response.answer == .dismissed, response.at > quietSince { return true }
            // An answered suggestion is not offered again, unless it was snoozed.
            return response.id == suggestion.id && response.answer != .snoozed
        }
    }

    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        json.list("open", of: open) { json, one in one.write(into: &json) }
        json.list("past", of: past) { json, one in one.write(into: &json) }
    }
}

extension AthleteSuggestions.Tracked {
    fileprivate init(_ suggestion: Suggestion) {
        (id, rule, target) = (suggestion.id, suggestion.rule, suggestion.target)
        (machine, workout) = (suggestion.machine, suggestion.workout)
        (confidence, evidence) = (suggestion.confidence, suggestion.evidence)
        (madeAt, expiresAt) = (suggestion.madeAt, suggestion.expiresAt)
        (state, response, outcome) = (.offered, nil, nil)
        body = JSONWriter.object(suggestion.write)
    }

    /// A response, and what happened since.
    fileprivate init(_ response: SuggestionResponse, _ pieces: [PieceTraining], now: Int64) {
        (id, rule, target) = (response.id, response.rule, response.target)
        (machine, workout) = (response.machine, response.workout)
        (body, self.response) = (response.body, response)
        (confidence, evidence) = (response.confidence, response.evidence)
        (madeAt, expiresAt) = (response.madeAt, response.expiresAt)
        outcome = SuggestionOutcome.of(
            response, in: pieces.sorted { $0.metrics.startedAt < $1.metrics.startedAt })
        state =
            switch response.answer {
            case .snoozed: now < response.until ?? 0 ? .snoozed : .expired
            case .accepted where outcome != nil: .done
            case .accepted where !response.isSupported(by: pieces): .withdrawn
            case .accepted: now < response.acceptedUntil ? .accepted : .expired
            default: response.answer
            }
    }

    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        json.field("id", id)
        json.field("state", state.rawValue)
        json.field("said_ms", response?.at)
        json.field("by", response?.by)
        json.field("until_ms", state == .snoozed ? response?.until : nil)
        json.field("why", response?.why)
        json.field("set_ms", response?.setAt)
        if let outcome { json.object("outcome") { outcome.write(into: &$0) } }
        json.key("suggestion")
        json.value(json: body)
    }
}
