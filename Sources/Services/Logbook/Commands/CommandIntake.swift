import Bytes
import Contract

/// A command as a page asks for it, read and checked by the contract's rules:
/// `{"verb": "workout", "to": [{"gw": "boathouse", "erg": "erg-1"}], "fields": {...}}`.
struct CommandIntake: Equatable, Sendable {
    /// Ergs that one command may be for.
    static let maximumPlaces = 64

    let verb: CommandVerb
    let places: [LiveBoard.Place]
    /// The contract's fields of the verb, without `request_id`; a JSON object.
    let fields: [UInt8]
    /// The page's name for it; nil where it has none.
    let requestID: String?

    init(_ body: [UInt8]) throws(CommandFault) {
        var outer = CommandFields(try CommandFields.object(body))
        requestID = try outer.requestID()
        guard let name = try outer.text("verb") else { throw outer.missing("verb") }
        let verbs = CommandVerb.allCases.filter { !$0.isForGateway }
        guard let verb = verbs.first(where: { $0.rawValue == name }) else {
            let names = verbs.map(\.rawValue).joined(separator: ", ")
            throw CommandFault(.unknownVerb, "an erg understands \(names)")
        }
        self.verb = verb
        guard let ergs = try outer.list("to") else { throw outer.missing("to") }
        places = try Self.places(ergs, outer)
        let inner = try outer.object("fields")
        try outer.finish()
        fields = inner?.source ?? Array("{}".utf8)
        var reader = CommandFields(inner?.object ?? .empty)
        _ = try CommandOrder(verb, &reader)
    }

    static func places(
        _ values: [JSONValue], _ outer: CommandFields
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
            guard let erg = erg.flatMap(StationID.init) else {
                throw inner.wrong("erg", "must be an erg's slug")
            }
            let place = LiveBoard.Place(gateway: gateway, erg: erg)
            guard !places.contains(place) else {
                throw CommandFault(.badValue, "\(path) names \(erg) of \(gateway) a second time")
            }
            places.append(place)
        }
        return places
    }
}

extension CommandFields {
    /// The object that a request's body is.
    static func object(_ body: [UInt8]) throws(CommandFault) -> JSONObject {
        let object: JSONObject?
        do throws(JSONSyntaxError) { object = try JSONObject(parsing: body) } catch {
            throw CommandFault(.notJSON, "the body is not JSON: \(error)")
        }
        if let object { return object }
        throw CommandFault(.notJSON, "the body is not a JSON object")
    }
}
