import Contract
import ControlSocket
import HostRuntime
import Insights
import PM5Codec
import Recording
import Rowing
import Settings
import Timeline

extension Daemon {
    /// Commands of the control socket.
    static func carryOut(
        _ commands: CommandCenter, _ clock: any Clock
    ) -> @Sendable (String, String?, [UInt8]) async -> [[UInt8]] {
        { verb, erg, payload in
            let request = CommandRequest(
                verb: verb, erg: erg, payload: payload, at: clock.now())
            guard let request else { return [await commands.noSuchErg(verb: verb)] }
            return await commands.carryOut(request)
        }
    }

    /// Erases an athlete's records. Throws an error with a remedy if that is not possible now.
    static func forget(
        _ athlete: String, in observer: GatewayObserver, _ commands: CommandCenter
    ) async throws -> RowgateInterface.ForgetAthlete.Reply {
        guard AthleteID.isValid(athlete) else {
            throw ControlFailure(
                rowgate: "Failed", message: "an athlete id is \(AthleteID.rule)")
        }
        switch await erase(athlete, in: observer, commands) {
        case .done(let records, let damagedRanges):
            let damaged =
                damagedRanges == 0
                ? [] : ["\(damagedRanges) damaged stretches of the ring log, which cannot be read"]
            return .init(erased: records, beyondReach: damaged + Self.beyondReach)
        case .rowing(let station):
            throw ControlFailure(
                rowgate: "Failed",
                message: "\(athlete) has a session open at \(station); end it first: "
                    + "rowgatectl terminate \(station)")
        case .failed(let reason): throw ControlFailure(rowgate: "Failed", message: reason)
        }
    }

    /// Erases an athlete's records, and every mention of the athlete in the daemon's state.
    fileprivate static func erase(
        _ athlete: String, in observer: GatewayObserver, _ commands: CommandCenter
    ) async -> ErasureResult {
        // Comes first, so that later records do not name the athlete as the acknowledger of an alert.
        let (alerts, runtime) = (observer.alerts, observer.runtime)
        alerts.forget(athlete, at: runtime.now(), clock: runtime.wall())
        for station in observer.registry.stations { await station.forget(athlete) }
        let outcome = await observer.recorder.erase(athlete)
        if case .done = outcome {
            await commands.forget(athlete)
            guard await observer.athletes.forget(athlete) else {
                return .failed("the athlete is still in the roster, which cannot be stored; try again")
            }
        }
        return outcome
    }

    private static let beyondReach = [
        "data that the broker, its queues and its retained messages already have",
        "data that subscribers and their databases have received",
        "copies and backups of the ring log, support bundles, and spare blocks of the medium",
        "the system's journal, which names athletes and their ergs",
        "request ids of the last hour, where a sender wrote the athlete's id into one",
        "the roster file, if it names the athlete",
    ]

    /// Creates the command center.
    static func commands(
        _ configuration: Configuration, readFrom path: String, _ observer: GatewayObserver,
        _ log: SystemLog
    ) -> CommandCenter {
        let current = CurrentConfiguration(configuration, path: path)
        let publisher = observer.publisher
        let registry = observer.registry
        let performer = GatewayPerformer(
            observer: observer, reload: current.reloading(observer),
            forget: { athlete in
                guard let center = current.center.withLock(\.self) else {
                    return .failed("the gateway is still starting")
                }
                return await erase(athlete, in: observer, center)
            })
        let center = CommandCenter(
            gateway: observer.gateway, allowed: configuration.commands,
            athletes: configuration.roster?.ids, workouts: configuration.workouts,
            performer: performer, stations: { registry.stations.map(\.station) },
            respond: { command, station, verb, payload in
                await publisher.reply(to: command, from: station, verb: verb, payload)
            },
            counters: observer.commands, file: configuration.stateFile("commands"),
            runtime: observer.runtime,
            log: log.scoped(to: "commands"))
        current.center.withLock { $0 = center }
        return center
    }
}
