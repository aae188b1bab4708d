import Bytes
import Rowing
import Timeline

/// Result code of a command, for programs. `Topics.md` describes each code.
package enum CommandCode: String, CaseIterable, Equatable, Sendable {
    case done
    /// A repeated request; the first one is still in progress.
    case inProgress = "in_progress"

    // Errors of the request.
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

    // Errors of the execution.
    case busy
    case notConnected = "not_connected"
    case rowing
    case noRelay = "no_relay"
    case phoneConnected = "phone_connected"
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

/// The reply of one erg or of the gateway to a command.
package struct CommandReply: Equatable, Sendable {
    /// Additional fields of a verb.
    package enum Details: Equatable, Sendable {
        case none
        /// `ping`: the daemon's version and uptime.
        case greeting(version: String, uptime: Duration)
        case health(Health)
        /// `reload`: keys that are applied, and keys that need a restart.
        case reload(applied: [String], needRestart: [String])
        /// `replay`: number of records published again.
        case replayed(count: Int)
        /// `crew`: the new members; empty if the crew was removed.
        case crew(CrewID, members: [StationID])
        /// `forget`: number of erased or changed records, and of unreadable ranges of the ring.
        case erased(records: Int, damagedRanges: Int)
        /// `assign`: the assigned athlete; nil for none.
        case assigned(athlete: String?)
        /// `workout`, `terminate`: the workout that was read back from the monitor.
        case workout(Workout)
        /// `identify`: data of the monitor, and its signal strength.
        case identity(MonitorIdentity, signalDBm: Int?)
    }

    /// nil if the request had no readable id.
    package var requestID: String?
    /// As in the topic of the request.
    package var verb: String
    /// nil for a command to the gateway.
    package var station: StationID?
    /// The result, for programs.
    package var code: CommandCode
    /// The result or the remedy, for people.
    package var message: String
    /// Additional fields of the verb.
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
            // `status` is the status of the reply.
            json.field("health", health.status.rawValue)
            health.writeDetails(into: &json)
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
        case .assigned(let athlete): json.field("athlete_id", athlete)
        case .workout(let workout): json.workout(workout)
        case .identity(let monitor, let signal):
            json.field("serial", monitor.serial)
            json.field("model", monitor.model)
            json.field("firmware", monitor.firmwareRevision)
            json.field("machine_type", monitor.machineType?.wireName)
            json.field("adapter", monitor.adapter)
            json.field("signal_dbm", signal)
        }
    }
}
