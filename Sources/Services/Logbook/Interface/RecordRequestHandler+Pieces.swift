import Bests
import Bytes
import Contract
import LogbookStores
import People
import WebServer

/// Group pieces and their results, with the results that coaches added. Read only.
extension RecordRequestHandler {
    /// Answers with a page of pieces, the newest first.
    ///
    /// - Parameters:
    ///   - athlete: only pieces of this athlete; for an athlete's token, of its own athlete.
    ///   - group: only pieces with a member of this group.
    ///   - workout: only pieces of this workout, in notation.
    func pieces(
        _ sessions: SessionFilter, of athlete: String?, in group: String?, _ workout: String?,
        after cursor: PieceCursor?, _ limit: Int, _ policy: RecordAccessPolicy, in store: any LogbookStore
    ) throws -> WebAnswer {
        var filter = PieceFilter(sessions: sessions, workout: workout)
        filter.sessions.athlete = try athlete.map(store.merges.current(of:))
        if let group {
            filter.members = Set(try Self.group(group, in: PeopleRepository.groups(in: store)).members)
        }
        let (pieces, next) = try repository(policy, store).pieces(filter, after: cursor, limit: limit)
        var page = Page("pieces", of: pieces, limit) {
            $0.mark
        } _: { piece in
            JSONWriter.object(piece.write)
        }
        page.next = page.next ?? next?.encoded
        return Self.json { [page] in page.write(into: &$0) }
    }

    /// Answers with the piece of a session and its results: a row for each athlete.
    func groupResult(
        of name: SessionName, _ policy: RecordAccessPolicy, in store: any LogbookStore
    ) throws -> WebAnswer {
        let repository = repository(policy, store)
        let piece = try repository.piece(of: name)
        let result = try repository.result(of: piece)
        let additions = try PieceAdditionRepository(repository).additions(to: piece, in: result.columns)
        return Self.json { json in
            json.object("piece", piece.write)
            if let length = piece.piece.workLength(in: result.columns) {
                json.object("work", length.write)
            }
            result.write(into: &json)
            json.list("additions", of: additions) { json, addition in addition.write(into: &json) }
        }
    }

    func repository(_ policy: RecordAccessPolicy, _ store: any LogbookStore) -> PieceRepository {
        PieceRepository(
            store: store, calendar: history.calendar, machine: room.machine(at:_:), policy: policy)
    }
}

extension PieceRepository {
    /// Reads the splits of each row.
    func result(of piece: StoredPiece) throws -> GroupResult {
        let stored = Dictionary(
            piece.sessions.map { ($0.piece, $0) }, uniquingKeysWith: { first, _ in first })
        let sources = try piece.piece.rows.compactMap { row in
            try stored[row.name].map { session in
                GroupResult.Source(
                    row, summary: piece.summary(of: row.name), splits: try records(of: .split, in: session))
            }
        }
        return GroupResult(of: piece.piece, sources)
    }
}

extension StoredPiece {
    /// Writes the members into an open object.
    func write(into json: inout JSONWriter) {
        json.field("gw", first.name.gateway.slug)
        json.field("session_id", first.name.session)
        json.field("started_ms", piece.startedAt)
        json.field("session_count", piece.sessions.count)
        json.field("athlete_count", piece.rows.count)
        writeWorkout(into: &json)
        json.list("sessions", of: sessions) { json, session in session.write(into: &json) }
    }

    /// Writes the members for a shared result: nothing that names a session or an athlete.
    func writeShared(into json: inout JSONWriter) {
        json.field("gw", first.name.gateway.slug)
        json.field("started_ms", piece.startedAt)
        json.field("athlete_count", piece.rows.count)
        writeWorkout(into: &json)
        json.list("sessions", of: sessions) { json, session in
            json.field("state", session.state.rawValue)
            json.field("ended_ms", session.endedAt)
        }
    }

    private func writeWorkout(into json: inout JSONWriter) {
        if let workout = piece.workout {
            json.object("workout") { json in
                json.field("notation", workout.notation)
                json.field("machine", workout.machine.rawValue)
                for name in ["session_type", "workout"] { json.copy(name, of: head) }
                for name in Self.workoutNumbers { json.copy(name, of: head) }
            }
        }
    }

    private static let workoutNumbers = [
        "target_distance_m", "target_time_s", "target_calories_kcal", "target_work_w_min", "interval_count",
        "interval_rest_s",
    ]
}

extension GroupResult {
    private static let splitNumbers = [
        "split", "distance_m", "duration_s", "avg_power_w", "avg_pace_s_per_500m", "avg_stroke_rate_spm",
        "calories_kcal", "rest_s", "target_pace_min_s_per_500m", "target_pace_max_s_per_500m",
        "target_power_min_w", "target_power_max_w", "target_stroke_rate_min_spm",
        "target_stroke_rate_max_spm", "target_strokes", "in_target_ratio",
    ]
    private static let heartRates = [
        "avg_heart_rate_bpm", "target_heart_rate_min_bpm", "target_heart_rate_max_bpm",
    ]

    /// Writes the members into an open object.
    ///
    /// - Parameter names: For a shared result, the names of athletes. Then no ids of athletes and sessions, and no
    ///   heart rates are written. nil for users of the club.
    func write(into json: inout JSONWriter, sharedWith names: AthleteNames? = nil) {
        let numbers = Self.splitNumbers + (names == nil ? Self.heartRates : [])
        json.list("columns", of: columns) { json, length in length?.write(into: &json) }
        json.list("rows", of: rows) { json, row in
            json.field("gw", row.session.name.gateway.slug)
            json.field("erg", row.session.erg.slug)
            if let names {
                json.field("athlete_name", row.session.athlete.map { names[$0] })
            } else {
                json.field("session_id", row.session.name.session)
                json.field("athlete_id", row.session.athlete)
            }
            json.field("started_ms", row.session.startedAt)
            json.field("complete", row.isComplete)
            json.field("avg_pace_s_per_500m", row.pace.map { Int64(($0 * 100).rounded()) }, places: 2)
            json.field("avg_stroke_rate_spm", row.strokeRate)
            json.field("in_target_ratio", row.inTarget.map { Int64($0) }, places: 3)
            json.field("fade_percent", row.fade.map { Int64(($0 * 10).rounded()) }, places: 1)
            json.field("best_repeat", row.best.map { $0 + 1 })
            json.list("repeats", of: row.repeats.compactMap(\.self)) { json, rowed in
                for name in numbers { json.copy(name, of: rowed.fields) }
                if !rowed.isWhole { json.field("partial", true) }
            }
        }
    }
}

extension GroupWorkout.Length {
    /// Writes the length into an open object.
    fileprivate func write(into json: inout JSONWriter) {
        switch self {
        case .metres(let metres): json.field("distance_m", metres)
        case .seconds(let seconds): json.field("duration_s", seconds)
        case .kilocalories(let count): json.field("calories_kcal", count)
        case .wattMinutes(let count): json.field("work_w_min", count)
        }
    }
}

extension JSONWriter {
    /// Writes a member of a record as it was published; nothing if the record does not have it.
    fileprivate mutating func copy(_ name: String, of record: JSONObject) {
        guard let member = record.members.last(where: { $0.name == name }) else { return }
        key(name)
        value(json: Array(member.valueSource))
    }
}
