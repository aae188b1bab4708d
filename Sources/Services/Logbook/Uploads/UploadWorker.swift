import Bests
import Contract
import HTTPClient
import HostRuntime
import LogbookStores
import People
import Synchronization
import Timeline
import Uploads

/// Uploads the sessions of all athletes to one service, one after the other.
///
/// The table of uploads is the queue. An upload is marked before its request is sent, so that a killed process does not
/// forget it; the service recognizes a repetition.
final class UploadWorker: Sendable {
    typealias Transport = @Sendable (HTTPRequest) async throws(HTTPFailure) -> HTTPAnswer

    /// How often, and at which interval, the state of an upload is asked for that the service is processing.
    private static let (statusRequests, statusInterval) = (10, Duration.seconds(2))
    /// The time until an upload whose account has a problem is looked at again, in milliseconds. A new connection does
    /// so at once.
    private static let problemInterval: Int64 = 86_400_000

    private let destination: UploadDestination
    private let services: UploadServices
    private let vault: CredentialVault
    private let writer: StoreQueue
    private let reading: SessionReading
    private let transport: Transport
    private let sleep: @Sendable (Duration) async -> Void
    private let runtime: any Runtime
    private let log: SystemLog
    /// Until when the service wants no requests: Unix milliseconds.
    private let pausedUntil = Mutex(Int64(0))

    /// - Parameters:
    ///   - transport: sends a request.
    ///   - sleep: waits between two requests for the state of an upload.
    init(
        to destination: UploadDestination, services: UploadServices, vault: CredentialVault,
        writer: StoreQueue,
        reading: SessionReading, transport: @escaping Transport,
        sleep: @escaping @Sendable (Duration) async -> Void, runtime: any Runtime, log: SystemLog
    ) {
        (self.destination, self.services, self.vault) = (destination, services, vault)
        (self.writer, self.reading, self.transport) = (writer, reading, transport)
        (self.sleep, self.runtime, self.log) = (sleep, runtime, log)
    }

    /// An upload with all that its requests need.
    private struct Job: Sendable {
        var upload: StoredUpload
        var account: StoredUploadAccount
        var credentials: UploadCredentials
        var session: UploadableSession
    }

    private enum Next: Sendable {
        case nothing
        /// The next upload needed no request.
        case settled
        case job(Job)
    }

    /// Performs the next upload whose time has come. Returns whether there may be more.
    func step() async -> Bool {
        let now = runtime.unixMilliseconds()
        guard pausedUntil.withLock({ $0 }) <= now else { return false }
        do {
            switch try await writer.result(of: { [self] store in try next(in: store, at: now) }) {
            case .nothing: return false
            case .settled: return true
            case .job(var job):
                guard let outcome = await outcome(of: &job) else { return false }
                return try await settle(job, outcome)
            }
        } catch {
            // The upload stays in the table.
            return false
        }
    }

    // MARK: Choosing

    private func next(in store: any LogbookStore, at now: Int64) throws -> Next {
        try store.atomically {
            guard
                var upload = try store.uploads.due(to: destination.rawValue, at: now, limit: 1).first
            else { return .nothing }
            let account = try store.uploadAccounts.all(of: upload.athlete)
                .first { $0.destination == destination.rawValue }
            let stored = try store.session(upload.session)
            guard let account, let stored, stored.athlete == (try store.merges.current(of: upload.athlete))
            else {
                // The athlete has disconnected the service, or the session counts for another athlete now.
                try store.uploads.remove(upload)
                return .settled
            }
            guard account.problem == nil,
                let credentials = vault.decrypted(account.secret, of: account.athlete, at: destination)
            else {
                if account.problem == nil {
                    try account.save(problem: "the key of the logbook was replaced", in: store, log)
                }
                (upload.nextAt, upload.state) = (now + Self.problemInterval, .pending)
                try store.uploads.save(upload)
                return .settled
            }
            guard let session = try reading.uploadable(stored, in: store) else {
                (upload.state, upload.reason, upload.changedAt) = (.refused, "the session has no result", now)
                try store.uploads.save(upload)
                return .settled
            }
            upload.state = .sending
            upload.attempts += 1
            upload.nextAt = now + 60_000
            try store.uploads.save(upload)
            return .job(Job(upload: upload, account: account, credentials: credentials, session: session))
        }
    }

    // MARK: Sending

    /// Returns nil if the client was stopped.
    private func outcome(of job: inout Job) async -> UploadOutcome? {
        if case .tokens(let tokens) = job.credentials, tokens.isExpired(at: runtime.unixMilliseconds()),
            let failure = await refresh(&job)
        {
            return failure
        }
        var outcome = await send(job)
        // The service may have ended the tokens before their time.
        if case .unauthorized = outcome, case .tokens(let tokens) = job.credentials, tokens.refresh != nil {
            if let failure = await refresh(&job) { return failure }
            outcome = await send(job)
        }
        return outcome
    }

    private func send(_ job: Job) async -> UploadOutcome? {
        let api = services.api(of: destination, at: runtime.unixMilliseconds())
        guard let request = api.request(for: job.session, with: job.credentials) else {
            return .unauthorized("the stored access is of another kind")
        }
        var outcome = await answer(to: request, by: api)
        for _ in 0..<Self.statusRequests {
            guard case .processing(let id) = outcome,
                let request = api.statusRequest(id, with: job.credentials)
            else { break }
            await sleep(Self.statusInterval)
            outcome = await answer(to: request, by: api)
        }
        if case .processing = outcome { return .later("the service is still processing the session") }
        return outcome
    }

    private func answer(to request: HTTPRequest, by api: any DestinationAPI) async -> UploadOutcome? {
        do throws(HTTPFailure) { return api.outcome(of: try await transport(request)) } catch {
            return switch error.kind {
            case .stopped: nil
            case .invalidRequest, .addressNotAllowed: .refused("\(error)")
            default: .later("\(error)")
            }
        }
    }

    /// Gets new tokens and stores them before their first use. Returns why there are none.
    private func refresh(_ job: inout Job) async -> UploadOutcome? {
        guard case .tokens(let tokens) = job.credentials, let refresh = tokens.refresh,
            let flow = services.flow(for: destination)
        else { return .unauthorized("the access has ended") }
        let found: OAuthFlow.TokenOutcome
        do throws(HTTPFailure) {
            let answer = try await transport(flow.refreshRequest(refresh))
            found = flow.tokens(from: answer, keeping: refresh, at: runtime.unixMilliseconds())
        } catch { return .later("\(error)") }
        switch found {
        case .refused(let reason): return .unauthorized(reason)
        case .later(let reason, let delay): return .later(reason, delay: delay)
        case .tokens(let tokens):
            job.credentials = .tokens(tokens)
            job.account.secret = vault.encrypted(job.credentials, of: job.account.athlete, at: destination)
            let account = job.account
            do {
                try await writer.result { store in try store.uploadAccounts.update(account) }
                return nil
            } catch { return .later("the new access cannot be stored: \(error)") }
        }
    }

    // MARK: Settling

    /// Stores the outcome of an upload. Returns whether the next one may follow at once.
    private func settle(_ job: Job, _ outcome: UploadOutcome) async throws -> Bool {
        let now = runtime.unixMilliseconds()
        var upload = job.upload
        upload.changedAt = now
        upload.reason = nil
        var problem: String?
        switch outcome {
        case .uploaded(let id): (upload.state, upload.remoteID) = (.uploaded, id)
        case .refused(let reason): (upload.state, upload.reason) = (.refused, reason)
        case .unauthorized(let reason):
            problem = reason
            (upload.state, upload.reason) = (.pending, reason)
            upload.nextAt = now + Self.problemInterval
        case .processing: preconditionFailure("the worker waits for the end of processing")
        case .later(let reason, let delay):
            let next = UploadRetry.delay(after: upload.attempts, asked: delay, random: runtime.random())
            (upload.state, upload.reason) = (next == nil ? .refused : .pending, reason)
            upload.nextAt = now + (next ?? 0) * 1000
            if let delay { pausedUntil.withLock { $0 = now + min(delay, 86_400) * 1000 } }
        }
        let (settled, isProblem) = (upload, problem)
        try await writer.result { [self] store in
            try store.atomically {
                // The athlete may have disconnected the service, or been erased, during the request.
                let accounts = try store.uploadAccounts.all(of: settled.athlete)
                guard let account = accounts.first(where: { $0.destination == settled.destination }) else {
                    return
                }
                try store.uploads.save(settled)
                if let isProblem { try account.save(problem: isProblem, in: store, log) }
            }
        }
        record(settled)
        return true
    }

    private func record(_ upload: StoredUpload) {
        let place = "\(upload.session.gateway)/\(upload.session.session) to \(destination.title)"
        switch upload.state {
        case .uploaded: log.notice("uploaded \(place)")
        case .refused: log.warning("the upload of \(place) was refused: \(upload.reason ?? "")")
        case .pending, .sending:
            log.notice("the upload of \(place) is repeated later: \(upload.reason ?? "")")
        }
    }
}
