import PM5Codec
import Rowing

/// A parsed and validated command.
package enum ParsedCommand: Equatable, Sendable {
    case ping
    case diag
    case reload
    case replay(ReplayRequest)
    /// Publish all retained messages again.
    case announce
    /// Acknowledge an alert; `by` is the person's name, if given.
    case acknowledge(alert: String, by: String?)
    /// Set the members of a crew; empty restores the configuration.
    case crew(CrewID, ergs: [StationID])
    /// Erase an athlete's records permanently.
    case forget(athlete: String)
    /// Replace the athletes that may be assigned, or a part of them.
    case roster(RosterPart)
    /// Assign an athlete to the erg; nil to clear the assignment.
    case assign(athlete: String?, until: AssignmentEnd)
    /// Program or terminate a workout, with the targets of the piece.
    case monitor(WorkoutProcedure.Order, WorkoutTargets = WorkoutTargets())
    /// Release the monitor for a time; 0 takes it back. If forced, also during a piece, whose rest is
    /// then not recorded.
    case release(Duration, isForced: Bool)
    /// Let phone apps use the monitor through a relay, or no longer.
    case relay(RelayRequest)
    case identify
    case rate(SampleRate)

    /// In seconds, up to one day.
    static let releaseRange = 0...86_400
    /// In seconds, of a release without a time. `coach/workouts.js` and `config/schema/contract.toml` repeat it.
    package static let defaultRelease = 900
}

extension ParsedCommand {
    /// Reads the fields of `verb`, after `request_id`.
    ///
    /// - Parameter workouts: the named workouts of the configuration.
    package init(
        _ verb: CommandVerb, _ fields: inout CommandFields, workouts: [NamedWorkout] = []
    ) throws(CommandFault) {
        switch verb {
        case .ping: self = .ping
        case .diag: self = .diag
        case .reload: self = .reload
        case .announce: self = .announce
        case .replay: self = try .replay(&fields)
        case .ack:
            guard let alert = try fields.name("alert_id") else { throw fields.missing("alert_id") }
            self = .acknowledge(alert: alert, by: try fields.name("by"))
        case .crew: self = try .crew(&fields)
        case .forget:
            guard let athlete = try Self.athlete(&fields) else {
                throw fields.missing("athlete_id")
            }
            self = .forget(athlete: athlete)
        case .roster: self = .roster(try RosterPart(&fields))
        case .assign: self = try .assign(&fields)
        case .workout:
            let isForced = try fields.flag("force") ?? false
            let named = try WorkoutRequest(named: workouts, &fields)
            let order = if let named { named } else { try WorkoutRequest(&fields) }
            self = .monitor(.program(order.program, isForced: isForced), order.targets)
        case .terminate: self = .monitor(.terminate)
        case .release:
            let seconds = try fields.integer("for_s", in: Self.releaseRange)
            let isForced = try fields.flag("force") ?? false
            self = .release(.seconds(seconds ?? Self.defaultRelease), isForced: isForced)
        case .relay:
            self = .relay(
                RelayRequest(
                    adapter: try fields.text("adapter"), isOff: try fields.flag("off") ?? false,
                    isForced: try fields.flag("force") ?? false))
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
        let kinds = StreamKind.all(of: station)
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

    private static func crew(_ fields: inout CommandFields) throws(CommandFault) -> Self {
        guard let name = try fields.text("crew") else { throw fields.missing("crew") }
        guard let crew = CrewID(name) else {
            throw fields.wrong("crew", "must be 1 to 32 of a-z, 0-9 and -")
        }
        guard let members = try fields.list("members") else { return .crew(crew, ergs: []) }
        guard (1...CrewID.maximumMembers).contains(members.count) else {
            throw fields.wrong("members", "must be 1 to \(CrewID.maximumMembers) ergs")
        }
        var ergs: [StationID] = []
        for member in members {
            guard case .text(let slug) = member, let erg = StationID(slug), !ergs.contains(erg)
            else { throw fields.wrong("members", "must be slugs of ergs, each once") }
            ergs.append(erg)
        }
        return .crew(crew, ergs: ergs)
    }

    private static func athlete(_ fields: inout CommandFields) throws(CommandFault) -> String? {
        let athlete = try fields.text("athlete_id")
        if let athlete, !AthleteID.isValid(athlete) {
            throw fields.wrong("athlete_id", "must be \(AthleteID.rule)")
        }
        return athlete
    }

    private static func assign(_ fields: inout CommandFields) throws(CommandFault) -> Self {
        let athlete = try athlete(&fields)
        guard let word = try fields.text("until") else {
            return .assign(athlete: athlete, until: .changed)
        }
        guard let until = AssignmentEnd(rawValue: word) else {
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

/// A request to present the monitor of an erg through a relay.
package struct RelayRequest: Equatable, Sendable {
    /// The adapter of the relay, as configured; nil if the gateway may choose.
    package let adapter: String?
    /// End the relay of this erg.
    package let isOff: Bool
    /// Disconnect a phone that uses the relay.
    package let isForced: Bool

    package init(adapter: String?, isOff: Bool, isForced: Bool) {
        (self.adapter, self.isOff, self.isForced) = (adapter, isOff, isForced)
    }
}

/// Name of a command: the last level of a command topic, or the verb in the control socket's method.
package enum CommandVerb: String, CaseIterable, Sendable {
    // To the gateway.
    case ping, diag, reload, replay, announce, ack, crew, forget, roster
    // To an erg, or to every one.
    case assign, workout, terminate, release, relay, identify, rate

    /// Whether the gateway answers it, not an erg.
    package var isForGateway: Bool {
        switch self {
        case .ping, .diag, .reload, .replay, .announce, .ack, .crew, .forget, .roster: true
        case .assign, .workout, .terminate, .release, .relay, .identify, .rate: false
        }
    }

    /// Whether it changes the monitor's display or the recording, or lets a phone do so. Needs `commands.enabled`.
    package var changesMonitor: Bool {
        switch self {
        case .workout, .terminate, .release, .relay, .rate: true
        case .ping, .diag, .reload, .replay, .announce, .ack, .crew, .forget, .roster, .assign,
            .identify:
            false
        }
    }

    /// Whether it erases records permanently. Needs `commands.forget`.
    package var erases: Bool { self == .forget }

    /// Whether repeating it may change something, so that the gateway must detect repeated requests.
    package var hasEffect: Bool {
        switch self {
        case .ping, .diag, .announce, .identify: false
        case .reload, .replay, .ack, .crew, .forget, .roster, .assign, .workout, .terminate,
            .release, .relay, .rate:
            true
        }
    }
}

/// When an athlete's assignment to an erg ends.
package enum AssignmentEnd: String, CaseIterable, Sendable {
    case sessionEnd = "session_end"
    /// At the next assignment.
    case changed
}
