import Bests
import Bytes
import Contract
import HostRuntime
import LogbookStores
import People
import WebPages
import WebServer

/// Answers HTTP requests for links to group results, and for the results that they show without a sign-in.
struct PieceLinkHandler: Sendable {
    /// No browser, proxy or search engine keeps a shared result. The code must not leave the address of its page.
    static let headers: [WebHeader] = [
        (name: "Cache-Control", value: "no-store"), (name: "X-Robots-Tag", value: "noindex, nofollow"),
    ]
    /// The file of the page that shows a shared result.
    static let page = "group/shared.html"

    private let records: RecordRequestHandler
    private let access: AccessControl
    private let pages: Pages
    private let runtime: any Runtime
    private let log: SystemLog
    /// The address of the pages by the configuration, with a slash at the end.
    private let configuredAddress: String

    init(
        _ records: RecordRequestHandler, access: AccessControl, pages: Pages, configuredAddress: String,
        runtime: any Runtime, log: SystemLog
    ) {
        (self.records, self.access, self.pages) = (records, access, pages)
        (self.configuredAddress, self.runtime, self.log) = (configuredAddress, runtime, log)
    }

    // MARK: Requests of coaches

    /// Answers a request for the links to the piece of a session.
    ///
    /// - Parameter pathValues: the gateway and the session; the link to revoke.
    func answer(
        _ endpoint: Endpoint, _ pathValues: [String], _ request: WebRequest,
        to identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        guard let reader = records.reader, let writer = records.writer else {
            throw RecordRequestHandler.noStore
        }
        let name = try RecordRequestHandler.session(pathValues)
        let (now, place) = (runtime.unixMilliseconds(), "\(name.gateway)/\(name.session)")
        switch endpoint {
        case .pieceLinks:
            return reader.answer { store in
                let piece = try records.repository(.everything, store).piece(of: name)
                let links = try PieceLinkRepository(store: store, now: now).links(to: piece)
                return RecordRequestHandler.json { json in
                    json.list("links", of: links) { json, link in link.write(into: &json) }
                }
            }
        case .sharePiece:
            try UserRequestHandler.checkEmpty(request.body)
            let address = PageAddress.forPhones(used: request.origin, configured: configuredAddress)
            return writer.answer { store in
                try Self.checked {
                    let piece = try records.repository(.everything, store).piece(of: name)
                    let code = Token(by: runtime)
                    let link = try PieceLinkRepository(store: store, now: now)
                        .share(piece, with: code, by: identity.name)
                    log.notice("shared group result \(place): link \(link.id), by \(identity.name ?? "")")
                    return RecordRequestHandler.json { json in
                        link.write(into: &json)
                        json.field("link", "\(address)/shared/\(code.printed)")
                    }
                }
            }
            .adding(Self.headers)
        case .revokePieceLink:
            return writer.answer { store in
                try Self.checked {
                    let piece = try records.repository(.everything, store).piece(of: name)
                    try PieceLinkRepository(store: store, now: now).revoke(pathValues[2], to: piece)
                    log.notice(
                        "revoked link \(pathValues[2]) to group result \(place), by \(identity.name ?? "")")
                    return .json(Array("{}".utf8))
                }
            }
        default: preconditionFailure("\(endpoint) is not about links")
        }
    }

    private static func checked(_ body: () throws -> WebAnswer) throws -> WebAnswer {
        do { return try body() } catch let fault as PieceLinkRepository.Fault {
            switch fault {
            case .unknown: throw InterfaceFault(404, "unknown_link", "\(fault)")
            case .tooMany: throw InterfaceFault(409, "too_many_links", "\(fault)")
            }
        }
    }

    // MARK: Requests of anybody with a link

    /// Answers with the page of a shared result. It contains no data, but only a valid link has a page.
    func page(_ code: String, _ request: WebRequest) -> WebAnswer {
        let file = pages[Self.page, request]
        return shared(code, request) { _, _, _ in
            guard let file else { return .notFound }
            return .content(type: file.contentType, file.bytes)
        }
    }

    /// Answers with a shared result: names instead of the ids of athletes and sessions, and no heart rates.
    func result(_ code: String, _ request: WebRequest) -> WebAnswer {
        shared(code, request) { [records] name, expiresAt, store in
            let repository = records.repository(.everything, store)
            let piece = try repository.piece(of: name)
            let (result, names) = (try repository.result(of: piece), try PeopleRepository.names(in: store))
            let additions = try PieceAdditionRepository(repository).additions(to: piece, in: result.columns)
            return RecordRequestHandler.json { json in
                json.field("expires_ms", expiresAt)
                json.object("piece", piece.writeShared)
                result.write(into: &json, sharedWith: names)
                json.list("additions", of: additions) { json, addition in
                    addition.write(into: &json, sharedWith: names)
                }
            }
        }
    }

    /// Answers with the table of a shared result as CSV.
    func table(_ code: String, _ request: WebRequest) -> WebAnswer {
        shared(code, request) { [records] name, _, store in
            try records.pieceTable(of: name, .everything, isShared: true, in: store)
        }
    }

    /// Answers a request with a code. Unknown, expired and revoked codes get the same answer.
    private func shared(
        _ code: String, _ request: WebRequest,
        _ answer:
            @escaping @Sendable (
                _ session: SessionName, _ expiresAt: Int64, _ store: any LogbookStore
            ) throws -> WebAnswer
    ) -> WebAnswer {
        guard let reader = records.reader else { return Self.invalid.adding(Self.headers) }
        let guess = AccessControl.Guess(code)
        if let refusal = access.refusal(of: guess, from: request.client) {
            return refusal.adding(Self.headers)
        }
        let now = runtime.unixMilliseconds()
        return reader.answer { [access] store in
            guard let token = Token(typed: code),
                let (name, expiresAt) = try PieceLinkRepository(store: store, now: now)
                    .session(forCode: token)
            else {
                access.recordWrong(guess, from: request.client)
                return Self.invalid
            }
            access.recordRight(guess)
            return try answer(name, expiresAt, store)
        }
        .adding(Self.headers)
    }

    private static let invalid = WebAnswer.failure(
        status: 404, code: "invalid_link",
        message: "this link has expired or was revoked; ask the coach for a new one")
}
