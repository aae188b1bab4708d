import HTTPClient
import HostRuntime
import LogbookStores
import Plans
import Synchronization
import Timeline
import Uploads

/// Reads the planned workouts of athletes from intervals.icu, as plans (`IntervalsPlan`).
///
/// Each account is read after it was connected, and then once an hour. The time is stored before the request, so that
/// neither a restart nor another logbook repeats it early. A failed request is not repeated before the next hour.
final class PlannedWorkoutReader: Sendable {
    /// The time between two requests for an athlete, and between two searches for plans without an account:
    /// milliseconds.
    private static let interval: Int64 = 3_600_000
    /// The days after today that are read.
    private static let followingDays: Int64 = 14
    private static let destination = UploadDestination.intervalsICU

    private struct State {
        /// Until when the service wants no requests: Unix milliseconds.
        var pausedUntil: Int64 = 0
        /// The plans that were there for an account at the last search, and the time of the search.
        var expected: (plans: Set<String>, at: Int64)?
    }

    private let services: UploadServices
    private let vault: CredentialVault
    private let writer: StoreQueue
    private let calendar: ClubCalendar
    private let transport: UploadWorker.Transport
    private let runtime: any Runtime
    private let log: SystemLog
    private let state = Mutex(State())

    /// - Parameters:
    ///   - calendar: the club's days.
    ///   - transport: sends a request.
    init(
        services: UploadServices, vault: CredentialVault, writer: StoreQueue, calendar: ClubCalendar,
        transport: @escaping UploadWorker.Transport, runtime: any Runtime, log: SystemLog
    ) {
        (self.services, self.vault, self.writer, self.calendar) = (services, vault, writer, calendar)
        (self.transport, self.runtime, self.log) = (transport, runtime, log)
    }

    private struct Job: Sendable {
        var account: StoredUploadAccount
        var credentials: UploadCredentials
        var days: ClosedRange<CalendarDay>
    }

    private enum Next: Sendable {
        case nothing
        /// The next account needed no request.
        case settled
        case job(Job)
    }

    /// Reads the next account whose time has come. Returns whether there may be more.
    func step() async -> Bool {
        let now = runtime.unixMilliseconds()
        let next: Next
        // The time of the account stays, and the next step finds it again.
        do { next = try await writer.result { [self] store in try self.next(in: store, at: now) } } catch {
            return false
        }
        switch next {
        case .nothing: return false
        case .settled: return true
        case .job(let job):
            guard let outcome = await outcome(of: job) else { return false }
            do { try await settle(job, outcome) } catch {
                log.warning(
                    "the planned workouts of an athlete were not stored: \(error); "
                        + "the next attempt is in an hour")
            }
            return true
        }
    }

    // MARK: Choosing

    private func next(in store: any LogbookStore, at now: Int64) throws -> Next {
        try store.atomically {
            let accounts = try readAccounts(in: store)
            try removeOtherPlans(than: accounts, in: store, at: now)
            guard state.withLock({ $0.pausedUntil }) <= now,
                let account = accounts.first(where: { $0.problem == nil && Self.isDue($0, at: now) })
            else { return .nothing }
            guard
                let credentials = vault.decrypted(
                    account.secret, of: account.athlete, at: Self.destination)
            else {
                try account.save(problem: "the key of the logbook was replaced", in: store, log)
                return .settled
            }
            try store.uploadAccounts.savePlansRead(
                of: account.athlete, at: account.destination, now)
            let today = calendar.day(of: now)
            return .job(
                Job(
                    account: account, credentials: credentials,
                    days: today...today.advanced(by: Self.followingDays)))
        }
    }

    private static func isDue(_ account: StoredUploadAccount, at now: Int64) -> Bool {
        account.plansReadAt.map { !isRecent($0, at: now) } ?? true
    }

    /// Whether a time is less than an hour ago. A time that is much later than now is that of a wrong clock.
    private static func isRecent(_ time: Int64, at now: Int64) -> Bool {
        (1 - interval..<interval).contains(now - time)
    }

    /// Returns the accounts, one for each athlete: of several that were merged, that of the remaining id.
    private func readAccounts(in store: any LogbookStore) throws -> [StoredUploadAccount] {
        guard services.calendar != nil else { return [] }
        var found: [String: StoredUploadAccount] = [:]
        for account in try store.uploadAccounts.all()
        where account.destination == Self.destination.rawValue {
            let athlete = try store.merges.current(of: account.athlete)
            if found[athlete] == nil || account.athlete == athlete { found[athlete] = account }
        }
        return found.values.sorted { $0.athlete < $1.athlete }
    }

    /// Removes plans whose account was disconnected, erased or not restored from a backup.
    private func removeOtherPlans(
        than accounts: [StoredUploadAccount], in store: any LogbookStore, at now: Int64
    ) throws(StoreFailure) {
        let plans = Set(accounts.map { IntervalsPlan.id(of: $0.athlete) })
        let isKnown = state.withLock { state in
            state.expected.map { $0.plans == plans && Self.isRecent($0.at, at: now) } ?? false
        }
        guard !isKnown else { return }
        for plan in try store.plans() where IntervalsPlan.isID(plan.slug) && !plans.contains(plan.slug) {
            _ = try store.removePlan(plan.slug)
        }
        state.withLock { $0.expected = (plans, now) }
    }

    // MARK: Reading

    /// Returns nil if the client was stopped.
    private func outcome(of job: Job) async -> IntervalsICUCalendar.Outcome? {
        guard let calendar = services.calendar,
            let request = calendar.request(for: job.days, with: job.credentials)
        else { return .unauthorized("the stored access is of another kind") }
        do throws(HTTPFailure) {
            return calendar.outcome(of: try await transport(request), for: job.days)
        } catch {
            return error.kind == .stopped ? nil : .later("\(error)")
        }
    }

    private func settle(_ job: Job, _ outcome: IntervalsICUCalendar.Outcome) async throws {
        let now = runtime.unixMilliseconds()
        if case .later(let reason, let delay) = outcome {
            log.notice(
                "the planned workouts of an athlete were not read: \(reason); the next attempt is in an hour")
            if let delay { state.withLock { $0.pausedUntil = now + min(delay, 86_400) * 1000 } }
            return
        }
        try await writer.result { [self] store in
            try store.atomically {
                // The athlete may have disconnected or connected again, or been erased, during the request.
                let account = try store.uploadAccounts.all(of: job.account.athlete)
                    .first { $0.destination == Self.destination.rawValue }
                guard let account, account.secret == job.account.secret else { return }
                switch outcome {
                case .events(let events):
                    try save(events, of: account, today: job.days.lowerBound, store, now)
                case .unauthorized(let reason): try account.save(problem: reason, in: store, log)
                case .later: break
                }
            }
        }
    }

    /// Stores the plan if its content has changed.
    private func save(
        _ events: IntervalsICUEvents, of account: StoredUploadAccount, today: CalendarDay,
        _ store: any LogbookStore, _ now: Int64
    ) throws {
        let id = IntervalsPlan.id(of: account.athlete)
        let isStored = try store.plans().contains { $0.slug == id }
        // A damaged plan is replaced.
        let former: TrainingPlan?
        do { former = try PlanRepository.plan(id, in: store)?.plan } catch is PlanFault { former = nil }
        let athlete = try store.merges.current(of: account.athlete)
        let name = try PeopleRepository.names(in: store)[athlete]
        let plan = try IntervalsPlan.plan(
            id, for: athlete, named: name, events.workouts, replacing: former, today: today)
        guard let plan else {
            if isStored { _ = try store.removePlan(id) }
            return
        }
        guard plan != former else { return }
        try PlanRepository.save(plan, at: now, in: store)
        log.notice(
            "read \(events.workouts.count) planned workouts of an athlete from \(Self.destination.title); "
                + "\(events.openWorkouts) without goal, \(events.leftOut) left out")
    }
}
