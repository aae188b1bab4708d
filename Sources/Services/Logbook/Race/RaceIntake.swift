import Bytes
import Contract

/// What a page asks of a race, read strictly: nothing is ignored.
enum RaceIntake {
    /// Letters of what somebody calls a race, and a pace boat.
    static let longestName = 60
    /// Of a pace boat, between a world record sprint and a walk.
    static let paceSeconds = 60...600

    /// A race that is to be made.
    struct Making {
        let terms: RaceTerms
        let places: [LiveBoard.Place]
        /// The piece, as a `workout` has it.
        let fields: [UInt8]
        /// Pieces that are rowed now may be ended for it.
        let isForced: Bool
    }

    /// What is done with one that is made.
    enum Step: Equatable {
        case start(seconds: Int, isForced: Bool)
        case arm
        case recall
        case scratch(LiveBoard.Place)
        case end
    }

    static func making(_ body: [UInt8], by sender: String) throws(CommandFault) -> Making {
        var outer = CommandFields(try CommandFields.object(body))
        let name = try name("name", &outer)
        guard let piece = try outer.object("piece") else { throw outer.missing("piece") }
        guard let ergs = try outer.list("to") else { throw outer.missing("to") }
        let places = try CommandIntake.places(ergs, outer)
        let pace = try outer.centiseconds("pace_s_per_500m", inSeconds: paceSeconds)
        let paceName = try self.name("pace_name", &outer)
        let hasFixedLanes = try outer.flag("lanes_fixed") ?? false
        let isForced = try outer.flag("force") ?? false
        try outer.finish()
        guard Race.lanes.contains(places.count) else {
            throw outer.wrong(
                "to", "must name \(Race.lanes.lowerBound) to \(Race.lanes.upperBound) ergs")
        }
        let boat = pace.map {
            RaceTerms.PaceBoat(centisecondsPer500m: Int64($0), name: paceName)
        }
        let terms = RaceTerms(
            name: name ?? "", piece: try self.piece(piece.object), paceBoat: boat,
            hasFixedLanes: hasFixedLanes, sender: sender)
        return Making(terms: terms, places: places, fields: piece.source, isForced: isForced)
    }

    /// All start it as one and end it by the same measure: a distance or a time.
    private static func piece(_ object: JSONObject) throws(CommandFault) -> RaceTerms.Piece {
        var inner = CommandFields(object, path: "piece.")
        let type = try inner.text("type")
        switch type {
        case "distance":
            guard let meters = try inner.integer("distance_m", in: 1...10_000_000) else {
                throw inner.missing("distance_m")
            }
            try inner.finish()
            return .distance(meters: meters)
        case "time":
            guard let seconds = try inner.integer("duration_s", in: 1...10_000_000) else {
                throw inner.missing("duration_s")
            }
            try inner.finish()
            return .time(seconds: seconds)
        default: throw inner.wrong("type", "must be distance or time: that is what is raced")
        }
    }

    private static func name(
        _ field: String, _ fields: inout CommandFields
    ) throws(CommandFault) -> String? {
        guard let text = try fields.text(field) else { return nil }
        guard text.count <= longestName else {
            throw fields.wrong(field, "must have \(longestName) letters at most")
        }
        return text
    }

    static func step(_ body: [UInt8]) throws(CommandFault) -> Step {
        var fields = CommandFields(try CommandFields.object(body))
        guard let word = try fields.text("do") else { throw fields.missing("do") }
        let step: Step
        switch word {
        case "start":
            let seconds = try fields.integer("in_s", in: Race.countdown) ?? Race.usualCountdown
            step = .start(seconds: seconds, isForced: try fields.flag("force") ?? false)
        case "arm": step = .arm
        case "recall": step = .recall
        case "scratch":
            guard let erg = try fields.object("erg") else { throw fields.missing("erg") }
            let places = try CommandIntake.places([.object(erg.object)], fields)
            step = .scratch(places[0])
        case "end": step = .end
        default: throw fields.wrong("do", "must be start, arm, recall, scratch or end")
        }
        try fields.finish()
        return step
    }
}
