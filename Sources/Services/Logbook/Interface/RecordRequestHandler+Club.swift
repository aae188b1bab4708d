import Bests
import Bytes
import Club
import LogbookStores
import People
import Training
import TrainingFiles
import WebServer

/// The season of the club: volume by week, group and athlete, absent athletes, and records by category. Read only.
extension RecordRequestHandler {
    /// The largest number of sessions that a request computes. There are more in the minutes after an update that
    /// changes formulas, while `SessionMetricsUpdater` computes them.
    private static let maximumMissingMetrics = 2000

    private static func isComputing(_ sessions: Int) -> InterfaceFault {
        InterfaceFault(
            503, "computing",
            "after an update, the logbook computes \(sessions) sessions again; try again in some minutes")
    }

    /// - Parameters:
    ///   - season: nil for the current season.
    ///   - id: counts only the members of this group; nil for all athletes.
    ///   - asTable: whether the answer is a table of the athletes.
    func club(
        in season: Season?, of id: String?, asTable: Bool, _ store: any LogbookStore
    ) throws -> WebAnswer {
        let (now, clock) = room.currentTime
        let today = history.calendar.day(of: clock.unixMilliseconds(at: now))
        let period = SeasonPeriod(season, today: today)
        let groups = try PeopleRepository.groups(in: store)
        let group = try id.map { id in try Self.group(id, in: groups) }
        let clubHistory = ClubHistory(history)
        let list = try clubHistory.list(for: period, in: store)
        guard list.missing <= Self.maximumMissingMetrics else { throw Self.isComputing(list.missing) }
        let sessions = try clubHistory.sessions(of: list, in: store, machine: room.machine(at:_:))
        let overview = SeasonOverview(
            of: sessions, by: try PeopleRepository.athletes(Set(sessions.compactMap(\.athlete)), in: store),
            in: groups, only: group, period)
        guard asTable else {
            let unassigned = sessions.count { $0.athlete == nil && period.days.contains($0.day) }
            return Self.json { json in
                overview.write(into: &json)
                if group == nil { json.field("unassigned_sessions", unassigned) }
            }
        }
        var bytes: [UInt8] = []
        for row in overview.rows(names: try PeopleRepository.names(in: store)) {
            CommaSeparatedTable.append(row, to: &bytes)
        }
        let name = "club-\(period.season.year)" + (group.map { "-\($0.id)" } ?? "")
        return Self.attachment("text/csv; charset=utf-8", bytes, "\(name).csv")
    }
}
