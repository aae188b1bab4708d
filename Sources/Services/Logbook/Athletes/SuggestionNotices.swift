import Bytes
import Contract
import LogbookStores
import Suggestions
import Timeline
import Training

/// What the logbook says by itself of suggestions: each one that is offered or accepted, and each that
/// was rowed, with what it came to. What becomes of one takes back what was said of it before.
enum SuggestionNotices {
    /// What was rowed longer ago is no news.
    static let freshMilliseconds = BestWatch.freshMilliseconds

    /// What is to be said of an athlete that is not, and what is said that holds no longer.
    ///
    /// - Parameters:
    ///   - pieces: all of theirs.
    ///   - calendar: of the club.
    static func changes(
        of athlete: String, _ pieces: [PieceTraining], in store: any LogbookStore, at now: Int64,
        calendar: ClubCalendar
    ) throws(StoreFailure) -> NoticeChanges {
        let suggestions = try SuggestionDesk.suggestions(
            to: athlete, pieces, in: store, at: now, calendar: calendar)
        let standing =
            suggestions.open.filter { $0.state != .snoozed }
            + suggestions.past.filter { $0.isNews(at: now) }
        let said = try store.notices(of: .suggestion, about: athlete)
        let subjects = Set(said.compactMap(\.subject))
        let holding = Set(standing.map { $0.subject(athlete) })
        var changes = NoticeChanges()
        changes.withdrawn = said.filter { $0.subject.map { !holding.contains($0) } ?? false }
            .map(\.sequence)
        changes.added = standing.filter { !subjects.contains($0.subject(athlete)) }.map { one in
            Notice(
                .suggestion, subject: one.subject(athlete), athlete: athlete,
                session: one.newestSession, members: one.members(of: athlete))
        }
        return changes
    }
}

extension AthleteSuggestions.Standing {
    fileprivate func isNews(at now: Int64) -> Bool {
        outcome.map { $0.at > now - SuggestionNotices.freshMilliseconds } ?? false
    }

    /// What it is about: another state is another thing to say.
    fileprivate func subject(_ athlete: String) -> String { "\(athlete) \(id) \(state.rawValue)" }

    /// By which it is found when sessions are erased.
    fileprivate var newestSession: SessionName? {
        let name = outcome?.session ?? evidence.map(\.name).max()
        return name.map { SessionName(gateway: $0.gateway, session: $0.session) }
    }

    fileprivate func members(of athlete: String) -> [UInt8] {
        JSONWriter.object { json in
            json.field("athlete_id", athlete)
            json.field("suggestion_id", id)
            json.field("state", state.rawValue)
            json.field("rule", rule.rawValue)
            json.field("target", target)
            json.field("machine", machine.rawValue)
            json.field("workout", workout.row)
            json.field("confidence", confidence.rawValue)
            json.field("made_ms", madeAt)
            json.field("expires_ms", expiresAt)
            json.field("said_ms", word?.at)
            json.field("by", word?.by)
            guard let outcome else { return }
            json.field("verdict", outcome.verdict.rawValue)
            outcome.session.write(into: &json)
        }
    }
}
