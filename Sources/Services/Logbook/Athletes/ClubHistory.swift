import Bests
import Club
import Contract
import LogbookStores
import Timeline
import Training

/// The sessions of all athletes for the statistics of the club.
///
/// What they need of the sessions of 91 days is stored together (`ClubQuarterTable`), so that a request reads neither
/// each session of past seasons nor any stroke.
package struct ClubHistory: Sendable {
    private typealias Erg = ClubSession.Erg

    /// The sessions that a request needs, before those are computed that are not stored.
    struct List {
        /// From stored quarters.
        fileprivate var stored: [ClubSession] = []
        /// The sessions of each other quarter, the oldest first.
        fileprivate(set) var others: [[SessionMetricsTable.Entry]] = []

        /// The number of sessions whose strokes must be read, because their metrics are not stored.
        var missing: Int { others.joined().count { !$0.hasMetrics } }
    }

    private let history: AthleteHistory
    /// Of what is stored: the formulas, and the calendar that tells the days.
    private let version: String

    package init(_ history: AthleteHistory) {
        self.history = history
        version = "\(ClubSession.version).\(PieceTraining.version) \(history.calendar.name)"
    }

    // MARK: Reading

    /// Returns all sessions from the beginning of the season before to today, and of the other seasons those that an
    /// overview needs.
    func list(for period: SeasonPeriod, in store: any LogbookStore) throws(StoreFailure) -> List {
        let counted = period.countedDays
        let stored = try store.clubQuarters.sessions(
            version: version, in: counted.lowerBound.number...counted.upperBound.number)
        var list = List()
        for quarter in try store.clubQuarters.quartersWithSessions() {
            if let bytes = stored[quarter], ClubSession.append(bytes, to: &list.stored) { continue }
            list.others.append(try entries(of: quarter, in: store))
        }
        return list
    }

    /// Returns the sessions of a list. Reads strokes of those that are missing.
    ///
    /// - Parameter machine: returns the machine now at an erg, for sessions whose records do not name their machine;
    ///   nil if unknown, which counts as a RowErg.
    func sessions(
        of list: consuming List, in store: any LogbookStore,
        machine: (GatewayID, StationID) -> MachineKind? = { _, _ in nil }
    ) throws(StoreFailure) -> [ClubSession] {
        var sessions = list.stored
        for entries in list.others { sessions += try self.sessions(of: entries, in: store) }
        for index in sessions.indices where sessions[index].machine == nil {
            sessions[index].machine = machine(sessions[index].erg.gateway, sessions[index].erg.station)
        }
        return sessions
    }

    private func entries(
        of quarter: ClubQuarter, in store: any LogbookStore
    ) throws(StoreFailure) -> [SessionMetricsTable.Entry] {
        try store.sessionMetrics.list(version: PieceTraining.version, firstAt: quarter.instants)
    }

    /// - Parameter entries: all sessions of a quarter, the oldest first.
    private func sessions(
        of entries: [SessionMetricsTable.Entry], in store: any LogbookStore
    ) throws(StoreFailure) -> [ClubSession] {
        var sessions: [ClubSession] = []
        var latest: [Erg: EarlierSession] = [:]
        for entry in entries {
            let erg = Erg(gateway: entry.name.gateway, station: entry.station)
            let before = latest.updateValue(
                EarlierSession(name: entry.name, endedAt: entry.endedAt), forKey: erg)
            guard let summary = try summary(of: entry, in: store) else { continue }
            var session = ClubSession(
                at: erg, by: entry.athlete, on: history.calendar.day(of: summary.startedAt),
                total: WorkPoint(centiseconds: summary.centiseconds, decimetres: summary.decimetres),
                machine: summary.machine.flatMap(MachineKind.init(rawValue:)), ranked: nil)
            if let event = summary.rankedEvent.flatMap(RankedEvent.init(wireName:)), entry.athlete != nil {
                let isRolling =
                    if let before {
                        try AthleteHistory.hasRollingStart(summary.startedAt, after: before, in: store)
                    } else {
                        try AthleteHistory.hasRollingStart(
                            summary.startedAt, of: entry.name, at: entry.station, firstAt: entry.firstAt,
                            in: store)
                    }
                if !isRolling {
                    session.ranked = ClubSession.Ranked(
                        event: event, session: entry.name.session, startedAt: summary.startedAt)
                }
            }
            sessions.append(session)
        }
        return sessions
    }

    /// nil for a session without rowing.
    private func summary(
        of entry: SessionMetricsTable.Entry, in store: any LogbookStore
    ) throws(StoreFailure) -> StoredSessionMetrics.Summary? {
        if entry.hasMetrics { return entry.summary }
        guard let session = try store.session(entry.name) else { return nil }
        return try history.metrics(of: session, in: store).summary
    }

    // MARK: Storing

    /// Stores the first past quarter that is not stored, while no record can be added. Leaves out quarters with a
    /// session whose metrics are not stored.
    ///
    /// - Parameter now: Unix milliseconds.
    /// - Returns: whether there was such a quarter.
    func storeNextQuarter(before now: Int64, in store: any LogbookStore) throws -> Bool {
        let stored = try store.clubQuarters.quarters(version: version)
        for quarter in try store.clubQuarters.quartersWithSessions()
        where quarter.instants.upperBound <= now && !stored.contains(quarter) {
            let isStored = try store.atomically {
                let entries = try entries(of: quarter, in: store)
                guard entries.allSatisfy(\.hasMetrics) else { return false }
                let sessions = try sessions(of: entries, in: store)
                let days = sessions.map(\.day.number)
                let range = days.min().flatMap { first in days.max().map { first...$0 } }
                try store.clubQuarters.save(
                    ClubQuarterTable.Row(
                        quarter, days: range, sessions: ClubSession.encode(sessions),
                        selected: ClubSession.encode(ClubSession.selected(from: sessions))),
                    version: version)
                return true
            }
            if isStored { return true }
        }
        return false
    }
}
