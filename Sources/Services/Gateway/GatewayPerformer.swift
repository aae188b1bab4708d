import BlueZLink
import Contract
import ControlSocket
import HostRuntime
import Insights
import PM5Codec
import Recording
import Rowing
import Settings
import Synchronization
import Timeline

/// Executes commands with the parts of the daemon.
struct GatewayPerformer: CommandPerformer {
    let observer: GatewayObserver
    let reload: @Sendable () async -> CommandOutcome
    let forget: @Sendable (_ athlete: String) async -> ErasureResult

    func perform(_ order: ParsedCommand, at station: StationID?) async -> CommandOutcome {
        switch order {
        case .ping: return ping()
        case .diag: return diag(await observer.snapshot())
        case .reload: return await reload()
        case .replay(let request):
            return CommandOutcome(await observer.publisher.replay(request))
        case .announce: return await announce()
        case .acknowledge(let alert, let name): return await acknowledge(alert, by: name)
        case .crew(let id, let ergs): return await define(id, ergs)
        case .forget(let athlete): return CommandOutcome(await forget(athlete))
        case .roster(let part): return await observer.athletes.receive(part)
        case .assign, .monitor, .release, .relay, .identify, .rate: break
        }
        guard let station, let pipeline = observer.registry.pipeline(of: station) else {
            return CommandOutcome(.unknownErg, "no such erg")
        }
        return switch order {
        case .assign(let athlete, let until): await assign(athlete, until: until, to: station)
        case .monitor(let order, let targets): await performWorkoutOrder(order, targets, on: pipeline)
        case .release(let duration, let isForced):
            await release(pipeline, for: duration, isForced: isForced)
        case .relay(let request): await relay(request, to: station)
        case .identify: await identify(pipeline)
        case .rate(let rate): await pipeline.setRate(rate)
        case .ping, .diag, .reload, .replay, .announce, .acknowledge, .crew, .forget, .roster:
            preconditionFailure("handled above")
        }
    }

    // MARK: - The gateway

    private func ping() -> CommandOutcome {
        let uptime = observer.started.duration(to: observer.runtime.now())
        return CommandOutcome(
            .done, "rowgate \(Release.version)",
            .greeting(version: Release.version, uptime: uptime))
    }

    private func diag(_ snapshot: GatewaySnapshot) -> CommandOutcome {
        let health = Health(snapshot)
        return CommandOutcome(
            .done, health.reasons.isEmpty ? "ok" : health.reasons.joined(separator: "; "),
            .health(health))
    }

    private func announce() async -> CommandOutcome {
        guard let count = await observer.publisher.announceEverything() else {
            return CommandOutcome(.failed, "there is no connection to the broker")
        }
        return CommandOutcome(.done, "\(count) retained messages are published again")
    }

    /// The id alone identifies the alert's erg.
    private func acknowledge(_ id: String, by name: String?) async -> CommandOutcome {
        let runtime = observer.runtime
        let own = observer.alerts.acknowledge(
            id, by: name, at: runtime.now(), clock: runtime.wall())
        if let own { return CommandOutcome(own, of: "the gateway") }
        for pipeline in observer.registry.stations {
            if let alert = await pipeline.acknowledge(id, by: name) {
                return CommandOutcome(alert, of: pipeline.station.slug)
            }
        }
        return CommandOutcome(
            .unknownAlert,
            "no firing alert has this id; rowgatectl alerts lists them")
    }

    private func define(_ id: CrewID, _ ergs: [StationID]) async -> CommandOutcome {
        let known = observer.registry.stations.map(\.station)
        if let unknown = ergs.first(where: { !known.contains($0) }) {
            let names = known.map(\.slug).joined(separator: ", ")
            return CommandOutcome(
                .unknownErg, "no erg is called \(unknown); there are: \(names)")
        }
        guard let crew = Crew(id, ergs) else { return await remove(id) }
        guard let crews = await observer.roomPipeline.define(crew) else {
            return CommandOutcome(
                .failed, "there are \(Crew.mostCrews) crews already; dissolve one first")
        }
        await observer.recorder.store(crews: crews)
        return CommandOutcome(
            .done, "the crew \(id) is \(Self.list(crew))", .crew(id, members: crew.ergs))
    }

    private func remove(_ id: CrewID) async -> CommandOutcome {
        let (crews, configured) = await observer.roomPipeline.removeCommanded(id)
        await observer.recorder.store(crews: crews)
        let message = configured.map {
            "the crew \(id) is \(Self.list($0)) again, by the configuration"
        }
        return CommandOutcome(
            .done, message ?? "there is no crew \(id)", .crew(id, members: configured?.ergs ?? []))
    }

    private static func list(_ crew: Crew) -> String {
        crew.ergs.map(\.slug).joined(separator: ", ")
    }

    // MARK: - An erg

    private func assign(
        _ athlete: String?, until: AssignmentEnd, to station: StationID
    ) async -> CommandOutcome {
        await observer.recorder.assign(athlete, until: until, to: station)
        let message: String
        switch (athlete, until) {
        case (let athlete?, .changed): message = "\(athlete) is assigned"
        case (let athlete?, .sessionEnd): message = "\(athlete) is assigned until the session ends"
        case (nil, _): message = "the assignment is cleared"
        }
        return CommandOutcome(.done, message, .assigned(athlete: athlete))
    }

    /// Sets or ends a workout on the monitor of one erg.
    ///
    /// Targets that are relative to an athlete's results become watts and paces.
    private func performWorkoutOrder(
        _ order: WorkoutProcedure.Order, _ targets: WorkoutTargets, on pipeline: StationPipeline
    ) async -> CommandOutcome {
        guard let distance = targets.testDistances.first else {
            return await pipeline.performWorkoutOrder(order, targets)
        }
        let athlete = await observer.recorder.athlete(at: pipeline.station)
        guard let athlete else {
            return CommandOutcome(
                .unknownAthlete,
                "the target is relative to an athlete's \(distance.rawValue) result, and no athlete is "
                    + "assigned; rowgatectl assign \(pipeline.station) ATHLETE, or set a target in watts "
                    + "or as a pace")
        }
        do throws(RelativeTargetError) {
            let resolved = try targets.resolved(observer.athletes.powers(of: athlete))
            return await pipeline.performWorkoutOrder(order, resolved)
        } catch { return CommandOutcome(error, of: athlete) }
    }

    private func release(
        _ pipeline: StationPipeline, for duration: Duration, isForced: Bool
    ) async -> CommandOutcome {
        guard let serial = observer.registry.serial(of: pipeline.station) else {
            return .notConnected
        }
        guard duration > .zero else {
            return await observer.room.reclaim(serial)
                ? CommandOutcome(.done, "the gateway reconnects once the monitor is in range")
                : .notConnected
        }
        if !isForced, await pipeline.snapshot().state.activity.hasOpenSession { return .rowing }
        return await observer.room.release(serial, for: duration)
            ? CommandOutcome(
                .done, "the monitor is free for \(Self.text(duration)); nothing is recorded")
            : .notConnected
    }

    /// Moves a relay to the erg's monitor, or ends the erg's relay.
    private func relay(_ request: RelayRequest, to station: StationID) async -> CommandOutcome {
        guard let serial = observer.registry.serial(of: station) else { return .notConnected }
        let relays = await observer.room.snapshot().relays
        let own = relays.first { $0.serial == serial }
        let chosen: RelayStatus
        if request.isOff {
            guard let own else { return CommandOutcome(.done, "the erg has no relay") }
            chosen = own
        } else {
            do throws(RelayChoice.Failure) {
                chosen = try RelayChoice(relays, names: observer.registry.stationsBySerial)
                    .relay(for: serial, adapter: request.adapter)
            } catch { return CommandOutcome(.noRelay, error.text) }
            if chosen.serial == serial {
                return CommandOutcome(.done, "phones find the monitor through \(chosen.adapter) already")
            }
        }
        if !request.isForced, [chosen, own].contains(where: { $0?.state == .connected }) {
            return CommandOutcome(
                .phoneConnected, "a phone uses the relay; \"force\":true disconnects it")
        }
        guard await observer.room.moveRelay(to: request.isOff ? nil : serial, adapter: chosen.adapter) else {
            return .notConnected
        }
        return CommandOutcome(
            .done,
            request.isOff
                ? "phones do not find the monitor any more"
                : "phones find PM5 \(serial) through \(chosen.adapter), while it is connected")
    }

    private static func text(_ duration: Duration) -> String {
        let (minutes, seconds) = duration.components.seconds.quotientAndRemainder(dividingBy: 60)
        return seconds == 0 ? "\(minutes) min" : "\(duration.components.seconds) s"
    }

    /// A PM5 has no command to identify itself, so the reply says where it shows its serial number: More
    /// Options, Utilities, Product ID.
    private func identify(_ pipeline: StationPipeline) async -> CommandOutcome {
        guard let (monitor, signal) = await pipeline.monitor() else { return .notConnected }
        return CommandOutcome(
            .done, "look for the monitor that says PM5 \(monitor.serial) under Product ID",
            .identity(monitor, signalDBm: signal))
    }
}

extension CommandOutcome {
    /// The reason why an athlete cannot have a relative target.
    fileprivate init(_ error: RelativeTargetError, of athlete: String) {
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
    fileprivate init(_ alert: Alert, of place: String) {
        let name = alert.acknowledgement?.by.map { " by \($0)" } ?? ""
        self.init(.done, "\(alert.rule.rawValue) of \(place) is acknowledged\(name)")
    }

    fileprivate init(_ replay: ReplayOutcome) {
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

extension Configuration {
    /// A file in the folder of the ring.
    func stateFile(_ name: String) -> StateFile {
        let slash = ring.path.lastIndex(of: "/") ?? ring.path.startIndex
        return StateFile(path: "\(ring.path[..<slash])/\(name)")
    }
}

/// The current configuration, which a command can reload.
private final class CurrentConfiguration: Sendable {
    private let values: Mutex<[String: String]>
    private let path: String
    let center = Mutex<CommandCenter?>(nil)

    init(_ configuration: Configuration, path: String) {
        values = Mutex(ConfigurationReload.values(configuration))
        self.path = path
    }

    func reloading(_ observer: GatewayObserver) -> @Sendable () async -> CommandOutcome {
        {
            let new: Configuration
            do throws(InvalidConfiguration) {
                new = try Configuration.load(from: self.path)
            } catch {
                let first = error.problems.first.map { "\($0)" } ?? "it is invalid"
                return CommandOutcome(.badConfiguration, "the current configuration is unchanged: \(first)")
            }
            let change = self.values.withLock { ConfigurationReload(to: new, inForce: &$0) }
            await self.center.withLock { $0 }?.apply(allowed: new.commands, workouts: new.workouts)
            observer.publish(new.workouts)
            await observer.athletes.configure(
                new, replacesAssignments: change.applied.contains("athletes.roster"))
            await observer.recorder.record(.configurationReloaded)
            return change.outcome
        }
    }
}

/// Compares a changed configuration with the running one: the keys that differ, by whether they can
/// be applied without a restart.
struct ConfigurationReload: Equatable {
    /// Applied at once, as `section.key`.
    private(set) var applied: [String] = []
    private(set) var needRestart: [String] = []

    /// Whether a key is applied while the daemon runs; its value is read each time.
    private static func isLive(_ key: String) -> Bool {
        [
            "commands.enabled", "commands.forget", "athletes.roster", "athletes.publish_names",
        ].contains(key)
            || key.hasPrefix("workout[")
    }

    /// - Parameter inForce: as returned by `values`; applied keys are updated in it.
    init(to new: Configuration, inForce: inout [String: String]) {
        let after = Self.values(new)
        for key in Set(inForce.keys).union(after.keys).sorted() where inForce[key] != after[key] {
            guard Self.isLive(key) else {
                needRestart.append(key)
                continue
            }
            applied.append(key)
            inForce[key] = after[key]
        }
    }

    /// Every key with its value in TOML, as `section.key`.
    static func values(_ configuration: Configuration) -> [String: String] {
        var values = Dictionary(
            configuration.settings.map { ("\($0.section).\($0.key)", $0.value ?? "") },
            uniquingKeysWith: { $1 })
        // The content of the file may change while its name stays.
        values["athletes.roster"]? += "\(configuration.roster?.athletes ?? [])"
        return values
    }

    var outcome: CommandOutcome {
        let words =
            switch (applied.isEmpty, needRestart.isEmpty) {
            case (true, true): "nothing has changed"
            case (false, true): "in force"
            case (_, false): "restart rowgate for \(needRestart.joined(separator: ", "))"
            }
        return CommandOutcome(
            .done, words, .reload(applied: applied, needRestart: needRestart))
    }
}
