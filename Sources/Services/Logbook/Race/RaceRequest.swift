import Bytes
import Contract

/// Parses the requests of pages for races. Unknown fields are errors.
enum RaceRequest {
    /// The maximum number of characters in the name of a race or a pace boat, and in a place.
    static let maximumNameLength = 60
    /// The valid pace of a pace boat in seconds per 500 m.
    static let paceSeconds = 60...600

    /// A request to create a race.
    struct Creation {
        let settings: RaceSettings
        let places: [LiveBoard.Place]
        /// Whether the monitors may end their current pieces for the race.
        let isForced: Bool
    }

    /// An action on an existing race.
    enum Action: Equatable {
        case start(seconds: Int, isForced: Bool)
        case arm
        case recall
        case scratch(LiveBoard.Place)
        case disqualify(LiveBoard.Place)
        case reinstate(LiveBoard.Place)
        case end
    }

    static func creation(from body: [UInt8], by sender: String) throws(CommandFault) -> Creation {
        var outer = CommandFields(try CommandFields.object(body))
        let name = try name("name", &outer)
        guard let piece = try outer.object("piece") else { throw outer.missing("piece") }
        guard let ergs = try outer.list("to") else { throw outer.missing("to") }
        let places = try RequestedCommand.places(ergs, outer)
        let pace = try outer.centiseconds("pace_s_per_500m", inSeconds: paceSeconds)
        let paceName = try self.name("pace_name", &outer)
        let location = try self.name("location", &outer)
        let hasFixedLanes = try outer.flag("lanes_fixed") ?? false
        let isForced = try outer.flag("force") ?? false
        try outer.finish()
        guard Race.laneCount.contains(places.count) else {
            throw outer.wrong(
                "to", "must name \(Race.laneCount.lowerBound) to \(Race.laneCount.upperBound) ergs")
        }
        let boat = pace.map {
            RaceSettings.PaceBoat(centisecondsPer500m: Int64($0), name: paceName)
        }
        var settings = RaceSettings(
            name: name ?? "", piece: try self.piece(piece.object), paceBoat: boat,
            hasFixedLanes: hasFixedLanes, sender: sender)
        settings.location = location ?? ""
        return Creation(settings: settings, places: places, isForced: isForced)
    }

    /// Parses the piece: a distance or a time.
    private static func piece(_ object: JSONObject) throws(CommandFault) -> RaceSettings.Piece {
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
        default: throw inner.wrong("type", "must be distance or time")
        }
    }

    private static func name(
        _ field: String, _ fields: inout CommandFields
    ) throws(CommandFault) -> String? {
        guard let text = try fields.text(field) else { return nil }
        guard text.count <= maximumNameLength else {
            throw fields.wrong(field, "must have at most \(maximumNameLength) characters")
        }
        return text
    }

    static func action(from body: [UInt8]) throws(CommandFault) -> Action {
        var fields = CommandFields(try CommandFields.object(body))
        guard let word = try fields.text("do") else { throw fields.missing("do") }
        let action: Action
        switch word {
        case "start":
            let seconds = try fields.integer("in_s", in: Race.countdownSeconds) ?? Race.defaultCountdown
            action = .start(seconds: seconds, isForced: try fields.flag("force") ?? false)
        case "arm": action = .arm
        case "recall": action = .recall
        case "scratch": action = .scratch(try erg(&fields))
        case "disqualify": action = .disqualify(try erg(&fields))
        case "reinstate": action = .reinstate(try erg(&fields))
        case "end": action = .end
        default: throw fields.wrong("do", "must be start, arm, recall, scratch, disqualify, reinstate or end")
        }
        try fields.finish()
        return action
    }

    private static func erg(_ fields: inout CommandFields) throws(CommandFault) -> LiveBoard.Place {
        guard let erg = try fields.object("erg") else { throw fields.missing("erg") }
        return try RequestedCommand.places([.object(erg.object)], fields)[0]
    }
}
