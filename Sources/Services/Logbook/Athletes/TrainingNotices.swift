import Bests
import Bytes
import Contract
import HostRuntime
import LogbookStores
import Timeline
import Training

/// What the logbook says by itself of training: the figures of each week and of the season, as they are.
/// What changes them takes back what was said, and has it said anew.
enum TrainingNotices {
    /// Of sessions that began longer ago nothing is said that was not said before: a logbook that reads an
    /// old season keeps silent.
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
        let said = try store.notices(of: .training, about: athlete)
            .compactMap { notice in notice.subject.map { (subject: $0, number: notice.sequence) } }
        let begin = max(try store.noticeNumbers()?.since ?? now, now - freshMilliseconds)
        let fresh = pieces.map(\.figures).filter { $0.startedAt >= begin }.map(\.startedOn)
        var changes = NoticeChanges()
        var holding: Set<String> = []
        for length in [TrainingSpan.Length.week, .season] where !(said.isEmpty && fresh.isEmpty) {
            let present = Set(fresh.map { TrainingSpan(length, of: $0) })
            let season = TrainingSpan(.season, of: calendar.day(of: now)).firstDay
            for training in SpanTraining.all(of: pieces, by: length) {
                let isFresh = present.contains(training.span)
                let known = said.contains { $0.subject.hasPrefix(training.topic(of: athlete)) }
                guard isFresh || known else { continue }
                let notice = training.notice(of: athlete)
                holding.insert(notice.subject)
                // What is another now, of a season before, is taken back and that is all.
                guard isFresh || training.span.firstDay >= season,
                    !said.contains(where: { $0.subject == notice.subject })
                else { continue }
                changes.added.append(notice)
            }
        }
        changes.withdrawn = said.filter { !holding.contains($0.subject) }.map(\.number)
        return changes
    }
}

extension SpanTraining {
    /// What is said of once.
    fileprivate func topic(of athlete: String) -> String {
        "\(athlete) \(length.rawValue) \(span.text) "
    }

    /// With other figures it is another thing to say.
    fileprivate func notice(of athlete: String) -> Notice {
        let members = JSONWriter.object { json in
            json.field("athlete_id", athlete)
            write(into: &json)
        }
        let digest = SHA256Digest.hexadecimal(of: [members]).prefix(16)
        let newest = volume.inputs.last.map {
            SessionName(gateway: $0.gateway, session: $0.session)
        }
        return Notice(
            .training, subject: topic(of: athlete) + digest, athlete: athlete, session: newest,
            members: members)
    }
}
