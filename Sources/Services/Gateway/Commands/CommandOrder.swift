import Contract
import PM5Codec
import Recording
import Rowing

/// What a command asks for, read and checked.
enum CommandOrder: Equatable, Sendable {
    case ping
    case diag
    case reload
    case replay(ReplayRequest)
    /// Who sits at the erg from now on; nil for nobody.
    case assign(athlete: String?, until: AthleteAssignment.End)
    case monitor(WorkoutProcedure.Order)
    /// Lends the monitor to somebody else; for no time at all means that it is taken back. Forced
    /// also in the middle of a piece, which is then not recorded to its end.
    case release(Duration, isForced: Bool)
    case identify
    case rate(SampleRate)

    /// A day: whoever lends a monitor for longer means something else.
    static let releaseRange = 0...86_400
    static let defaultRelease = 900
}

extension CommandOrder {
    /// Reads what belongs to `verb`; `request_id` has been read already.
    init(_ verb: CommandVerb, _ fields: inout CommandFields) throws(CommandFault) {
        switch verb {
        case .ping: self = .ping
        case .diag: self = .diag
        case .reload: self = .reload
        case .replay: self = try .replay(&fields)
        case .assign: self = try .assign(&fields)
        case .workout:
            let isForced = try fields.flag("force") ?? false
            self = .monitor(.program(try WorkoutProgram(&fields), isForced: isForced))
        case .terminate: self = .monitor(.terminate)
        case .release:
            let seconds = try fields.integer("for_s", in: Self.releaseRange)
            let isForced = try fields.flag("force") ?? false
            self = .release(.seconds(seconds ?? Self.defaultRelease), isForced: isForced)
        case .identify: self = .identify
        case .rate: self = try .rate(&fields)
        }
        try fields.finish()
    }

    private static func replay(_ fields: inout CommandFields) throws(CommandFault) -> Self {
        let slug = try fields.text("erg")
        let station = slug.flatMap { StationID($0) }
        if slug != nil, station == nil { throw fields.wrong("erg", "must be an erg's slug") }
        guard let name = try fields.text("kind") else { throw fields.missing("kind") }
        let kinds = StreamKind.allCases.filter { $0.isOfGateway == (station == nil) }
        guard let kind = kinds.first(where: { $0.topicName == name }) else {
            let names = kinds.map(\.topicName).joined(separator: ", ")
            throw fields.wrong("kind", "must be \(names)")
        }
        guard let from = try fields.integer("from_seq", in: 1...Int.max) else {
            throw fields.missing("from_seq")
        }
        guard let to = try fields.integer("to_seq", in: 1...Int.max) else {
            throw fields.missing("to_seq")
        }
        guard from <= to else { throw fields.wrong("to_seq", "must not be below from_seq") }
        return .replay(
            ReplayRequest(
                stream: StreamID(station: station, kind: kind),
                sequences: UInt64(from)...UInt64(to)))
    }

    private static func assign(_ fields: inout CommandFields) throws(CommandFault) -> Self {
        let athlete = try fields.text("athlete_id")
        if let athlete, !StationID.isSlug(athlete) {
            throw fields.wrong("athlete_id", "must be 1 to 32 of a-z, 0-9 and -")
        }
        guard let word = try fields.text("until") else {
            return .assign(athlete: athlete, until: .changed)
        }
        guard let until = AthleteAssignment.End(rawValue: word) else {
            throw fields.wrong("until", "must be \"session_end\" or \"changed\"")
        }
        return .assign(athlete: athlete, until: until)
    }

    private static func rate(_ fields: inout CommandFields) throws(CommandFault) -> Self {
        guard let milliseconds = try fields.integer("ms", in: 0...1000) else {
            throw fields.missing("ms")
        }
        let rates: [SampleRate] = [
            .every1000Milliseconds, .every500Milliseconds, .every250Milliseconds,
            .every100Milliseconds,
        ]
        guard let rate = rates.first(where: { $0.periodMilliseconds == milliseconds }) else {
            throw fields.wrong("ms", "must be 1000, 500, 250 or 100")
        }
        return .rate(rate)
    }
}
