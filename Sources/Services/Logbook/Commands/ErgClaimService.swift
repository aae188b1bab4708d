import Bytes
import Contract
import WebServer

/// Assigns athletes to ergs: athletes themselves from the page of the erg, phones that check in, and room devices.
///
/// An athlete is at one erg at a time: the newer claim holds, and the older erg is cleared. The assignment of a claim
/// ends with the session.
struct ErgClaimService: Sendable {
    /// The value of `until` for an assignment that ends with the session.
    static let sessionEnd = "session_end"

    let room: LiveRoom
    let commands: CommandService

    /// - Parameter pathValues: the gateway and the erg.
    static func place(_ pathValues: [String]) throws(InterfaceFault) -> LiveBoard.Place {
        guard let gateway = GatewayID(pathValues[0]), let erg = StationID(pathValues[1]) else {
            throw InterfaceFault(
                404, CommandCode.unknownErg.rawValue,
                "there is no erg \"\(pathValues[1].prefix(40))\" at \"\(pathValues[0].prefix(40))\"")
        }
        return LiveBoard.Place(gateway: gateway, erg: erg)
    }

    /// Assigns the athlete of the token: `{}`, or `{"replace": true}` if another athlete is assigned.
    func claim(
        _ place: LiveBoard.Place, _ body: [UInt8], by identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        let (athlete, sender) = try Self.claimant(identity)
        return try assign(
            athlete, to: place, replaces: try Self.replaces(body), until: Self.sessionEnd, from: sender,
            isSame: identity.isAthlete)
    }

    /// Assigns an athlete, and clears the athlete's other ergs.
    ///
    /// - Parameters:
    ///   - replaces: Whether another athlete may be replaced.
    ///   - until: `session_end`; nil if the assignment stays until it is changed.
    ///   - sender: The sender of the command.
    ///   - isSame: Whether an id is this athlete's; nil if only the same id is.
    func assign(
        _ athlete: String, to place: LiveBoard.Place, replaces: Bool, until: String?, from sender: String,
        isSame: ((String) -> Bool)? = nil
    ) throws(InterfaceFault) -> WebAnswer {
        let isSame = isSame ?? { $0 == athlete }
        let assignments = room.assignments
        if let assigned = assignments[place], !isSame(assigned), !replaces {
            throw InterfaceFault(
                409, "occupied",
                "another athlete is assigned to \(place.displayName); send replace to replace them")
        }
        let former = assignments.filter { isSame($0.value) && $0.key != place }.keys.sorted()
        if !former.isEmpty { _ = try send([], to: former, from: sender) }
        var fields: [(StaticString, String)] = [("athlete_id", athlete)]
        if let until { fields.append(("until", until)) }
        return Self.adding(former, to: try send(fields, to: [place], from: sender))
    }

    /// Adds the cleared ergs of the athlete to the answer, so that the page can name them: `"cleared": [{"gw", "erg"}]`.
    private static func adding(_ cleared: [LiveBoard.Place], to answer: WebAnswer) -> WebAnswer {
        guard !cleared.isEmpty, case .json(let status, let bytes, let headers) = answer, status == 202,
            bytes.last == UInt8(ascii: "}")
        else { return answer }
        let added = JSONWriter.object { json in
            json.list("cleared", of: cleared) { json, place in
                json.field("gw", place.gateway.slug)
                json.field("erg", place.erg?.slug)
            }
        }
        return .json(
            status: status, bytes.dropLast() + [UInt8(ascii: ",")] + added.dropFirst(), headers: headers)
    }

    /// Clears the assignment of an erg.
    func clear(_ place: LiveBoard.Place, from sender: String) throws(InterfaceFault) -> WebAnswer {
        try send([], to: [place], from: sender)
    }

    /// Clears the erg if the athlete of the token is assigned to it.
    func leave(
        _ place: LiveBoard.Place, by identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        let (_, sender) = try Self.claimant(identity)
        guard room.assignments[place].map(identity.isAthlete) ?? false else { throw Self.notAssigned(place) }
        return try clear(place, from: sender)
    }

    static func notAssigned(_ place: LiveBoard.Place) -> InterfaceFault {
        InterfaceFault(409, "not_assigned", "you are not assigned to \(place.displayName)")
    }

    private static func claimant(
        _ identity: AccessControl.Identity
    ) throws(InterfaceFault) -> (athlete: String, sender: String) {
        guard let athlete = identity.athlete, let sender = identity.name else {
            throw InterfaceFault(
                409, "no_athlete",
                "only a token of an athlete can claim an erg; coaches send the command assign")
        }
        return (athlete, sender)
    }

    private static func replaces(_ body: [UInt8]) throws(InterfaceFault) -> Bool {
        do throws(CommandFault) {
            var fields = CommandFields(try CommandFields.object(body))
            let replaces = try fields.flag("replace") ?? false
            try fields.finish()
            return replaces
        } catch { throw InterfaceFault(error) }
    }

    private func send(
        _ fields: [(StaticString, String)], to places: [LiveBoard.Place], from sender: String
    ) throws(InterfaceFault) -> WebAnswer {
        let object = JSONWriter.object { json in
            for (name, value) in fields { json.field(name, value) }
        }
        do throws(CommandFault) {
            return try commands.send(
                SentCommand.Content(verb: .assign, fields: object, places: places, sender: sender))
        } catch { return CommandService.refusal(error.code.rawValue, error.message) }
    }
}
