import Bests
import Bytes
import Contract
import HostRuntime
import LogbookStores
import Synchronization
import Timeline
import Training

/// Finds out who rowed better than ever before, and has it said; and has it taken back when a session
/// on which it rested was erased, or is another than it was.
///
/// It looks at an athlete whenever what became of a session of theirs is known, and after a start at
/// everybody who rowed in the last days: what is said already is not said again. It reads on the queue
/// that answers questions, while nobody asks one.
final class BestWatch: Sendable {
    /// A result that was rowed longer ago is history, and no news: a ring log reaches back a week.
    static let freshMilliseconds: Int64 = 7 * 86_400_000
    /// The broker has to have told for so long what monitors sit on.
    static let settling = Duration.seconds(5)
    /// Between two looks at who no longer owns what was said of them.
    static let strayMilliseconds: Int64 = 60_000
    /// Sessions that wait for their athlete to be looked at. More are found by the next start.
    static let mostWaiting = 10_000

    private struct State {
        var sessions: Set<SessionName> = []
        var athletes: Set<String> = []
        var hasBegun = false
        var strayAt: Int64 = 0
        var isLooking = false
    }

    private let state = Mutex(State())
    private let reader: StoreQueue
    private let book: AthleteBook
    private let room: LiveRoom
    private let runtime: any Runtime
    private let further: Further
    private let take: @Sendable (NoticeChanges) -> Void

    /// What else is to be said of an athlete with these sessions, at a time in Unix milliseconds.
    typealias Further =
        @Sendable (
            _ athlete: String, _ pieces: [PieceTraining], _ store: any LogbookStore, _ now: Int64
        ) throws(StoreFailure) -> NoticeChanges

    /// - Parameters:
    ///   - further: what else is found out when an athlete is looked at.
    ///   - take: gets what is to be said.
    init(
        reader: StoreQueue, book: AthleteBook, room: LiveRoom, runtime: any Runtime,
        further: @escaping Further = { _, _, _, _ in NoticeChanges() },
        take: @escaping @Sendable (NoticeChanges) -> Void
    ) {
        (self.reader, self.book, self.room) = (reader, book, room)
        (self.runtime, self.further, self.take) = (runtime, further, take)
    }

    /// What became of these is known now, or anew.
    func settled(_ sessions: Set<SessionName>) {
        state.withLock { state in
            let room = max(0, Self.mostWaiting - state.sessions.count)
            state.sessions.formUnion(sessions.prefix(room))
        }
        look()
    }

    /// Something else than a session is another for an athlete.
    func changed(_ athlete: String) {
        state.withLock { state in
            if state.athletes.count < Self.mostWaiting { state.athletes.insert(athlete) }
        }
        look()
    }

    /// Looks at whoever waits, if it is not under way and machines are known.
    func look() {
        let broker = room.broker
        guard broker.isConnected, broker.since.duration(to: runtime.now()) >= Self.settling,
            state.withLock({ state in
                defer { state.isLooking = true }
                return !state.isLooking
            })
        else { return }
        reader.readAhead { [weak self] store in
            guard let self else { return false }
            do {
                let goesOn = try step(in: store)
                if !goesOn { state.withLock { $0.isLooking = false } }
                return goesOn
            } catch {
                state.withLock { $0.isLooking = false }
                throw error
            }
        }
    }

    /// One athlete, or who is to be looked at. Whether there is more to do.
    private func step(in store: any LogbookStore) throws(StoreFailure) -> Bool {
        let now = runtime.unixMilliseconds()
        guard let numbers = try store.noticeNumbers() else { return false }
        try begin(in: store, at: now)
        if let session = state.withLock(\.sessions.first) {
            if let athlete = try Self.athlete(of: session, in: store) {
                state.withLock { _ = $0.athletes.insert(athlete) }
            }
            state.withLock { _ = $0.sessions.remove(session) }
            return true
        }
        guard let athlete = state.withLock(\.athletes.first) else { return false }
        take(try changes(of: athlete, in: store, numbers, at: now))
        state.withLock { _ = $0.athletes.remove(athlete) }
        return true
    }

    /// Who rowed in the last days, and from time to time of whom something is said that rests on nothing.
    private func begin(in store: any LogbookStore, at now: Int64) throws(StoreFailure) {
        let (hasBegun, strayAt) = state.withLock { ($0.hasBegun, $0.strayAt) }
        var athletes: [String] = []
        if !hasBegun {
            var filter = SessionFilter(limit: Self.mostWaiting)
            filter.times = now - Self.freshMilliseconds..<now + Self.freshMilliseconds
            athletes = try store.sessions(filter).compactMap(\.athlete)
        }
        if now >= strayAt { athletes += try store.athletesOfStrayNotices() }
        state.withLock { state in
            state.athletes.formUnion(athletes)
            state.hasBegun = true
            if now >= strayAt { state.strayAt = now + Self.strayMilliseconds }
        }
    }

    private static func athlete(
        of name: SessionName, in store: any LogbookStore
    ) throws(StoreFailure) -> String? {
        var filter = SessionFilter(limit: 1)
        (filter.gateway, filter.session) = (name.gateway, name.session)
        return try store.sessions(filter).first?.athlete
    }

    /// What is to be said of an athlete that is not, and what is said that holds no longer.
    private func changes(
        of athlete: String, in store: any LogbookStore, _ numbers: NoticeNumbers, at now: Int64
    ) throws(StoreFailure) -> NoticeChanges {
        let (sessions, pieces) = try book.pieces(
            of: athlete, in: store, machine: room.machine(at:_:))
        let bests = NewBest.all(in: pieces.map(\.figures))
        let said = try store.notices(of: .best, about: athlete)
        let subjects = Set(said.compactMap(\.subject))
        let holding = Set(bests.map(\.subject))
        var changes = NoticeChanges()
        changes.withdrawn = said.filter { $0.subject.map { !holding.contains($0) } ?? false }
            .map(\.sequence)
        let begin = max(numbers.since, now - Self.freshMilliseconds)
        for best in bests where best.isNews && best.figure.date >= begin {
            if subjects.contains(best.subject) { continue }
            let name = SessionName(gateway: best.piece.gateway, session: best.piece.session)
            guard let session = sessions.first(where: { $0.name == name }) else { continue }
            changes.added.append(
                Notice(
                    .best, subject: best.subject, athlete: athlete, session: name,
                    members: Self.members(best, of: session, athlete)))
        }
        changes.merge(try further(athlete, pieces, store, now))
        return changes
    }

    private static func members(
        _ best: NewBest, of session: KeptSession, _ athlete: String
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
