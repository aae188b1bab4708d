import Bytes
import Contract
import LogbookStores
import Suggestions
import Timeline
import Training

/// Finds the notices about suggestions: offered, accepted, or completed with an outcome. A new state
/// withdraws the notice of the state before.
enum SuggestionNotices {
    /// Returns the missing notices of an athlete and the stored notices that are no longer true.
    ///
    /// - Parameters:
    ///   - pieces: all pieces of the athlete.
    ///   - calendar: the club's calendar.
    static func changes(
        of athlete: String, _ pieces: [PieceTraining], in store: any LogbookStore, at now: Int64,
        calendar: ClubCalendar
    ) throws(StoreFailure) -> NoticeChanges {
        let suggestions = try SuggestionService.suggestions(
            to: athlete, pieces, in: store, at: now, calendar: calendar)
        let reported =
            suggestions.open.filter { $0.state != .snoozed }
            + suggestions.past.filter { $0.isRecent(at: now) }
        let published = try store.notices(of: .suggestion, about: athlete)
        let subjects = Set(published.compactMap(\.subject))
        let current = Set(reported.map { $0.subject(athlete) })
        var changes = NoticeChanges()
        changes.withdrawn = published.filter { $0.subject.map { !current.contains($0) } ?? false }
            .map(\.sequence)
        changes.added = reported.filter { !subjects.contains($0.subject(athlete)) }.map { one in
            Notice(
                .suggestion, subject: one.subject(athlete), athlete: athlete,
                session: one.newestSession, members: one.members(of: athlete))
        }
        return changes
    }
}

extension AthleteSuggestions.Tracked {
    /// Older outcomes get no notice.
    fileprivate func isRecent(at now: Int64) -> Bool {
        outcome.map { $0.at > now - AthleteNoticeUpdater.freshMilliseconds } ?? false
    }

    /// The subject of a notice. Each state has its own subject.
    fileprivate func subject(_ athlete: String) -> String { "\(athlete) \(id) \(state.rawValue)" }

    /// The session whose erasure also erases the notice.
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
            json.field("workout", workout.notation)
            json.field("confidence", confidence.rawValue)
            json.field("made_ms", madeAt)
            json.field("expires_ms", expiresAt)
            json.field("said_ms", response?.at)
            json.field("by", response?.by)
            guard let outcome else { return }
            json.field("verdict", outcome.verdict.rawValue)
            outcome.session.write(into: &json)
        }
    }
}
