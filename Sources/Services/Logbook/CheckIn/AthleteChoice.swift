import Bytes
import Contract
import LogbookStores
import People
import WebServer

/// The athletes to choose from at a check-in: only id and name, without archived athletes and without athletes that
/// have no profile.
enum AthleteChoice {
    /// Returns the athletes in order of name.
    static func athletes(in store: any LogbookStore) throws -> [AthleteProfile] {
        try PeopleRepository.profiles(in: store).filter { !$0.isArchived }
            .sorted { (AthleteNaming.folded($0.name), $0.id) < (AthleteNaming.folded($1.name), $1.id) }
    }

    static func answer(in store: any LogbookStore, headers: [WebHeader] = []) throws -> WebAnswer {
        let athletes = try athletes(in: store)
        let bytes = JSONWriter.object { json in
            json.list("athletes", of: athletes) { json, athlete in
                json.field("athlete_id", athlete.id)
                json.field("name", athlete.name)
            }
        }
        return .content(type: "application/json", bytes, headers: headers)
    }

    /// Throws if an athlete cannot be chosen.
    static func check(_ athlete: String, in store: any LogbookStore) throws {
        guard try athletes(in: store).contains(where: { $0.id == athlete }) else {
            throw RecordRequestHandler.unknownAthlete(athlete)
        }
    }

    /// A request to assign an athlete: `{"athlete_id"}`, `"replace": true` if another athlete is assigned.
    struct Request: Sendable {
        let athlete: String
        let replaces: Bool
        /// `session_end`, or nil: until it is changed.
        let until: String?

        /// - Parameter allowsUntil: whether `"until": "session_end"` may be sent.
        init(_ body: [UInt8], allowsUntil: Bool) throws(InterfaceFault) {
            do throws(CommandFault) {
                var fields = CommandFields(try CommandFields.object(body))
                guard let athlete = try fields.text("athlete_id") else { throw fields.missing("athlete_id") }
                self.athlete = athlete
                replaces = try fields.flag("replace") ?? false
                until = allowsUntil ? try fields.text("until") : nil
                if let until, until != ErgClaimService.sessionEnd {
                    throw fields.wrong("until", "must be \"session_end\", or absent")
                }
                try fields.finish()
            } catch { throw InterfaceFault(error) }
        }
    }
}
