import Bytes
import Contract
import WebServer

/// Lets athletes assign themselves to an erg, from the page of the erg.
///
/// An athlete is at one erg at a time: the newer claim holds, and the older erg is cleared. The assignment ends with
/// the session.
struct ErgClaimService {
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
        let replaces = try Self.replaces(body)
        let assignments = room.assignments
        if let assigned = assignments[place], assigned != athlete, !replaces {
            throw InterfaceFault(
                409, "occupied",
                "another athlete is assigned to \(place.displayName); send replace to replace them")
        }
        let former = assignments.filter { $0.value == athlete && $0.key != place }.keys.sorted()
        if !former.isEmpty { _ = try send([], to: former, from: sender) }
        return try send([("athlete_id", athlete), ("until", "session_end")], to: [place], from: sender)
    }

    /// Clears the erg if the athlete of the token is assigned to it.
    func leave(
        _ place: LiveBoard.Place, by identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        let (athlete, sender) = try Self.claimant(identity)
        guard room.assignments[place] == athlete else {
            throw InterfaceFault(409, "not_assigned", "you are not assigned to \(place.displayName)")
        }
        return try send([], to: [place], from: sender)
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
