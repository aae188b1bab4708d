import Bytes
import Contract
import DeliveryProof
import LogbookStores
import Timeline
import WebServer

/// The body of a request that adds a result to a group piece: `{"athlete_id", "by_hand": {...}, "note"}`, or with
/// `"made_up": {"gw", "session_id"}`.
struct PieceAdditionRequest: Equatable, Sendable {
    /// The largest number of characters of a note.
    static let maximumNoteLength = 120

    let athlete: String
    let result: StoredPieceAddition.Result
    /// The day of a result by hand; nil for the day of the piece.
    let day: CalendarDay?
    let note: String

    init(_ body: [UInt8]) throws(CommandFault) {
        var fields = CommandFields(try CommandFields.object(body))
        guard let athlete = try fields.text("athlete_id") else { throw fields.missing("athlete_id") }
        guard AthleteID.isValid(athlete) else {
            throw fields.wrong("athlete_id", "must be \(AthleteID.rule)")
        }
        let note = try fields.text("note") ?? ""
        guard note.count <= Self.maximumNoteLength,
            !note.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw fields.wrong(
                "note", "must be one line of at most \(Self.maximumNoteLength) characters")
        }
        let (byHand, madeUp) = (try fields.object("by_hand"), try fields.object("made_up"))
        try fields.finish()
        (self.athlete, self.note) = (athlete, note)
        switch (byHand, madeUp) {
        case (let byHand?, nil): (result, day) = try Self.byHand(byHand.object)
        case (nil, let madeUp?): (result, day) = (.session(try Self.session(madeUp.object)), nil)
        case (nil, nil): throw CommandFault(.missingField, "by_hand or made_up is missing")
        default: throw fields.wrong("made_up", "and by_hand exclude each other")
        }
    }

    private static func byHand(
        _ object: JSONObject
    ) throws(CommandFault) -> (StoredPieceAddition.Result, CalendarDay?) {
        var fields = CommandFields(object, path: "by_hand.")
        let time = try fields.centiseconds("time_s", inSeconds: 1...9 * 3600)
        let metres = try fields.integer("distance_m", in: 1...200_000)
        let text = try fields.text("day")
        let day = text.flatMap { CalendarDay($0) }
        guard text == nil || day != nil else {
            throw fields.wrong("day", "must be a day such as 2026-11-28")
        }
        try fields.finish()
        switch (time, metres) {
        case (let time?, nil): return (.time(tenths: (Int64(time) + 5) / 10), day)
        case (nil, let metres?): return (.distance(metres: Int64(metres)), day)
        case (nil, nil): throw fields.missing("time_s or by_hand.distance_m")
        default: throw fields.wrong("distance_m", "and by_hand.time_s exclude each other")
        }
    }

    private static func session(_ object: JSONObject) throws(CommandFault) -> SessionName {
        var fields = CommandFields(object, path: "made_up.")
        guard let text = try fields.text("gw") else { throw fields.missing("gw") }
        guard let session = try fields.text("session_id") else { throw fields.missing("session_id") }
        try fields.finish()
        guard let gateway = GatewayID(text) else {
            throw fields.wrong("gw", "must be the name of a gateway such as boathouse")
        }
        return SessionName(gateway: gateway, session: session)
    }
}

/// Results that coaches add to group pieces.
extension RecordRequestHandler {
    /// Adds a result to the piece of a session and returns it, or removes one.
    ///
    /// - Parameter pathValues: the gateway and the session; the addition to remove.
    func changeAdditions(
        _ endpoint: Endpoint, _ pathValues: [String], _ body: [UInt8], by identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        guard let writer else { throw Self.noStore }
        let name = try Self.session(pathValues)
        guard endpoint == .addToPiece else {
            return writer.answer { store in
                try store.atomically {
                    let repository = repository(.everything, store)
                    try PieceAdditionRepository(repository)
                        .remove(pathValues[2], from: try repository.piece(of: name))
                }
                return .json(Array("{}".utf8))
            }
        }
        let request: PieceAdditionRequest
        do throws(CommandFault) { request = try PieceAdditionRequest(body) } catch {
            throw InterfaceFault(error)
        }
        let (instant, clock) = room.currentTime
        let now = clock.unixMilliseconds(at: instant)
        var randomness = SystemRandomNumberGenerator()
        let id = ULID(unixMilliseconds: now, using: &randomness).description
        return writer.answer { store in
            let addition = try store.atomically {
                let repository = repository(.everything, store)
                let piece = try repository.piece(of: name)
                let columns = try repository.result(of: piece).columns
                return try PieceAdditionRepository(repository)
                    .add(request, to: piece, in: columns, id: id, at: now, by: identity.name)
            }
            return Self.json { addition.write(into: &$0) }
        }
    }
}
