import Bytes
import Contract

/// A command that a page requests, parsed and validated by the contract's rules: `{"verb": "workout", "to":
/// [{"gw": "boathouse", "erg": "erg-1"}], "fields": {...}}`. A command for the gateway itself has no `erg`:
/// `{"verb": "ack", "to": [{"gw": "boathouse"}], ...}`.
struct RequestedCommand: Equatable, Sendable {
    /// The maximum number of ergs in one command.
    static let maximumPlaces = 128
    /// What a page may send. The logbook itself sends the athletes (`RosterService`).
    static let verbs = CommandVerb.allCases.filter { $0 != .roster }

    let verb: CommandVerb
    let places: [LiveBoard.Place]
    /// The contract's fields of the verb, without `request_id`: a JSON object on one line.
    let fields: [UInt8]
    /// The id that the page chose; nil if it chose none.
    let requestID: String?

    /// - Parameter workouts: Returns the named workouts of the gateways.
    init(
        _ body: [UInt8], workouts: (Set<GatewayID>) -> [NamedWorkout] = { _ in [] }
    ) throws(CommandFault) {
        var outer = CommandFields(try CommandFields.object(body))
        requestID = try outer.requestID()
        guard let name = try outer.text("verb") else { throw outer.missing("verb") }
        verb = try Self.verb(name)
        guard let ergs = try outer.list("to") else { throw outer.missing("to") }
        places = try Self.places(ergs, areGateways: verb.isForGateway, outer)
        let inner = try outer.object("fields")
        try outer.finish()
        fields = SingleLineJSON.joined(inner?.source ?? Array("{}".utf8))
        var reader = CommandFields(inner?.object ?? .empty)
        let named = verb == .workout ? workouts(Set(places.map(\.gateway))) : []
        _ = try ParsedCommand(verb, &reader, workouts: named)
    }

    private static func verb(_ name: String) throws(CommandFault) -> CommandVerb {
        if let verb = CommandVerb(rawValue: name), verbs.contains(verb) { return verb }
        let names = [false, true].map { isForGateway in
            verbs.filter { $0.isForGateway == isForGateway }.map(\.rawValue)
                .joined(separator: ", ")
        }
        throw CommandFault(
            .unknownVerb, "an erg accepts \(names[0]), and a gateway \(names[1])")
    }

    static func places(
        _ values: [JSONValue], areGateways: Bool = false, _ outer: CommandFields
    ) throws(CommandFault) -> [LiveBoard.Place] {
        guard (1...maximumPlaces).contains(values.count) else {
            throw outer.wrong("to", "must name 1 to \(maximumPlaces) ergs")
        }
        var places: [LiveBoard.Place] = []
        for (index, value) in values.enumerated() {
            let path = "to[\(index + 1)]"
            guard case .object(let object) = value else {
                throw CommandFault(.badValue, "\(path) must be an object")
            }
            var inner = CommandFields(object, path: path + ".")
            let (gateway, erg) = (try inner.text("gw"), try inner.text("erg"))
            try inner.finish()
            guard let gateway = gateway.flatMap(GatewayID.init) else {
                throw inner.wrong("gw", "must be a gateway's id")
            }
            let station = erg.flatMap { StationID($0) }
            guard areGateways ? erg == nil : station != nil else {
                let advice =
                    areGateways ? "must be absent: the command is for the gateway" : "must be an erg's slug"
                throw inner.wrong("erg", advice)
            }
            let place = LiveBoard.Place(gateway: gateway, erg: station)
            guard !places.contains(place) else {
                throw CommandFault(.badValue, "\(path) repeats \(place.displayName)")
            }
            places.append(place)
        }
        return places
    }
}

extension CommandFields {
    /// Parses the body of a request as a JSON object.
    static func object(_ body: [UInt8]) throws(CommandFault) -> JSONObject {
        let object: JSONObject?
        do throws(JSONSyntaxError) { object = try JSONObject(parsing: body) } catch {
            throw CommandFault(.notJSON, "the body is not JSON: \(error)")
        }
        if let object { return object }
        throw CommandFault(.notJSON, "the body is not a JSON object")
    }
}

extension LiveBoard.Place {
    /// `erg-1 of boathouse`, or only the gateway's name.
    var displayName: String { erg.map { "\($0) of \(gateway)" } ?? gateway.slug }
}
