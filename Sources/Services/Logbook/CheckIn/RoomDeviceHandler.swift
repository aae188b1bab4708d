import WebServer

/// Answers the requests of room devices: tablets that everybody in the room uses to assign athletes to ergs.
struct RoomDeviceHandler: Sendable {
    /// nil without a store.
    let reader: StoreQueue?
    let claims: ErgClaimService

    /// The athletes to choose from, with id and name.
    func athletes() throws(InterfaceFault) -> WebAnswer {
        guard let reader else { throw RecordRequestHandler.noStore }
        return reader.answer { try AthleteChoice.answer(in: $0) }
    }

    /// Assigns an athlete: `{"athlete_id", "replace", "until"}`.
    func assign(
        _ place: LiveBoard.Place, _ body: [UInt8], by identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        guard let reader else { throw RecordRequestHandler.noStore }
        let (request, sender) = (try AthleteChoice.Request(body, allowsUntil: true), identity.name ?? "")
        return reader.answer { [claims] store in
            try AthleteChoice.check(request.athlete, in: store)
            return try claims.assign(
                request.athlete, to: place, replaces: request.replaces, until: request.until, from: sender)
        }
    }

    /// Clears the assignment of an erg.
    func clear(
        _ place: LiveBoard.Place, by identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        try claims.clear(place, from: identity.name ?? "")
    }
}
