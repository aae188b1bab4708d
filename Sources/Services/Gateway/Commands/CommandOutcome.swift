import Contract
import ControlSocket
import HostRuntime
import Insights
import PM5Codec
import Publishing
import Recording
import Rowing
import Settings

/// The result of a command.
struct CommandOutcome: Equatable, Sendable {
    var code: CommandCode
    var message: String
    var details: CommandReply.Details

    init(_ code: CommandCode, _ message: String, _ details: CommandReply.Details = .none) {
        self.code = code
        self.message = message
        self.details = details
    }
}

extension CommandOutcome {
    /// The reason why an athlete cannot have a relative target.
    init(_ error: RelativeTargetError, of athlete: String) {
        switch error {
        case .unknownPower(let distance):
            let name = distance.rawValue
            self.init(
                .unknownAthlete,
                "the target is relative to \(athlete)'s \(name) result, which the roster does not have; "
                    + "write power_\(name)_w there, or set a target in watts or as a pace")
        case .paceOutOfRange(let pace):
            let paces = TargetBands.paces
            self.init(
                .badValue,
                "the target pace of \(athlete) is \(pace / 100) s per 500 m, must be "
                    + "\(paces.lowerBound / 100) to \(paces.upperBound / 100); change the offset")
        }
    }

    /// The result of an erasure. The reply does not name the athlete, because it is stored.
    init(_ outcome: ErasureResult) {
        switch outcome {
        case .done(let records, let damagedRanges):
            let message = "\(records) records are erased; not those that left the ring log before"
            self.init(.done, message, .erased(records: records, damagedRanges: damagedRanges))
        case .rowing(let station):
            self.init(
                .rowing, "the athlete has an open session at \(station); end it, then try again")
        case .failed(let reason): self.init(.failed, reason)
        }
    }

    /// The result of an order to a monitor.
    init(_ order: WorkoutProcedure.Order, _ result: Result<Workout, WorkoutProcedure.Failure>) {
        switch (result, order) {
        case (.success(let workout), .terminate):
            self.init(.done, "the session has ended; the monitor is ready", .workout(workout))
        case (.success(let workout), .program):
            self.init(.done, "the workout is on the monitor", .workout(workout))
        case (.failure(.rowing), .program(_, isForced: false)): self = .rowing
        case (.failure(.rowing), _):
            self.init(.rowing, "the rower started another session each time; ask the rower to pause first")
        case (.failure(.rejected), _):
            self.init(.monitorRefused, "the monitor refused the command; check its screen")
        case (.failure(.noAnswer), _):
            self.init(.noAnswer, "the monitor did not answer in time; check its screen")
        case (.failure(.notVerified(let workout)), _):
            self.init(
                .notVerified, "the monitor accepted the workout but shows another one; try again",
                .workout(workout))
        }
    }

    static let busy = CommandOutcome(
        .busy, "another workout or terminate command is running on this erg; try again")
    static let interrupted = CommandOutcome(
        .interrupted, "the link to the monitor broke; check its screen, then try again")
    static let rowing = CommandOutcome(
        .rowing, "the erg is in use; \"force\":true overrides this")

    /// The reply for an alert that was acknowledged now or before.
    init(_ alert: Alert, of place: String) {
        let name = alert.acknowledgement?.by.map { " by \($0)" } ?? ""
        self.init(.done, "\(alert.rule.rawValue) of \(place) is acknowledged\(name)")
    }

    init(_ replay: ReplayOutcome) {
        let count = CommandReply.Details.replayed(count: replay.published)
        switch replay.ending {
        case .complete:
            let gone = replay.gone.map { "\($0.lowerBound) to \($0.upperBound)" }
            self.init(
                .done,
                gone.isEmpty
                    ? "\(replay.published) records"
                    : "\(replay.published) records; no longer in the ring log: "
                        + gone.joined(separator: ", "), count)
        case .brokerRefused(let reason):
            self.init(.failed, "the broker refused a record with reason \(reason)", count)
        case .unreadable: self.init(.failed, "the ring log could not be read to the end", count)
        case .busy: self.init(.busy, "other replays are waiting already; try again later")
        case .stopped: self.init(.interrupted, "the gateway is stopping", count)
        }
    }

    static let notConnected = CommandOutcome(
        .notConnected, "the gateway has no link to the monitor; rowgatectl status says why")
}
