import BlueZLink
import Contract
import ControlSocket
import HostRuntime
import Insights
import PM5Codec
import Recording
import Rowing
import Settings

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
