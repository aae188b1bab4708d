import Bests
import Bytes
import Contract
import HostRuntime
import LogbookStores
import Synchronization
import Timeline
import Training

/// Finds new personal bests and adds notices for them. Withdraws the notice of a best if its session was
/// erased or has changed.
///
/// Checks an athlete whenever the state of one of their sessions becomes known. After a start, checks every
/// athlete who rowed in the last seven days; stored notices are not added again. Reads the store in the
/// background, on the queue that answers requests.
final class AthleteNoticeUpdater: Sendable {
    /// Results older than this get no notice. A ring log covers about a week.
    static let freshMilliseconds: Int64 = 7 * 86_400_000
    /// Time after the connection to the broker in which the retained machine types arrive.
    static let settlingTime = Duration.seconds(5)
    /// Interval between two searches for notices whose session no longer belongs to the athlete.
    static let strayCheckMilliseconds: Int64 = 60_000
    /// An athlete with more sessions without stored metrics is checked later. Each takes some milliseconds, in which
    /// requests wait; after an update, all are computed in the background.
    static let maximumMissingMetrics = 100
    /// The largest number of pending sessions, and of pending athletes. The next start finds the rest.
    static let maximumPending = 10_000

    private struct State {
        var sessions: Set<SessionName> = []
        /// In order: if a best moves from one athlete to another, the former one is checked first, because the same
        /// best exists once.
        var athletes: [String] = []
        var hasAddedRecentAthletes = false
        /// Unix milliseconds.
        var nextStrayCheckAt: Int64 = 0
        var isChecking = false

        mutating func insert(_ found: [String]) {
            if found.isEmpty { return }
            var known = Set(athletes)
            athletes += found.filter { known.insert($0).inserted }
        }
    }

    private let state = Mutex(State())
    private let reader: StoreQueue
    private let history: AthleteHistory
    private let room: LiveRoom
    private let runtime: any Runtime
    private let maximumMissing: Int
    private let otherChanges: OtherChanges
    private let apply: @Sendable (NoticeChanges) -> Void

    /// Returns the changes of other notices of an athlete. `now` is in Unix milliseconds.
    typealias OtherChanges =
        @Sendable (
            _ athlete: String, _ pieces: [PieceTraining], _ store: any LogbookStore, _ now: Int64
        ) throws(StoreFailure) -> NoticeChanges

    /// - Parameters:
    ///   - maximumMissing: see `maximumMissingMetrics`.
    ///   - otherChanges: finds the changes of other notices when an athlete is checked.
    ///   - apply: stores the changes.
    init(
        reader: StoreQueue, history: AthleteHistory, room: LiveRoom, runtime: any Runtime,
        maximumMissing: Int = maximumMissingMetrics,
        otherChanges: @escaping OtherChanges = { _, _, _, _ in NoticeChanges() },
        apply: @escaping @Sendable (NoticeChanges) -> Void
    ) {
        (self.reader, self.history, self.room) = (reader, history, room)
        (self.runtime, self.maximumMissing) = (runtime, maximumMissing)
        (self.otherChanges, self.apply) = (otherChanges, apply)
    }

    /// Checks the athletes of sessions whose state was decided or has changed.
    func sessionsChanged(_ sessions: Set<SessionName>) {
        state.withLock { state in
            let capacity = max(0, Self.maximumPending - state.sessions.count)
            state.sessions.formUnion(sessions.prefix(capacity))
        }
        checkPending()
    }

    /// Checks an athlete after a change other than of a session, such as an answer to a suggestion. If sessions move
    /// to another athlete, call it for the former one first.
    func athleteChanged(_ athlete: String) {
        state.withLock { state in
            if state.athletes.count < Self.maximumPending { state.insert([athlete]) }
        }
        checkPending()
    }

    /// Checks the pending athletes, unless a check is running or the machine types are not known yet.
    func checkPending() {
        let broker = room.broker
        guard broker.isConnected, broker.since.duration(to: runtime.now()) >= Self.settlingTime,
            state.withLock({ state in
                defer { state.isChecking = true }
                return !state.isChecking
            })
        else { return }
        reader.runInBackground { [weak self] store in
            guard let self else { return false }
            do {
                let hasMore = try checkNext(in: store)
                if !hasMore { state.withLock { $0.isChecking = false } }
                return hasMore
            } catch {
                state.withLock { $0.isChecking = false }
                throw error
            }
        }
    }

    /// Checks one athlete or finds the athlete of one session. Returns whether there is more to do.
    private func checkNext(in store: any LogbookStore) throws(StoreFailure) -> Bool {
        let now = runtime.unixMilliseconds()
        guard let numbers = try store.noticeNumbers() else { return false }
        try addAthletes(in: store, at: now)
        // Taken out before the check: who changes meanwhile is checked again.
        if let session = state.withLock({ $0.sessions.popFirst() }) {
            do throws(StoreFailure) {
                if let athlete = try store.session(session)?.athlete {
                    state.withLock { $0.insert([athlete]) }
                }
            } catch {
                state.withLock { _ = $0.sessions.insert(session) }
                throw error
            }
            return true
        }
        guard let athlete = state.withLock({ $0.athletes.isEmpty ? nil : $0.athletes.removeFirst() })
        else { return false }
        do throws(StoreFailure) {
            let missing = try store.sessionMetrics.missingCount(of: athlete, version: PieceTraining.version)
            if missing > maximumMissing {
                // At the next tick another athlete is the first.
                state.withLock { $0.insert([athlete]) }
                return false
            }
            try check(athlete, in: store, numbers, at: now)
        } catch {
            state.withLock { $0.insert([athlete]) }
            throw error
        }
        return true
    }

    private func check(
        _ athlete: String, in store: any LogbookStore, _ numbers: NoticeNumbers, at now: Int64
    ) throws(StoreFailure) {
        let current = try store.merges.current(of: athlete)
        guard current != athlete else {
            return apply(try changes(of: athlete, in: store, numbers, at: now))
        }
        // Its sessions count for another athlete, who gets the notices once these are withdrawn.
        var changes = NoticeChanges()
        for kind in NoticeKind.allCases {
            changes.withdrawn += try store.notices(of: kind, about: athlete).map(\.sequence)
        }
        if !changes.isEmpty { apply(changes) }
        state.withLock { state in
            state.athletes.removeAll { $0 == current }
            state.insert([current])
        }
    }

    /// Adds the athletes who rowed recently, once, and at intervals those with stray notices.
    private func addAthletes(in store: any LogbookStore, at now: Int64) throws(StoreFailure) {
        let (hasAddedRecent, nextStrayCheckAt) = state.withLock {
            ($0.hasAddedRecentAthletes, $0.nextStrayCheckAt)
        }
        var athletes: [String] = []
        if !hasAddedRecent {
            var filter = SessionFilter(limit: Self.maximumPending)
            filter.times = now - Self.freshMilliseconds..<now + Self.freshMilliseconds
            athletes = try store.sessions(filter).compactMap(\.athlete)
        }
        if now >= nextStrayCheckAt { athletes += try store.athletesOfStrayNotices() }
        state.withLock { state in
            state.insert(athletes)
            state.hasAddedRecentAthletes = true
            if now >= nextStrayCheckAt {
                state.nextStrayCheckAt = now + Self.strayCheckMilliseconds
            }
        }
    }

    /// Returns the missing notices of an athlete and the stored notices that are no longer true.
    private func changes(
        of athlete: String, in store: any LogbookStore, _ numbers: NoticeNumbers, at now: Int64
    ) throws(StoreFailure) -> NoticeChanges {
        let pieces = try history.pieces(of: athlete, in: store, machine: room.machine(at:_:)).pieces
        let bests = NewBest.all(in: pieces.map(\.metrics))
        let published = try store.notices(of: .best, about: athlete)
        let subjects = Set(published.compactMap(\.subject))
        let current = Set(bests.map(\.subject))
        var changes = NoticeChanges()
        changes.withdrawn = published.filter { $0.subject.map { !current.contains($0) } ?? false }
            .map(\.sequence)
        let begin = max(numbers.since, now - Self.freshMilliseconds)
        for best in bests where best.isWorthAnnouncing && best.figure.date >= begin {
            if subjects.contains(best.subject) { continue }
            let name = SessionName(gateway: best.piece.gateway, session: best.piece.session)
            guard let session = try store.session(name) else { continue }
            changes.added.append(
                Notice(
                    .best, subject: best.subject, athlete: athlete, session: name,
                    members: Self.members(best, of: session, athlete)))
        }
        changes.merge(try otherChanges(athlete, pieces, store, now))
        return changes
    }

    private static func members(
        _ best: NewBest, of session: StoredSession, _ athlete: String
    ) -> [UInt8] {
        JSONWriter.object { json in
            json.field("gw", session.name.gateway.slug)
            json.field("erg", session.station.slug)
            json.field("athlete_id", athlete)
            json.field("ended_ms", session.endedAt)
            best.write(into: &json)
        }
    }
}
