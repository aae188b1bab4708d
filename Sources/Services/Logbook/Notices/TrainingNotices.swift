import Bests
import Bytes
import Contract
import HostRuntime
import LogbookStores
import Timeline
import Training

/// Finds the notices about training: the current values of each week and of the season. If values change, the
/// old notice is withdrawn and a new one is added.
enum TrainingNotices {
    /// Returns the changes of the notices of an athlete, as `SuggestionNotices.changes`.
    static func changes(
        of athlete: String, _ pieces: [PieceTraining], in store: any LogbookStore, at now: Int64,
        calendar: ClubCalendar
    ) throws(StoreFailure) -> NoticeChanges {
        let published = try store.notices(of: .training, about: athlete)
            .compactMap { notice in notice.subject.map { (subject: $0, number: notice.sequence) } }
        // Older sessions get no first notice, so that importing an old season adds no notices.
        let oldest = now - AthleteNoticeUpdater.freshMilliseconds
        let begin = max(try store.noticeNumbers()?.since ?? now, oldest)
        let fresh = pieces.map(\.metrics).filter { $0.startedAt >= begin }.map(\.startedOn)
        var changes = NoticeChanges()
        var current: Set<String> = []
        for length in [TrainingSpan.Length.week, .season]
        where !(published.isEmpty && fresh.isEmpty) {
            let present = Set(fresh.map { TrainingSpan(length, of: $0) })
            let season = TrainingSpan(.season, of: calendar.day(of: now)).firstDay
            for training in SpanTraining.all(of: pieces, by: length) {
                let isFresh = present.contains(training.span)
                let isPublished = published.contains {
                    $0.subject.hasPrefix(training.topic(of: athlete))
                }
                guard isFresh || isPublished else { continue }
                let notice = training.notice(of: athlete)
                current.insert(notice.subject)
                // Changed values of an earlier season are withdrawn without a new notice.
                guard isFresh || training.span.firstDay >= season,
                    !published.contains(where: { $0.subject == notice.subject })
                else { continue }
                changes.added.append(notice)
            }
        }
        changes.withdrawn = published.filter { !current.contains($0.subject) }.map(\.number)
        return changes
    }
}

extension SpanTraining {
    /// The start of the subject: athlete, kind of span and span.
    fileprivate func topic(of athlete: String) -> String {
        "\(athlete) \(length.rawValue) \(span.text) "
    }

    /// The subject ends with a digest of the values, so that changed values are a new notice.
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
