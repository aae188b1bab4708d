import Bytes
import Contract
import DeliveryProof
import LogbookStores
import WebServer

/// Who rowed a recorded session: corrections by coaches. Records and manifests stay as they are.
extension RecordRequestHandler {
    /// Stores `{"athlete_id"}` as the athlete of a session, an empty text for nobody; or restores the athlete that
    /// the gateway recorded. Returns the session.
    func correctAthlete(
        _ endpoint: Endpoint, _ pathValues: [String], _ body: [UInt8], by identity: AccessControl.Identity
    ) throws(InterfaceFault) -> WebAnswer {
        guard let writer else { throw Self.noStore }
        let session = try Self.session(pathValues)
        let athlete: SessionAthlete =
            endpoint == .restoreAthlete ? .asRecorded : .corrected(try Self.correctedAthlete(body))
        let (now, clock) = room.currentTime
        let time = clock.unixMilliseconds(at: now)
        return writer.answer { store in
            _ = try Self.storedSession(session, .everything, in: store)
            let correction = try store.correct(session, to: athlete, at: time, by: identity.name)
            if let former = correction?.former { onAthleteChanged(former) }
            if let new = correction?.new { onAthleteChanged(new) }
            let stored = try Self.storedSession(session, .everything, in: store)
            return Self.json(stored.write)
        }
    }

    private static func correctedAthlete(_ body: [UInt8]) throws(InterfaceFault) -> String? {
        do throws(CommandFault) {
            var fields = CommandFields(try CommandFields.object(body))
            guard let id = try fields.text("athlete_id") else { throw fields.missing("athlete_id") }
            try fields.finish()
            if id.isEmpty { return nil }
            guard AthleteID.isValid(id) else {
                throw fields.wrong("athlete_id", "must be \(AthleteID.rule), or empty for nobody")
            }
            return id
        } catch { throw InterfaceFault(error) }
    }
}
