import Bests
import Contract
import HTTPClient
import HostRuntime
import LogbookStores
import People
import Synchronization
import Timeline
import Uploads

/// Reads a finished session for other services.
struct SessionReading: Sendable {
    let history: AthleteHistory
    let room: LiveRoom

    /// Returns nil for a session without a result.
    func uploadable(_ session: StoredSession, in store: any LogbookStore) throws -> UploadableSession? {
        var records: [StreamKind: [[UInt8]]] = [:]
        for kind in [StreamKind.session, .stroke, .split, .summary] {
            records[kind] = try store.records(of: kind, in: session.name)
        }
        let profile = try session.athlete.flatMap { try PeopleRepository.profile(of: $0, in: store) }
        return UploadableSession(
            gateway: session.name.gateway, sessionID: session.name.session, records,
            // For records without a machine type.
            on: room.machine(at: session.name.gateway, session.station) ?? .rower, in: history.calendar,
            weightClass: profile?.weightClass == .lightweight ? .lightweight : .heavyweight)
    }
}

/// Uploads finished sessions to the accounts of athletes at other services, and reads planned workouts there
/// (`PlannedWorkoutReader`).
///
/// A session is added to the uploads when its state becomes `verified`. All recent sessions are checked after a start and
/// at intervals, since changes are not stored.
final class UploadService: Sendable {
    /// A just row that is shorter is uploaded only at a person's request: seconds. Somebody may have pulled a handle.
    static let shortestJustRow = 60.0
    /// The time between two looks at the table of uploads.
    private static let interval = Duration.seconds(5)
    /// The time between two checks of all recent sessions.
    private static let checkInterval = Duration.seconds(600)
    /// The age of sessions that a check looks at: milliseconds. A gateway's ring covers about a week.
    private static let checkedMilliseconds: Int64 = 14 * 86_400_000
    /// The largest number of changed sessions that wait; the check finds the others.
    private static let maximumChanged = 1000

    private struct State {
        var changed: Set<SessionName> = []
        var checkedAt: BootInstant?
        var tasks: [Task<Void, Never>] = []
    }

    let services: UploadServices
    let vault: CredentialVault
    private let writer: StoreQueue
    private let reading: SessionReading
    private let clients: [UploadDestination: HTTPClient]
    private let isResponsible: @Sendable () -> Bool
    private let runtime: any Runtime
    private let log: SystemLog
    private let state = Mutex(State())

    /// - Parameter isResponsible: whether this logbook uploads, of several with one store.
    init(
        _ prepared: UploadSettings.Prepared, writer: StoreQueue, reading: SessionReading,
        isResponsible: @escaping @Sendable () -> Bool = { true },
        runtime: any Runtime, log: SystemLog
    ) {
        (services, vault) = (prepared.services, prepared.vault)
        (self.writer, self.reading, self.isResponsible) = (writer, reading, isResponsible)
        (self.runtime, self.log) = (runtime, log)
        let pairs = prepared.services.destinations.map { destination in
            (
                destination,
                HTTPClient(
                    prepared.client, on: runtime.makeQueue(label: "logbook.uploads.\(destination.rawValue)"))
            )
        }
        clients = Dictionary(pairs) { first, _ in first }
    }

    /// Sends a request to a service.
    func send(_ request: HTTPRequest, to destination: UploadDestination) async throws(HTTPFailure)
        -> HTTPAnswer
    {
        guard let client = clients[destination] else {
            throw HTTPFailure(.stopped, cause: "the service is switched off")
        }
        return try await client.perform(request)
    }

    func start() {
        let tasks = services.destinations.map { destination in
            let worker = worker(to: destination) { try? await Task.sleep(for: $0) }
            return repeating { await worker.step() }
        }
        let reader = planReader()
        let planTask = repeating { await reader.step() }
        state.withLock { $0.tasks = tasks + [planTask] }
    }

    /// Performs steps until `stop`, with a pause when there is nothing to do, or another logbook does it.
    ///
    /// - Parameter step: returns whether there may be more.
    private func repeating(_ step: @escaping @Sendable () async -> Bool) -> Task<Void, Never> {
        Task { [weak self] in
            while !Task.isCancelled {
                guard let self else { return }
                let hasMore = self.isResponsible() ? await step() : false
                if !hasMore { try? await Task.sleep(for: Self.interval) }
            }
        }
    }

    /// Creates the reader of planned workouts.
    ///
    /// - Parameter transport: sends a request; nil for the network.
    func planReader(transport: UploadWorker.Transport? = nil) -> PlannedWorkoutReader {
        PlannedWorkoutReader(
            services: services, vault: vault, writer: writer, calendar: reading.history.calendar,
            transport: transport ?? network(to: .intervalsICU), runtime: runtime, log: log)
    }

    private func network(to destination: UploadDestination) -> UploadWorker.Transport {
        { [weak self] request throws(HTTPFailure) in
            guard let self else { throw HTTPFailure(.stopped, cause: "the logbook stops") }
            return try await self.send(request, to: destination)
        }
    }

    /// Creates the worker of a destination.
    ///
    /// - Parameters:
    ///   - transport: sends a request; nil for the network.
    ///   - sleep: waits between two requests for the state of an upload.
    func worker(
        to destination: UploadDestination, transport: UploadWorker.Transport? = nil,
        sleep: @escaping @Sendable (Duration) async -> Void
    ) -> UploadWorker {
        UploadWorker(
            to: destination, services: services, vault: vault, writer: writer, reading: reading,
            transport: transport ?? network(to: destination), sleep: sleep, runtime: runtime, log: log)
    }

    /// Ends running requests. Their uploads are repeated after the next start.
    func stop() {
        for task in state.withLock(\.tasks) { task.cancel() }
        for client in clients.values { client.stop() }
    }

    // MARK: New sessions

    /// Adds sessions whose state was decided or has changed.
    func sessionsChanged(_ sessions: Set<SessionName>) {
        state.withLock { state in
            let capacity = max(0, Self.maximumChanged - state.changed.count)
            state.changed.formUnion(sessions.prefix(capacity))
        }
        tick()
    }

    /// Adds changed sessions, and all recent ones if that is due.
    func tick() {
        guard isResponsible() else { return }
        let now = runtime.now()
        let (changed, mustCheck) = state.withLock { state in
            let isDue = state.checkedAt.map { $0.duration(to: now) >= Self.checkInterval } ?? true
            if isDue { state.checkedAt = now }
            defer { state.changed = [] }
            return (state.changed, isDue)
        }
        guard mustCheck || !changed.isEmpty else { return }
        let date = runtime.unixMilliseconds()
        let accepted = writer.perform(
            { [services] store in
                let accounts = try store.uploadAccounts.all()
                    .filter { UploadDestination(rawValue: $0.destination).map(services.access) != nil }
                guard !accounts.isEmpty else { return }
                for name in changed {
                    guard let session = try store.session(name) else { continue }
                    try Self.add([session], to: accounts, in: store, at: date)
                }
                guard mustCheck else { return }
                for account in accounts {
                    var filter = SessionFilter(limit: 200)
                    filter.athlete = try store.merges.current(of: account.athlete)
                    filter.states = [.verified]
                    filter.times = date - Self.checkedMilliseconds..<Int64.max
                    try Self.add(try store.everySession(filter), to: [account], in: store, at: date)
                }
            }, failed: { [weak self] _ in self?.checkAgain() })
        if !accepted { checkAgain() }
    }

    /// Checks all recent sessions at the next tick.
    private func checkAgain() { state.withLock { $0.checkedAt = nil } }

    /// Adds the sessions of athletes with accounts.
    static func add(
        _ sessions: [StoredSession], to accounts: [StoredUploadAccount], in store: any LogbookStore,
        at now: Int64
    ) throws {
        for session in sessions where session.state == .verified {
            guard let athlete = session.athlete, let ended = session.endedAt,
                let seconds = session.resultTime, session.distance ?? 0 > 0
            else { continue }
            let isJustRow = session.workout?.hasPrefix("just_row") ?? true
            if isJustRow, seconds < shortestJustRow { continue }
            for account in accounts where ended >= account.since {
                guard try store.merges.current(of: account.athlete) == athlete else { continue }
                try store.uploads.add(
                    StoredUpload(session.name, of: account.athlete, to: account.destination, at: now))
            }
        }
    }
}

extension StoredUploadAccount {
    /// Stores why the service does not accept the credentials any more: uploads wait for a new connection.
    func save(
        problem: String, in store: any LogbookStore, _ log: SystemLog
    ) throws(StoreFailure) {
        var account = self
        account.problem = problem
        try store.uploadAccounts.update(account)
        let title = UploadDestination(rawValue: destination)?.title ?? destination
        log.warning("\(title) of an athlete needs a new connection: \(problem)")
    }
}
