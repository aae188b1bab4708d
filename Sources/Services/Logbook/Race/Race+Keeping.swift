import Bytes
import Contract
import Timeline

/// A race as JSON: what the pages are told, and what outlives a restart. Moments are Unix milliseconds.
extension Race {
    func write(to json: inout JSONWriter, _ clock: WallClock) {
        let time = { (moment: BootInstant?) in moment.map(clock.unixMilliseconds(at:)) }
        json.field("race_id", id)
        json.field("name", terms.name)
        json.field("by", terms.sender)
        terms.write(to: &json)
        json.field("phase", phase.rawValue)
        json.field("made_ms", time(made))
        json.field("called_ms", time(called))
        json.field("signal_ms", time(signal))
        json.field("ended_ms", time(ended))
        let numbers = Dictionary(
            uniqueKeysWithValues: results.enumerated().map { ($1.lane.place, ($0, $1.place)) })
        json.list("lanes", of: lanes) { json, lane in
            let (rank, place) = numbers[lane.place] ?? (0, nil)
            lane.write(to: &json, rank: rank + 1, place: place, signal, clock)
        }
    }

    /// nil for what no version has written.
    init?(kept fields: JSONObject, _ clock: WallClock) {
        func moment(_ name: String) -> BootInstant? {
            fields.number(name).map { milliseconds in
                BootInstant(nanoseconds: 0).advanced(
                    by: .milliseconds(Int64(milliseconds) - clock.unixMillisecondsAtBoot))
            }
        }
        guard let id = fields.text("race_id"), let terms = RaceTerms(kept: fields),
            let phase = fields.text("phase").flatMap(Phase.init), let made = moment("made_ms"),
            case .list(let values)? = fields["lanes"], Race.lanes.contains(values.count)
        else { return nil }
        let (called, signal) = (moment("called_ms"), moment("signal_ms"))
        let isCalled = phase == .countdown || phase == .rowing
        guard !isCalled || called != nil && signal != nil else { return nil }
        var lanes: [RaceLane] = []
        for value in values {
            guard case .object(let object) = value, let lane = RaceLane(kept: object, signal)
            else { return nil }
            lanes.append(lane)
        }
        self.init(
            id, terms, made: made, phase, signal: signal, called: called,
            ended: moment("ended_ms"), lanes: lanes)
    }
}

extension RaceTerms {
    fileprivate func write(to json: inout JSONWriter) {
        switch piece {
        case .distance(let meters): json.field("distance_m", meters)
        case .time(let seconds): json.field("duration_s", seconds)
        }
        json.field("pace_s_per_500m", paceBoat?.centisecondsPer500m, places: 2)
        json.field("pace_name", paceBoat?.name)
        json.field("lanes_fixed", hasFixedLanes)
    }

    fileprivate init?(kept fields: JSONObject) {
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
    }
}

extension RaceLane {
    /// - Parameters:
    ///   - rank: in the list of results, from 1.
    ///   - number: the place of who finished.
    fileprivate func write(
        to json: inout JSONWriter, rank: Int, place number: Int?, _ signal: BootInstant?,
        _ clock: WallClock
    ) {
        json.field("gw", place.gateway.slug)
        json.field("erg", place.erg?.slug)
        json.field("standing", standing.rawValue)
        json.field("rank", rank)
        json.field("place", number)
        json.field("athlete_id", athlete)
        json.field("athlete_name", name)
        json.field("session_id", session)
        json.field("earlier_session_id", earlierSession)
        json.field("start_s", signal.flatMap(startSeconds), places: 3)
        json.field("false_starts", falseStarts)
        json.field("early_s", early?.wholeMilliseconds, places: 3)
        if let result { json.object("result") { result.write(to: &$0) } }
    }

    /// Milliseconds from the signal to its start, negative for one before it.
    func startSeconds(_ signal: BootInstant) -> Int64? {
        start.map { $0.signedMilliseconds - signal.signedMilliseconds }
    }

    fileprivate init?(kept fields: JSONObject, _ signal: BootInstant?) {
        guard let gateway = fields.text("gw").flatMap(GatewayID.init),
            let erg = fields.text("erg").flatMap(StationID.init),
            let standing = fields.text("standing").flatMap(Standing.init)
        else { return nil }
        self.init(at: LiveBoard.Place(gateway: gateway, erg: erg))
        self.standing = standing
        (athlete, name) = (fields.text("athlete_id"), fields.text("athlete_name"))
        (session, earlierSession) = (fields.text("session_id"), fields.text("earlier_session_id"))
        falseStarts = Int(fields.number("false_starts") ?? 0)
        early = fields.units("early_s", places: 3).map { .milliseconds($0) }
        if let signal, let seconds = fields.decimal("start_s"), abs(seconds) < 1e6 {
            start = signal.advanced(by: .milliseconds(Int64((seconds * 1000).rounded())))
        }
        if case .object(let object)? = fields["result"] { result = RaceResult(object) }
    }
}
