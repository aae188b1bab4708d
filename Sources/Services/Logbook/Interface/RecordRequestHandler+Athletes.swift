import Bests
import Bytes
import Contract
import LogbookStores
import Training
import WebServer

/// Results, training and volume of athletes, and the metrics of sessions. Read only.
extension RecordRequestHandler {
    func athlete(
        _ slug: String, _ policy: RecordAccessPolicy, in store: any LogbookStore
    ) throws -> WebAnswer {
        guard let athlete = try PeopleRepository.athlete(slug, in: store) else {
            throw Self.unknownAthlete(slug)
        }
        let pieces = try history.pieces(of: slug, in: store, machine: room.machine(at:_:)).pieces
        return Self.json { json in
            json.object("athlete") { athlete.write(into: &$0, withNote: policy.athlete == nil) }
            AthleteBests(pieces.map(\.metrics)).write(into: &json)
        }
    }

    /// Answers with the training volume of an athlete for each day, week or season; without a season, of all seasons.
    func volume(
        of slug: String, by length: TrainingSpan.Length, in season: Season?,
        _ store: any LogbookStore
    ) throws -> WebAnswer {
        let pieces = try sessionsAndPieces(of: slug, in: store).pieces.map(\.metrics)
        return Self.json { json in
            json.field("by", length.rawValue)
            json.field("season", season?.year)
            json.list("volumes", of: TrainingVolume.all(of: pieces, by: length, in: season)) {
                json, volume in volume.write(into: &json)
            }
        }
    }

    func training(
        of slug: String, by length: TrainingSpan.Length, in season: Season?,
        _ store: any LogbookStore
    ) throws -> WebAnswer {
        let training = AthleteTraining(
            try sessionsAndPieces(of: slug, in: store).pieces, by: length, in: season,
            heart: try HeartLimitsRepository.limits(of: slug, in: store))
        return Self.json { json in
            json.field("by", length.rawValue)
            json.field("season", season?.year)
            training.write(into: &json)
        }
    }

    /// Returns the metrics of a session, with the time in the zones of its athlete.
    func training(
        of name: SessionName, _ policy: RecordAccessPolicy, in store: any LogbookStore
    ) throws -> WebAnswer {
        let session = try Self.storedSession(name, policy, in: store)
        let machine = room.machine(at: name.gateway, session.station)
        let piece = try history.piece(session, in: store, machine: machine)
        var (bests, heart): (AthleteBests?, HeartLimits?)
        if let athlete = session.athlete {
            bests = AthleteBests(
                try sessionsAndPieces(of: athlete, in: store).pieces.map(\.metrics))
            heart = try HeartLimitsRepository.limits(of: athlete, in: store)
        }
        let recorded = try history.recordedPiece(of: session, in: store)
        return Self.json(SessionTraining(piece, recorded, bests: bests, heart: heart).write)
    }

    /// Returns the best results of all athletes.
    func records(in store: any LogbookStore) throws -> WebAnswer {
        Self.json(try history.records(in: store, machine: room.machine(at:_:)).write)
    }

    private func sessionsAndPieces(
        of slug: String, in store: any LogbookStore
    ) throws -> (sessions: [SessionMetricsTable.AthleteSession], pieces: [PieceTraining]) {
        let found = try history.pieces(of: slug, in: store, machine: room.machine(at:_:))
        if found.sessions.isEmpty { throw Self.unknownAthlete(slug) }
        return found
    }

    static func unknownAthlete(_ name: String) -> InterfaceFault {
        InterfaceFault(
            404, "unknown_athlete",
            "no session has the athlete \"\(name.prefix(40))\"; /api/v1/athletes lists all athletes"
        )
    }
}
