import Bytes
import Contract
import Timeline

/// A race as JSON, for the pages and for the file that survives a restart. Times are Unix milliseconds.
extension Race {
    ///
    /// - Parameters:
    ///   - withAttempts: Whether to write the recalled attempts, too.
    ///   - isPublic: Whether to leave out the ids of athletes and sessions.
    func write(
        to json: inout JSONWriter, _ clock: WallClock, withAttempts: Bool = false, isPublic: Bool = false
    ) {
        let time = { (moment: BootInstant?) in moment.map(clock.unixMilliseconds(at:)) }
        json.field("race_id", id)
        json.field("name", settings.name)
        if !isPublic { json.field("by", settings.sender) }
        json.field("regatta_id", settings.regatta)
        if !settings.location.isEmpty { json.field("location", settings.location) }
        settings.write(to: &json)
        json.field("phase", phase.rawValue)
        json.field("made_ms", time(createdAt))
        json.field("called_ms", time(countdownBegan))
        json.field("signal_ms", time(signal))
        json.field("ended_ms", time(ended))
        let numbers = Dictionary(
            uniqueKeysWithValues: results.enumerated().map { ($1.lane.place, ($0, $1.place)) })
        json.list("lanes", of: lanes) { json, lane in
            let (rank, place) = numbers[lane.place] ?? (0, nil)
            lane.write(to: &json, rank: rank + 1, place: place, signal, isPublic: isPublic)
        }
        if hasTeams {
            json.list("teams", of: teamResults) { json, found in
                json.field("entry_id", found.team.entry)
                json.field("name", found.team.name)
                json.field("standing", found.team.status.rawValue)
                json.field("place", found.place)
                json.field("false_starts", found.team.falseStarts)
                if let result = found.team.result {
                    json.object("result") { result.write(to: &$0, isPublic: isPublic) }
                }
            }
        }
        guard withAttempts, !attempts.isEmpty else { return }
        json.list("attempts", of: attempts) { json, attempt in
            json.field("called_ms", time(attempt.countdownBegan))
            json.field("signal_ms", time(attempt.signal))
            json.field("recalled_ms", time(attempt.recalled))
            json.list("lanes", of: attempt.lanes) { json, lane in
                lane.write(to: &json, rank: nil, place: nil, attempt.signal, isPublic: isPublic)
            }
        }
    }

    /// Reads a stored race. Returns nil if the format is unknown.
    init?(stored fields: JSONObject, _ clock: WallClock) {
        func moment(_ name: String, _ fields: JSONObject) -> BootInstant? {
            fields.number(name).map { milliseconds in
                BootInstant(nanoseconds: 0).advanced(
                    by: .milliseconds(Int64(milliseconds) - clock.unixMillisecondsAtBoot))
            }
        }
        guard let id = fields.text("race_id"), let settings = RaceSettings(stored: fields),
            let phase = fields.text("phase").flatMap(Phase.init), let createdAt = moment("made_ms", fields),
            case .list(let values)? = fields["lanes"], Race.laneCount.contains(values.count)
        else { return nil }
        let attempts = fields.objects("attempts").compactMap { object -> Attempt? in
            guard let called = moment("called_ms", object), let signal = moment("signal_ms", object),
                let recalled = moment("recalled_ms", object)
            else { return nil }
            let lanes = object.objects("lanes").compactMap { RaceLane(stored: $0, signal) }
            return Attempt(countdownBegan: called, signal: signal, recalled: recalled, lanes: lanes)
        }
        let (countdownBegan, signal) = (moment("called_ms", fields), moment("signal_ms", fields))
        let hasSignal = phase == .countdown || phase == .rowing
        guard !hasSignal || countdownBegan != nil && signal != nil else { return nil }
        var lanes: [RaceLane] = []
        for value in values {
            guard case .object(let object) = value, let lane = RaceLane(stored: object, signal)
            else { return nil }
            lanes.append(lane)
        }
        self.init(
            id, settings, createdAt: createdAt, phase, signal: signal, countdownBegan: countdownBegan,
            ended: moment("ended_ms", fields), lanes: lanes, attempts: attempts)
    }
}

extension RaceSettings {
    fileprivate func write(to json: inout JSONWriter) {
        switch piece {
        case .distance(let meters): json.field("distance_m", meters)
        case .time(let seconds): json.field("duration_s", seconds)
        }
        json.field("pace_s_per_500m", paceBoat?.centisecondsPer500m, places: 2)
        json.field("pace_name", paceBoat?.name)
        json.field("lanes_fixed", hasFixedLanes)
    }

    fileprivate init?(stored fields: JSONObject) {
        guard let name = fields.text("name"), let sender = fields.text("by") else { return nil }
        if let meters = fields.number("distance_m") {
            self.init(name: name, piece: .distance(meters: Int(meters)), sender: sender)
        } else if let seconds = fields.number("duration_s") {
            self.init(name: name, piece: .time(seconds: Int(seconds)), sender: sender)
        } else {
            return nil
        }
        paceBoat = fields.units("pace_s_per_500m", places: 2).map {
            PaceBoat(centisecondsPer500m: $0, name: fields.text("pace_name"))
        }
        hasFixedLanes = fields["lanes_fixed"] == .flag(true)
        regatta = fields.text("regatta_id")
        location = fields.text("location") ?? ""
    }
}

extension RaceLane {
    /// - Parameters:
    ///   - rank: The position in the list of results, from 1.
    ///   - number: The place of a finisher; nil for others.
    fileprivate func write(
        to json: inout JSONWriter, rank: Int?, place number: Int?, _ signal: BootInstant?, isPublic: Bool
    ) {
        json.field("gw", place.gateway.slug)
        json.field("erg", place.erg?.slug)
        json.field("entry_id", entry)
        json.field("standing", standing)
        if isDisqualified { json.field("standing_before", status.rawValue) }
        json.field("rank", rank)
        json.field("place", number)
        if !isPublic { json.field("athlete_id", athlete) }
        json.field("athlete_name", name)
        json.field("team_name", team)
        if !isPublic {
            json.field("session_id", session)
            json.field("earlier_session_id", earlierSession)
        }
        json.field("start_s", signal.flatMap(startMilliseconds), places: 3)
        json.field("false_starts", falseStarts)
        json.field("early_s", earlyBy?.wholeMilliseconds, places: 3)
        if let result { json.object("result") { result.write(to: &$0, isPublic: isPublic) } }
    }

    /// Returns the milliseconds from the signal to the start of the lane; negative for an early start.
    func startMilliseconds(after signal: BootInstant) -> Int64? {
        start.map { $0.signedMilliseconds - signal.signedMilliseconds }
    }

    fileprivate init?(stored fields: JSONObject, _ signal: BootInstant?) {
        guard let gateway = fields.text("gw").flatMap(GatewayID.init),
            let erg = fields.text("erg").flatMap(StationID.init),
            let standing = fields.text("standing"),
            let status = Status(rawValue: fields.text("standing_before") ?? standing)
        else { return nil }
        self.init(at: LiveBoard.Place(gateway: gateway, erg: erg))
        isDisqualified = standing == Self.disqualified
        (self.status, entry, team) = (status, fields.text("entry_id"), fields.text("team_name"))
        (athlete, name) = (fields.text("athlete_id"), fields.text("athlete_name"))
        (session, earlierSession) = (fields.text("session_id"), fields.text("earlier_session_id"))
        falseStarts = Int(fields.number("false_starts") ?? 0)
        earlyBy = fields.units("early_s", places: 3).map { .milliseconds($0) }
        if let signal, let seconds = fields.decimal("start_s"), abs(seconds) < 1e6 {
            start = signal.advanced(by: .milliseconds(Int64((seconds * 1000).rounded())))
        }
        if case .object(let object)? = fields["result"] { result = RaceResult(object) }
    }
}
