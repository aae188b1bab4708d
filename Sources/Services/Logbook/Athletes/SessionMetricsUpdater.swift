import HostRuntime
import LogbookStores
import Synchronization
import Timeline
import Training

/// Stores the metrics of sessions in the background, so that requests do not read their strokes again, and then what
/// the statistics of the club need of past quarters.
///
/// A session is computed when its comparison with the manifest is decided. All sessions are checked, the newest first,
/// after the start, because a new program may have other formulas; soon after old records were removed; and every few
/// hours, because another process may have changed sessions.
final class SessionMetricsUpdater: Sendable {
    /// The interval between two checks of all sessions.
    static let checkInterval = Duration.seconds(6 * 3600)
    /// The interval while old records are removed.
    static let removalCheckInterval = Duration.seconds(60)
    /// Sessions looked at in one step.
    private static let lookedAt = 200
    /// The largest number of changed sessions that wait; the check of all sessions finds the others.
    private static let maximumChanged = 1000

    private struct State {
        var changed: Set<SessionName> = []
        /// Sessions without metrics that the check has found, the newest last.
        var found: [SessionName] = []
        /// Continues the check of all sessions.
        var cursor: SessionCursor?
        var isChecking = false
        var checkedAt: BootInstant?
        /// Whether records were removed since.
        var wereRecordsRemoved = false
        /// Whether a past quarter may not be stored.
        var areQuartersChanged = false
        /// Whether the writer has a step to do.
        var isRunning = false

        var hasWork: Bool { isChecking || areQuartersChanged || !changed.isEmpty || !found.isEmpty }

        /// Takes the next session, a changed one first.
        mutating func next() -> SessionName? { changed.popFirst() ?? found.popLast() }
    }

    private let writer: StoreQueue
    private let history: AthleteHistory
    private let runtime: any Runtime
    private let state = Mutex(State())

    init(writer: StoreQueue, history: AthleteHistory, runtime: any Runtime) {
        (self.writer, self.history, self.runtime) = (writer, history, runtime)
    }

    /// Computes sessions whose state was decided or has changed.
    func sessionsChanged(_ sessions: Set<SessionName>) {
        state.withLock { state in
            let capacity = max(0, Self.maximumChanged - state.changed.count)
            state.changed.formUnion(sessions.prefix(capacity))
        }
        run()
    }

    /// The sessions of removed records have no metrics any more.
    func recordsRemoved() { state.withLock { $0.wereRecordsRemoved = true } }

    /// Checks all sessions if that is due, and continues after a failure of the store.
    func tick() {
        beginCheckIfDue()
        run()
    }

    /// The next steps check all sessions, if that is due.
    func beginCheckIfDue() {
        let now = runtime.now()
        state.withLock { state in
            let interval = state.wereRecordsRemoved ? Self.removalCheckInterval : Self.checkInterval
            if let last = state.checkedAt, last.duration(to: now) < interval { return }
            (state.checkedAt, state.wereRecordsRemoved) = (now, false)
            (state.isChecking, state.cursor, state.found) = (true, nil, [])
            state.areQuartersChanged = true
        }
    }

    private func run() {
        let mustStart = state.withLock { state in
            guard !state.isRunning, state.hasWork else { return false }
            state.isRunning = true
            return true
        }
        guard mustStart else { return }
        writer.runInBackground { [weak self] store in
            guard let self else { return false }
            do { return try step(in: store) } catch {
                // The next tick continues.
                state.withLock { $0.isRunning = false }
                throw error
            }
        }
    }

    /// Looks for sessions, or computes one of them or a quarter. Returns whether there is more to do.
    func step(in store: any LogbookStore) throws -> Bool {
        if let name = state.withLock({ $0.next() }) {
            do { try update(name, in: store) } catch {
                state.withLock { _ = $0.changed.insert(name) }
                throw error
            }
            state.withLock { $0.areQuartersChanged = true }
        } else if !state.withLock(\.isChecking) {
            state.withLock { $0.areQuartersChanged = false }
            let now = runtime.wall().unixMilliseconds(at: runtime.now())
            if try ClubHistory(history).storeNextQuarter(before: now, in: store) {
                state.withLock { $0.areQuartersChanged = true }
            }
        } else {
            let missing = try store.sessionMetrics.missing(
                version: PieceTraining.version, after: state.withLock(\.cursor), count: Self.lookedAt)
            state.withLock { state in
                state.found = missing.sessions.reversed()
                (state.cursor, state.isChecking) = (missing.next, missing.next != nil)
            }
        }
        return state.withLock { state in
            state.isRunning = state.hasWork
            return state.isRunning
        }
    }

    /// Computes while no record can be added. That takes some milliseconds, so one session at a time.
    private func update(_ name: SessionName, in store: any LogbookStore) throws {
        try store.atomically {
            guard let session = try store.session(name) else { return }
            try store.sessionMetrics.save(
                try history.metrics(of: session, in: store), of: session, version: PieceTraining.version)
        }
    }
}
