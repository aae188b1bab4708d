import Contract
import ControlSocket
import HostRuntime
import PM5Codec
import Recording
import Settings
import Synchronization
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
        if case .done = outcome { await commands.forget(athlete) }
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
        _ limits: AthleteAlertLimits, _ log: SystemLog
    ) -> CommandCenter {
        let current = CurrentConfiguration(configuration, path: path)
        let publisher = observer.publisher
        let registry = observer.registry
        let performer = GatewayPerformer(
            observer: observer, reload: current.reloading(observer, limits),
            forget: { athlete in
                guard let center = current.center.withLock(\.self) else {
                    return .failed("the gateway is still starting")
                }
                return await erase(athlete, in: observer, center)
            },
            power2k: { athlete in
                current.roster.withLock { $0?.power2k(of: athlete) }
            })
        let center = CommandCenter(
            gateway: observer.gateway, allowed: configuration.commands,
            athletes: configuration.roster?.ids, workouts: configuration.workouts,
            performer: performer, stations: { registry.stations.map(\.station) },
            respond: { command, station, verb, payload in
                await publisher.reply(to: command, from: station, verb: verb, payload)
            },
            counters: observer.commands, file: StateFile(path: configuration.commandsFile),
            runtime: observer.runtime,
            log: log.scoped(to: "commands"))
        current.center.withLock { $0 = center }
        return center
    }
}

extension Configuration {
    /// Path of the stored commands, in the folder of the ring.
    fileprivate var commandsFile: String {
        let slash = ring.path.lastIndex(of: "/") ?? ring.path.startIndex
        return ring.path[..<slash] + "/commands"
    }
}

/// The current configuration, which a command can reload.
private final class CurrentConfiguration: Sendable {
    private let values: Mutex<[String: String]>
    private let path: String
    let center = Mutex<CommandCenter?>(nil)
    let roster: Mutex<AthleteRoster?>

    init(_ configuration: Configuration, path: String) {
        values = Mutex(ConfigurationReload.values(configuration))
        roster = Mutex(configuration.roster)
        self.path = path
    }

    func reloading(
        _ observer: GatewayObserver, _ limits: AthleteAlertLimits
    ) -> @Sendable () async -> CommandOutcome {
        {
            let new: Configuration
            do throws(InvalidConfiguration) {
                new = try Configuration.load(from: self.path)
            } catch {
                let first = error.problems.first.map { "\($0)" } ?? "it is invalid"
                return CommandOutcome(.badConfiguration, "the current configuration is unchanged: \(first)")
            }
            let change = self.values.withLock { ConfigurationReload(to: new, inForce: &$0) }
            self.roster.withLock { $0 = new.roster }
            await self.center.withLock { $0 }?
                .apply(
                    allowed: new.commands, athletes: new.roster?.ids,
                    workouts: new.workouts)
            limits.replace(by: new.roster)
            observer.publish(new.workouts)
            await observer.recorder.applyRoster(
                names: new.publishedNames, assignments: new.roster?.assignments ?? [],
                replacing: change.applied.contains("athletes.roster"))
            await observer.recorder.record(.configurationReloaded)
            return change.outcome
        }
    }
}
