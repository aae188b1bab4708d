import Bests
import Bytes
import Contract
import LogbookStores
import Synchronization
import Training
import WebServer

/// What an athlete's sessions come to. Changes nothing.
extension RecordAnswers {
    func athlete(_ slug: String, in store: any LogbookStore) throws -> WebAnswer {
        let (sessions, pieces) = try figures(of: slug, in: store)
        guard let athlete = KeptAthlete(slug, in: sessions) else { throw Self.unknownAthlete(slug) }
        return Self.json { json in
            json.object("athlete", athlete.write)
            AthleteBests(pieces.map(\.figures)).write(into: &json)
        }
    }

    /// Reads what athletes' sessions come to before anybody asks.
    func readAhead() {
        let mark = Mutex<SessionMark?>(nil)
        reader?.readAhead { [book] store in
            let next = try book.readAhead(behind: mark.withLock { $0 }, in: store)
            mark.withLock { $0 = next }
            return next != nil
        }
    }

    func volume(
        of slug: String, by length: TrainingSpan.Length, in season: Season?,
        _ store: any LogbookStore
    ) throws -> WebAnswer {
        let pieces = try figures(of: slug, in: store).pieces.map(\.figures)
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
            try figures(of: slug, in: store).pieces, by: length, in: season,
            heart: try HeartShelf.limits(of: slug, in: store))
        return Self.json { json in
            json.field("by", length.rawValue)
            json.field("season", season?.year)
            training.write(into: &json)
        }
    }

    /// A session's own figures, and its time in the zones of who rowed it.
    func training(
        of name: SessionName, _ sight: Sight, in store: any LogbookStore
    ) throws -> WebAnswer {
        let session = try Self.kept(name, sight, in: store)
        let machine = room.machine(at: name.gateway, session.station)
        let piece = try book.piece(session, in: store, machine: machine)
        var (bests, heart): (AthleteBests?, HeartLimits?)
        if let athlete = session.athlete {
            bests = AthleteBests(try figures(of: athlete, in: store).pieces.map(\.figures))
            heart = try HeartShelf.limits(of: athlete, in: store)
        }
        let rowed = try book.rowed(session, in: store)
        return Self.json(SessionTraining(piece, rowed, beside: bests, heart: heart).write)
    }

    /// The best of all athletes.
    func records(in store: any LogbookStore) throws -> WebAnswer {
        Self.json(try book.records(in: store, machine: room.machine(at:_:)).write)
    }

    private func figures(
        of slug: String, in store: any LogbookStore
    ) throws -> (sessions: [KeptSession], pieces: [PieceTraining]) {
        let found = try book.pieces(of: slug, in: store, machine: room.machine(at:_:))
        if found.sessions.isEmpty { throw Self.unknownAthlete(slug) }
        return found
    }

    static func unknownAthlete(_ name: String) -> InterfaceFault {
        InterfaceFault(
            404, "unknown_athlete",
            "no session names an athlete \"\(name.prefix(40))\"; /api/v1/athletes lists those there are"
        )
    }
}
