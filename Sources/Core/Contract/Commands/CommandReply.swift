import Bytes
import Rowing
import Timeline

/// What became of a command, in one word for programs; `Topics.md` says when each is given.
package enum CommandCode: String, CaseIterable, Equatable, Sendable {
    case done
    /// A repeated request whose first one is still being carried out.
    case inProgress = "in_progress"

    // What is wrong with the request.
    case retained
    case expired
    case tooLarge = "too_large"
    case notJSON = "not_json"
    case missingField = "missing_field"
    case unknownField = "unknown_field"
    case badValue = "bad_value"
    case tooManyIntervals = "too_many_intervals"
    case requestIDReused = "request_id_reused"
    case unknownVerb = "unknown_verb"
    case unknownErg = "unknown_erg"
    case unknownAthlete = "unknown_athlete"
    case unknownAlert = "unknown_alert"
    case disabled

    // Why it could not be carried out.
    case busy
    case notConnected = "not_connected"
    case rowing
    case monitorRefused = "monitor_refused"
    case noAnswer = "no_answer"
    case notVerified = "not_verified"
    case interrupted
    case badConfiguration = "bad_configuration"
    case failed

    /// `ok`, `accepted` or `error`: the reply's `status`.
    package var status: String {
        switch self {
        case .done: "ok"
        case .inProgress: "accepted"
        default: "error"
        }
    }
}

/// The answer to one command, of one erg or of the gateway.
package struct CommandReply: Equatable, Sendable {
    /// What a verb adds to the fields that every reply has.
    package enum Details: Equatable, Sendable {
        case none
        /// `ping`: the daemon's version, and how long it has been running.
        case greeting(version: String, uptime: Duration)
        case health(Health)
        /// `reload`: keys that are in force now, and keys that wait for a restart.
        case reload(applied: [String], needRestart: [String])
        /// `replay`: how many records were published again.
        case replayed(count: Int)
        /// `crew`: its ergs from now on; none where it is no more.
        case crew(CrewID, members: [StationID])
        /// `forget`: how many records were erased or rid of the id, and how many stretches of the ring
        /// cannot be read.
        case erased(records: Int, damagedRanges: Int)
        /// `assign`: who sits there now; nil for nobody.
        case seated(athlete: String?)
        /// `workout`, `terminate`: what the monitor showed when it was read back.
        case workout(Workout)
        /// `identify`: what is written on the monitor, and how its radio is heard.
        case identity(MonitorIdentity, signalDBm: Int?)
    }

    /// nil when the request had none that could be read.
    package var requestID: String?
    /// As in the topic of the request.
    package var verb: String
    /// nil for a command to the gateway.
    package var station: StationID?
    /// What became of it, for programs.
    package var code: CommandCode
    /// For people: what happened or what to do about it.
    package var message: String
    /// The fields that this verb adds.
    package var details: Details

    package init(
        to requestID: String?, verb: String, from station: StationID?, _ code: CommandCode,
        _ message: String, _ details: Details = .none
    ) {
        self.requestID = requestID
        self.verb = verb
        self.station = station
        self.code = code
        self.message = message
        self.details = details
    }

    /// The message: `v`, `kind`, `gw`, `erg` and the time, then the reply's own fields.
    package func payload(gateway: GatewayID, at now: BootInstant, clock: WallClock) -> [UInt8] {
        JSONWriter.object { json in
            json.head("rsp", gateway: gateway, station: station, at: now, clock: clock)
            json.field("verb", verb)
            json.field("request_id", requestID)
            json.field("status", code.status)
            json.field("code", code.rawValue)
            json.field("message", message)
            details.write(into: &json)
        }
    }
}

extension CommandReply.Details {
    fileprivate func write(into json: inout JSONWriter) {
        switch self {
        case .none: break
        case .greeting(let version, let uptime):
            json.field("version", version)
            json.field("uptime_s", uptime.components.seconds)
        case .health(let health):
            // A reply has a status of its own.
            json.field("health", health.status.rawValue)
            health.writeFigures(into: &json)
        case .reload(let applied, let needRestart):
            json.field("applied", applied)
            json.field("need_restart", needRestart)
        case .replayed(let count): json.field("count", count)
        case .crew(let crew, let members):
            json.field("crew", crew.slug)
            json.field("members", members.map(\.slug))
        case .erased(let records, let damagedRanges):
            json.field("erased", records)
            json.field("unreadable", damagedRanges)
        case .seated(let athlete): json.field("athlete_id", athlete)
        case .workout(let workout): json.workout(workout)
        case .identity(let monitor, let signal):
            json.field("serial", monitor.serial)
            json.field("model", monitor.model)
            json.field("firmware", monitor.firmwareRevision)
            json.field("machine_type", monitor.machineType?.word)
            json.field("adapter", monitor.adapter)
            json.field("signal_dbm", signal)
        }
    }
}
