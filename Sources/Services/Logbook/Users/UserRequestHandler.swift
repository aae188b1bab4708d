import Bytes
import Contract
import HostRuntime
import LogbookStores
import People
import QRCodes
import WebServer

/// Answers HTTP requests for users, their devices and invitations, and for the cards of ergs.
struct UserRequestHandler: Sendable {
    /// nil without a store.
    struct Storage: Sendable {
        let reader: StoreQueue
        let writer: StoreQueue
        let directory: UserDirectory
    }

    private let storage: Storage?
    private let access: AccessControl
    private let runtime: any Runtime
    private let log: SystemLog
    /// The address of the pages by the configuration, with a slash at the end.
    private let configuredAddress: String

    init(
        _ storage: Storage?, access: AccessControl, configuredAddress: String, runtime: any Runtime,
        log: SystemLog
    ) {
        (self.storage, self.access, self.configuredAddress) = (storage, access, configuredAddress)
        (self.runtime, self.log) = (runtime, log)
    }

    // MARK: Requests of captains and coaches

    /// - Parameter pathValues: the values of the path parameters, in order.
    func answer(
        _ endpoint: Endpoint, _ pathValues: [String], _ request: WebRequest,
        to identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        guard let storage else { throw RecordRequestHandler.noStore }
        let now = runtime.unixMilliseconds()
        switch endpoint {
        case .users:
            return storage.reader.answer { store in
                let users = try UserRepository.all(in: store, at: now)
                return RecordRequestHandler.json { json in
                    json.list("users", of: users) { json, user in
                        user.write(into: &json, usedBy: identity.device)
                    }
                }
            }
        case .ownDevices:
            guard let user = identity.user else { throw Self.noUser }
            return storage.reader.answer { store in
                try Self.checked { try Self.described(user, in: store, at: now, to: identity) }
            }
        default:
            let change = try change(endpoint, pathValues, request, by: identity, at: now)
            return storage.writer.answer { store in
                try Self.checked {
                    let answer = try change(store)
                    try storage.directory.read(from: store)
                    return answer
                }
            }
        }
    }

    private typealias Change = @Sendable (any LogbookStore) throws -> WebAnswer

    /// Checks the request and returns the change.
    private func change(
        _ endpoint: Endpoint, _ pathValues: [String], _ request: WebRequest,
        by identity: AccessControl.Identity, at now: Int64
    ) throws(InterfaceFault) -> Change {
        let runtime = runtime
        switch endpoint {
        case .addUser:
            let (name, role) = try Self.nameAndRole(request.body, UserRepository.invitedByName)
            guard let name, let role else {
                throw InterfaceFault(
                    400, "missing_field", "the body must be {\"name\": \"...\", \"role\": \"coach\"}")
            }
            return { [self] store in
                invited(
                    try UserRepository.invite(named: name, as: role, in: store, at: now, by: runtime),
                    request)
            }
        case .inviteUser:
            try Self.checkEmpty(request.body)
            return { [self] store in
                invited(
                    try UserRepository.invite(user: pathValues[0], in: store, at: now, by: runtime), request)
            }
        case .inviteAthlete:
            try Self.checkEmpty(request.body)
            guard AthleteID.isValid(pathValues[0]) else {
                throw InterfaceFault(UserRepository.Fault.unknownAthlete(pathValues[0]))
            }
            return { [self] store in
                invited(
                    try UserRepository.invite(athlete: pathValues[0], in: store, at: now, by: runtime),
                    request)
            }
        case .setUser:
            let (name, role) = try Self.nameAndRole(request.body, [.coach, .captain])
            return { store in
                try UserRepository.change(pathValues[0], name: name, role: role, in: store)
                return try Self.described(pathValues[0], in: store, at: now, to: identity)
            }
        case .revokeInvitation:
            return { store in
                try UserRepository.revokeInvitation(of: pathValues[0], in: store)
                return try Self.described(pathValues[0], in: store, at: now, to: identity)
            }
        case .removeUser:
            return { store in
                try UserRepository.remove(pathValues[0], in: store)
                return Self.empty()
            }
        case .removeDevice:
            return { store in
                try UserRepository.removeDevice(pathValues[1], of: pathValues[0], in: store, at: now)
                return Self.empty()
            }
        case .removeOwnDevice:
            guard let user = identity.user else { throw Self.noUser }
            return { store in
                try UserRepository.removeDevice(pathValues[0], of: user, in: store, at: now)
                return Self.empty()
            }
        default: preconditionFailure("\(endpoint) is not about users")
        }
    }

    private static func nameAndRole(
        _ body: [UInt8], _ roles: [Role]
    ) throws(InterfaceFault) -> (name: String?, role: Role?) {
        do throws(CommandFault) {
            var fields = CommandFields(try CommandFields.object(body))
            let (name, role) = (try fields.text("name"), try fields.text("role"))
            try fields.finish()
            let known = role.flatMap(Role.init)
            if role != nil, !(known.map(roles.contains) ?? false) {
                let names = roles.map(\.rawValue).joined(separator: ", ")
                throw fields.wrong("role", "must be one of \(names); athletes are invited by their id")
            }
            return (name, known)
        } catch { throw InterfaceFault(error) }
    }

    /// Throws for a body that is not `{}`.
    static func checkEmpty(_ body: [UInt8]) throws(InterfaceFault) {
        do throws(CommandFault) {
            let fields = CommandFields(try CommandFields.object(body))
            try fields.finish()
        } catch { throw InterfaceFault(error) }
    }

    /// The answer that describes a user.
    private static func described(
        _ id: String, in store: any LogbookStore, at now: Int64, to identity: AccessControl.Identity
    ) throws -> WebAnswer {
        let user = try UserRepository.user(id, in: store, at: now)
        return RecordRequestHandler.json { json in user.write(into: &json, usedBy: identity.device) }
    }

    /// Turns faults about users and names into those of the interface.
    private static func checked(_ body: () throws -> WebAnswer) throws -> WebAnswer {
        do { return try body() } catch let fault as UserRepository.Fault {
            throw InterfaceFault(fault)
        } catch let fault as PeopleFault {
            throw InterfaceFault(400, "bad_value", "\(fault)")
        }
    }

    private func invited(_ invitation: UserRepository.Invitation, _ request: WebRequest) -> WebAnswer {
        let address = PageAddress.forPhones(used: request.origin, configured: configuredAddress)
        let link = invitation.link(below: address)
        log.notice("invited: \(invitation.user.name) (\(invitation.user.role.rawValue))")
        return RecordRequestHandler.json { json in
            json.field("user_id", invitation.user.id)
            json.field("name", invitation.user.name)
            json.field("role", invitation.user.role.rawValue)
            json.field("expires_ms", invitation.expiresAt)
            json.field("link", link)
            json.write(QRCode(link))
        }
    }

    private static func empty() -> WebAnswer { .json(Array("{}".utf8)) }

    private static let noUser = InterfaceFault(
        409, "no_user", "this browser is signed in with a token, which belongs to no user")

    // MARK: Invitations

    /// Describes an invitation without using it: `{"code"}`.
    func check(_ request: WebRequest) throws(InterfaceFault) -> WebAnswer {
        guard let storage else { throw RecordRequestHandler.noStore }
        let (code, _) = try Self.codeAndName(request.body)
        if let refusal = access.refusal(ofGuessesFrom: request.client) { return refusal }
        let now = runtime.unixMilliseconds()
        return storage.reader.answer { [access] store in
            guard let token = Token(typed: code),
                let user = try store.users.invited(with: token.digest, at: now)
            else { throw Self.unknown(code, request, access) }
            return RecordRequestHandler.json { json in
                json.field("name", user.name)
                json.field("role", user.role)
                json.field("expires_ms", user.invitation?.expiresAt)
            }
        }
    }

    /// Uses an invitation and signs the browser in: `{"code"}`; coaches and captains may correct their `name`.
    func accept(_ request: WebRequest) throws(InterfaceFault) -> WebAnswer {
        guard let storage else { throw RecordRequestHandler.noStore }
        let (code, name) = try Self.codeAndName(request.body)
        if let refusal = access.refusal(ofGuessesFrom: request.client) { return refusal }
        let (now, runtime) = (runtime.unixMilliseconds(), runtime)
        return storage.writer.answer { [access, log] store in
            let token = Token(by: runtime)
            let device = StoredDevice(
                digest: token.digest, user: "", name: DeviceName.of(agent: request.agent), createdAt: now,
                seenAt: now)
            guard let invitation = Token(typed: code),
                let user = try store.users.accept(invitation.digest, on: device, at: now)
            else { throw Self.unknown(code, request, access) }
            // A wrong name must not cost the invitation, which is used now.
            if let name, user.athlete == nil {
                try? UserRepository.change(user.id, name: name, role: nil, in: store)
            }
            try storage.directory.read(from: store)
            guard case .found(let identity) = storage.directory.lookup(token.digest) else {
                throw InterfaceFault(503, "starting", "the invitation is used; ask for another one")
            }
            log.notice(
                "signed in by invitation: \(identity.name ?? "") (\(identity.role.rawValue)), \(device.name)")
            return LogbookRouter.describe(identity, [AccessControl.cookie(for: token, request)])
        }
    }

    private static func codeAndName(
        _ body: [UInt8]
    ) throws(InterfaceFault) -> (code: String, name: String?) {
        do throws(CommandFault) {
            var fields = CommandFields(try CommandFields.object(body))
            guard let code = try fields.text("code") else { throw fields.missing("code") }
            let name = try fields.text("name")
            try fields.finish()
            return (code, name)
        } catch { throw InterfaceFault(error) }
    }

    private static func unknown(
        _ code: String, _ request: WebRequest, _ access: AccessControl
    ) -> InterfaceFault {
        access.recordWrongInvitation(code, from: request.client)
        return InterfaceFault(
            404, "unknown_invitation",
            "this invitation was used, was revoked or has expired; ask your coach for a new one")
    }

    /// Signs the browser out, and removes its device.
    func signOut(_ request: WebRequest) -> WebAnswer {
        let answer = WebAnswer.json(Array("{}".utf8), headers: [AccessControl.expiredCookie])
        guard let storage, let token = request.cookie(AccessControl.cookie).flatMap(Token.init(typed:)),
            case .found = storage.directory.lookup(token.digest)
        else { return answer }
        // The browser forgets its token in any case.
        let isQueued = storage.writer.perform(
            { store in
                _ = try store.users.removeDevice(token.digest)
                try storage.directory.read(from: store)
            }, failed: { [log] in log.warning("a device that signed out is still listed: \($0)") })
        if !isQueued { log.warning("a device that signed out is still listed: the store is busy") }
        return answer
    }

    // MARK: Cards

    /// The addresses of the ergs of a gateway as QR codes, for cards to print.
    ///
    /// - Parameter used: the address that the browser has for this server.
    func ergCards(
        of name: String, at used: String?, in room: LiveRoom
    ) throws(InterfaceFault) -> WebAnswer {
        guard let gateway = GatewayID(name), let live = room.gateways[gateway] else {
            throw InterfaceFault(
                404, "unknown_gateway",
                "unknown gateway \"\(name.prefix(40))\"; /api/v1/gateways lists all gateways")
        }
        let address = PageAddress.forPhones(used: used, configured: configuredAddress)
        return RecordRequestHandler.json { json in
            json.field("gw", gateway.slug)
            json.list("cards", of: live.ergs.keys.sorted()) { json, erg in
                let link = "\(address)/e/\(gateway.slug)/\(erg.slug)"
                json.field("erg", erg.slug)
                json.field("link", link)
                json.write(QRCode(link))
            }
        }
    }
}

extension InterfaceFault {
    fileprivate init(_ fault: UserRepository.Fault) {
        let (status, code): (UInt32, String) =
            switch fault {
            case .unknownUser: (404, "unknown_user")
            case .unknownDevice: (404, "unknown_device")
            case .unknownAthlete: (404, "unknown_athlete")
            case .usedAthlete: (409, "is_athlete")
            case .roomDevice: (409, "is_room_device")
            case .lastCaptain: (409, "last_captain")
            case .tooMany: (409, "too_many_users")
            }
        self.init(status, code, "\(fault)")
    }
}

extension JSONWriter {
    /// Writes a QR code as `qr`: the length of a side with the quiet zone, and the path of its dark modules.
    fileprivate mutating func write(_ code: QRCode?) {
        guard let code else { return }
        object("qr") { json in
            json.field("size", code.size + 2 * QRCode.quietZone)
            json.field("path", code.path)
        }
    }
}
