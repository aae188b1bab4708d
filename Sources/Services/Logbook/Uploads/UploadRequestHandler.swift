import Bytes
import Contract
import HTTPClient
import HostRuntime
import LogbookStores
import Uploads
import WebServer

/// Answers HTTP requests of athletes for their accounts at other services, and for the uploads of their sessions.
///
/// Credentials come in and never go out. Only the athlete sees accounts and uploads.
struct UploadRequestHandler: Sendable {
    /// The longest key, code or address that a person enters: bytes.
    private static let maximumLength = 2000

    private let records: RecordRequestHandler
    /// nil if uploads are off.
    private let service: UploadService?
    private let permitsPlainHTTP: Bool
    private let runtime: any Runtime
    private let log: SystemLog
    private let authorizations = PendingAuthorizations()

    init(
        _ records: RecordRequestHandler, _ service: UploadService?, permitsPlainHTTP: Bool = false,
        runtime: any Runtime, log: SystemLog
    ) {
        (self.records, self.service, self.permitsPlainHTTP) = (records, service, permitsPlainHTTP)
        (self.runtime, self.log) = (runtime, log)
    }

    /// - Parameter pathValues: the values of the path parameters, in order.
    func answer(
        _ endpoint: Endpoint, _ pathValues: [String], _ body: [UInt8], to identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        guard let writer = records.writer else { throw RecordRequestHandler.noStore }
        switch endpoint {
        case .uploadAccounts: return accounts(of: try Owner(identity), writer)
        case .connectUploads:
            return try connect(try destination(pathValues[0]), body, for: try Owner(identity), writer)
        case .finishUploadAuthorization: return try finish(body, for: try Owner(identity), writer)
        case .disconnectUploads:
            return disconnect(try destination(pathValues[0]), try Owner(identity), writer)
        case .sessionUploads:
            return uploads(of: try RecordRequestHandler.session(pathValues), identity, writer)
        case .uploadSession:
            return try upload(try RecordRequestHandler.session(pathValues), body, identity, writer)
        default: preconditionFailure("\(endpoint) is not about uploads")
        }
    }

    /// The athlete of a request.
    private struct Owner: Sendable {
        let athlete: String
        /// With the ids that were merged into it, which older accounts name.
        let ids: [String]

        init(_ identity: AccessControl.Identity) throws(InterfaceFault) {
            guard let athlete = identity.athlete else {
                throw InterfaceFault(
                    409, "not_an_athlete",
                    "only athletes connect accounts; sign in with an athlete's invitation")
            }
            (self.athlete, ids) = (athlete, [athlete] + identity.mergedIDs.sorted())
        }

        func accounts(in store: any LogbookStore) throws(StoreFailure) -> [StoredUploadAccount] {
            var found: [StoredUploadAccount] = []
            for id in ids { found += try store.uploadAccounts.all(of: id) }
            return found
        }
    }

    private func destination(_ name: String) throws(InterfaceFault) -> UploadDestination {
        guard let destination = UploadDestination(rawValue: name),
            service?.services.access(to: destination) != nil
        else {
            throw InterfaceFault(
                404, "unknown_destination",
                "this logbook does not upload to \"\(name.prefix(40))\"; ask who looks after it")
        }
        return destination
    }

    // MARK: Accounts

    private func accounts(of owner: Owner, _ writer: StoreQueue) -> WebAnswer {
        writer.answer { [service] store in
            let accounts = try owner.accounts(in: store)
            return RecordRequestHandler.json { json in
                json.list("destinations", of: service?.services.destinations ?? []) { json, destination in
                    json.field("destination", destination.rawValue)
                    json.field("access", service?.services.access(to: destination)?.rawValue)
                    guard let account = accounts.first(where: { $0.destination == destination.rawValue })
                    else { return }
                    json.object("account") { json in
                        json.field("label", account.label)
                        json.field("since_ms", account.since)
                        json.field("problem", account.problem)
                    }
                }
            }
        }
    }

    private func connect(
        _ destination: UploadDestination, _ body: [UInt8], for owner: Owner, _ writer: StoreQueue
    ) throws(InterfaceFault) -> WebAnswer {
        guard let service, let access = service.services.access(to: destination) else {
            preconditionFailure("the destination was checked")
        }
        switch access {
        case .authorization:
            try UserRequestHandler.checkEmpty(body)
            guard let flow = service.services.flow(for: destination) else {
                preconditionFailure("a destination with authorization has a flow")
            }
            let state = authorizations.begin(
                owner.athlete, destination, at: runtime.unixMilliseconds(), by: runtime)
            return RecordRequestHandler.json { $0.field("address", flow.authorizationAddress(state: state)) }
        case .key:
            let key = try Self.text("key", in: body)
            return store(.key(key), at: destination, owner, writer)
        case .address:
            let address = try webhookAddress(body)
            let secret = CredentialVault.random(32)
            let host = address.split(separator: "/").dropFirst().first.map(String.init) ?? address
            return writer.answer { [self] store in
                try save(.webhook(address: address, secret: secret), host, at: destination, owner, in: store)
                return RecordRequestHandler.json { json in
                    json.field("secret", UploadServices.printed(webhookSecret: secret))
                }
            }
        }
    }

    private func webhookAddress(_ body: [UInt8]) throws(InterfaceFault) -> String {
        let address = try Self.text("address", in: body)
        guard address.hasPrefix("https://") || permitsPlainHTTP && address.hasPrefix("http://"),
            address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !address.contains("@")
        else {
            throw InterfaceFault(400, "bad_value", "address must begin with https:// and have no password")
        }
        return address
    }

    /// Returns the only field of a body, a text that is not empty.
    private static func text(_ name: String, in body: [UInt8]) throws(InterfaceFault) -> String {
        do throws(CommandFault) {
            var fields = CommandFields(try CommandFields.object(body))
            guard let text = try fields.text(name), !text.isEmpty else { throw fields.missing(name) }
            try fields.finish()
            guard text.utf8.count <= maximumLength else {
                throw fields.wrong(name, "must have at most \(maximumLength) characters")
            }
            return text
        } catch { throw InterfaceFault(error) }
    }

    private func finish(
        _ body: [UInt8], for owner: Owner, _ writer: StoreQueue
    ) throws(InterfaceFault) -> WebAnswer {
        let (state, code): (String, String)
        do throws(CommandFault) {
            var fields = CommandFields(try CommandFields.object(body))
            guard let found = try fields.text("state") else { throw fields.missing("state") }
            guard let other = try fields.text("code") else { throw fields.missing("code") }
            try fields.finish()
            (state, code) = (found, other)
        } catch { throw InterfaceFault(error) }
        guard code.utf8.count <= Self.maximumLength,
            let destination = authorizations.end(state, of: owner.athlete, at: runtime.unixMilliseconds()),
            let service, let flow = service.services.flow(for: destination)
        else {
            throw InterfaceFault(
                409, "authorization_ended", "this took too long, or was done already; connect again")
        }
        return Self.deferred { [self] in
            let outcome: OAuthFlow.TokenOutcome
            do throws(HTTPFailure) {
                let answer = try await service.send(flow.tokenRequest(code: code), to: destination)
                outcome = flow.tokens(from: answer, at: runtime.unixMilliseconds())
            } catch { throw Self.unreachable(destination, "\(error)") }
            switch outcome {
            case .tokens(let tokens):
                return try await verifiedAnswer(.tokens(tokens), at: destination, owner, writer)
            case .refused(let reason): throw Self.refused(destination, reason)
            case .later(let reason, _): throw Self.unreachable(destination, reason)
            }
        }
    }

    /// Stores credentials after the service has accepted them.
    private func store(
        _ credentials: UploadCredentials, at destination: UploadDestination, _ owner: Owner,
        _ writer: StoreQueue
    ) -> WebAnswer {
        Self.deferred { [self] in try await verifiedAnswer(credentials, at: destination, owner, writer) }
    }

    private func verifiedAnswer(
        _ credentials: UploadCredentials, at destination: UploadDestination, _ owner: Owner,
        _ writer: StoreQueue
    ) async throws -> WebAnswer {
        guard let service else { preconditionFailure("a destination has a service") }
        let api = service.services.api(of: destination, at: runtime.unixMilliseconds())
        guard let request = api.accountRequest(with: credentials) else {
            preconditionFailure("the credentials are of the destination's kind")
        }
        let answer: HTTPAnswer
        do throws(HTTPFailure) { answer = try await service.send(request, to: destination) } catch {
            throw Self.unreachable(destination, "\(error)")
        }
        switch answer.status {
        case 200..<300: break
        case 401, 403: throw Self.refused(destination, "status \(answer.status)")
        default: throw Self.unreachable(destination, "status \(answer.status)")
        }
        let label =
            (try? JSONObject(parsing: answer.body)).flatMap { api.accountLabel($0) } ?? destination.title
        return try await writer.result { [self] store in
            try save(credentials, String(label.prefix(80)), at: destination, owner, in: store)
            return RecordRequestHandler.json { $0.field("label", String(label.prefix(80))) }
        }
    }

    /// Stores an account. Pending uploads of a former one are attempted at once.
    private func save(
        _ credentials: UploadCredentials, _ label: String, at destination: UploadDestination, _ owner: Owner,
        in store: any LogbookStore
    ) throws {
        guard let vault = service?.vault else { preconditionFailure("a destination has a service") }
        let now = runtime.unixMilliseconds()
        try store.atomically {
            let former = try owner.accounts(in: store).first { $0.destination == destination.rawValue }
            for id in owner.ids where id != owner.athlete {
                _ = try store.uploadAccounts.remove(of: id, at: destination.rawValue)
            }
            try store.uploadAccounts.save(
                StoredUploadAccount(
                    athlete: owner.athlete, destination: destination.rawValue, label: label,
                    secret: vault.encrypted(credentials, of: owner.athlete, at: destination),
                    since: former?.since ?? now))
            try store.uploads.resume(of: owner.athlete, to: destination.rawValue, at: now)
        }
        log.notice("an athlete connected \(destination.title)")
    }

    private func disconnect(
        _ destination: UploadDestination, _ owner: Owner, _ writer: StoreQueue
    ) -> WebAnswer {
        writer.answer { [log] store in
            try store.atomically {
                for id in owner.ids {
                    _ = try store.uploadAccounts.remove(of: id, at: destination.rawValue)
                    try store.uploads.removeUnfinished(of: id, to: destination.rawValue)
                    if destination == .intervalsICU { _ = try store.removePlan(IntervalsPlan.id(of: id)) }
                }
            }
            log.notice("an athlete disconnected \(destination.title)")
            return .json(Array("{}".utf8))
        }
    }

    private static func refused(_ destination: UploadDestination, _ reason: String) -> InterfaceFault {
        InterfaceFault(422, "access_refused", "\(destination.title) does not accept this: \(reason)")
    }

    private static func unreachable(_ destination: UploadDestination, _ reason: String) -> InterfaceFault {
        InterfaceFault(
            502, "service_failed",
            "\(destination.title) did not answer as expected: \(reason); try again later")
    }

    /// An answer that waits for other services.
    private static func deferred(_ work: @escaping @Sendable () async throws -> WebAnswer) -> WebAnswer {
        .deferred { answer in
            Task {
                do { answer(try await work()) } catch let fault as InterfaceFault {
                    answer(fault.answer)
                } catch {
                    answer(InterfaceFault(503, "store_failed", "\(error)").answer)
                }
            }
        }
    }

    // MARK: Uploads of a session

    private func uploads(
        of name: SessionName, _ identity: AccessControl.Identity, _ writer: StoreQueue
    ) -> WebAnswer {
        writer.answer { [service] store in
            _ = try RecordRequestHandler.storedSession(name, RecordAccessPolicy(identity), in: store)
            let owner = try Owner(identity)
            let uploads = try store.uploads.uploads(of: name).filter { owner.ids.contains($0.athlete) }
            let accounts = try owner.accounts(in: store)
            return RecordRequestHandler.json { json in
                json.list("uploads", of: service?.services.destinations ?? []) { json, destination in
                    let upload = uploads.first { $0.destination == destination.rawValue }
                    let account = accounts.first { $0.destination == destination.rawValue }
                    json.field("destination", destination.rawValue)
                    json.field("connected", account != nil)
                    json.field("problem", account?.problem)
                    upload?.write(into: &json)
                }
            }
        }
    }

    /// Uploads a session to one destination now: also an earlier one, and one that was refused.
    private func upload(
        _ name: SessionName, _ body: [UInt8], _ identity: AccessControl.Identity, _ writer: StoreQueue
    ) throws(InterfaceFault) -> WebAnswer {
        let destination = try destination(try Self.text("destination", in: body))
        let now = runtime.unixMilliseconds()
        return writer.answer { store in
            let session = try RecordRequestHandler.storedSession(
                name, RecordAccessPolicy(identity), in: store)
            let owner = try Owner(identity)
            guard
                let account = try owner.accounts(in: store).first(where: {
                    $0.destination == destination.rawValue
                })
            else {
                throw InterfaceFault(409, "not_connected", "connect \(destination.title) first")
            }
            guard session.resultTime ?? 0 > 0 else {
                throw InterfaceFault(409, "nothing_rowed", "the session has no result yet")
            }
            return try store.atomically {
                let known = try store.uploads.uploads(of: name)
                    .first { $0.athlete == account.athlete && $0.destination == destination.rawValue }
                if known?.state == .uploaded {
                    throw InterfaceFault(409, "uploaded", "\(destination.title) has this session already")
                }
                let upload = StoredUpload(name, of: account.athlete, to: destination.rawValue, at: now)
                // A request that is being sent goes on.
                if known?.state != .sending { try store.uploads.save(upload) }
                return RecordRequestHandler.json { json in
                    json.field("destination", destination.rawValue)
                    upload.write(into: &json)
                }
            }
        }
    }
}

extension StoredUpload {
    /// Writes the members into an open object.
    fileprivate func write(into json: inout JSONWriter) {
        json.field("state", state.rawValue)
        json.field("changed_ms", changedAt)
        json.field("next_ms", state == .pending ? nextAt : nil)
        json.field("reason", reason)
        let isStrava = destination == UploadDestination.strava.rawValue
        json.field("link", isStrava ? remoteID.map { "https://www.strava.com/activities/\($0)" } : nil)
    }
}
