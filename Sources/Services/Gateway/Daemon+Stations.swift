import BlueZLink
import Contract
import HostRuntime
import Insights
import Publishing
import Recording

extension Daemon {
    /// Events that may wait for the log queue, all stations together: minutes of a full room.
    private static let newsCapacity = 4096

    /// The stations of the configuration, each with the session that the last process left open.
    static func stations(
        _ configuration: Configuration, _ gateway: GatewayID, _ recorder: Recorder,
        _ publisher: Publisher, _ homeAssistant: HomeAssistantBridge, _ runtime: any Runtime,
        _ log: SystemLog
    ) -> StationRegistry {
        let news = BoundedMailbox<StationNews>(
            capacity: newsCapacity, to: recorder.executor
        ) { [weak recorder] batch in
            recorder?.assumeIsolated { $0.record(batch) }
        }
        let outlet = StationOutlet(
            listeners: [NewsListener { news.send($0) }, homeAssistant],
            live: { station, sample in
                publisher.publishLive(sample, of: station, clock: runtime.wall())
            },
            retain: publisher.setRetained)
        let alerts = Dictionary(
            configuration.ergs.map { ($0.slug, $0.alerts) }, uniquingKeysWith: { first, _ in first }
        )
        let limits = configuration.roster?.limits ?? [:]
        let registry = StationRegistry { station in
            StationPipeline(
                station: station, gateway: gateway, resuming: recorder.interruptedSessions[station],
                firing: recorder.firingAlerts[station] ?? [],
                alerts: alerts[station.slug] ?? configuration.alerts,
                own: recorder.seatedAthletes[station].flatMap { limits[$0] } ?? AlertSettings(),
                keepsRaw: configuration.ring.keepsRaw, configuredRate: configuration.bluetooth.rate,
                outlet: outlet, runtime: runtime,
                log: log.scoped(to: station.slug))
        }
        for erg in configuration.ergs {
            guard let station = StationID(erg.slug) else { continue }
            _ = registry.add(station, serial: erg.serial)
        }
        guard configuration.bluetooth.discovery == .any else { return registry }
        // A session that was left open ends in time, whether its monitor is heard again or not.
        for station in recorder.interruptedSessions.keys.sorted() {
            if let serial = station.monitorSerial { _ = registry.add(station, serial: serial) }
        }
        return registry
    }

    /// The gateway's own alerts, with those that the last process left.
    static func alerts(
        _ configuration: Configuration, _ gateway: GatewayID, _ recorder: Recorder,
        _ publisher: Publisher, _ runtime: any Runtime
    ) -> AlertWatch {
        let alerts = GatewayAlerts(
            configuration.alerts, firing: recorder.firingAlerts[nil] ?? []
        ) { runtime.makeULID().description }
        return AlertWatch(
            alerts, of: gateway, record: { alerts in recorder.later { $0.record(alerts) } },
            retain: publisher.setRetained)
    }

    /// What all of them come to.
    static func roomPipeline(
        _ configuration: Configuration, _ gateway: GatewayID, _ registry: StationRegistry,
        _ recorder: Recorder, _ publisher: Publisher, _ runtime: any Runtime
    ) -> RoomPipeline {
        let outlet = RoomOutlet(
            isListenedTo: { publisher.isListenedTo },
            live: { topic, payload in publisher.publishLive(payload, on: topic) },
            record: { insights in recorder.later { $0.record(insights) } })
        return RoomPipeline(
            gateway: gateway, registry: registry,
            crews: CrewRoster(
                configured: configuration.crews, commanded: recorder.commandedCrews),
            outlet: outlet, runtime: runtime)
    }

    /// Who may sit where: the configured places, or one for each monitor that is heard.
    static func roster(_ configuration: Configuration, _ registry: StationRegistry) -> Roster {
        guard configuration.bluetooth.discovery == .any else { return .listed(registry.seats()) }
        let interval = configuration.liveInterval
        return .any(limit: configuration.bluetooth.limit) { serial in
            // A configured monitor keeps its place; any other is called by its number.
            guard let station = StationID.ofMonitor(serial) else { return nil }
            let (pipeline, isNew) = registry.add(station, serial: serial)
            if isNew { Task { await pipeline.start(interval: interval) } }
            return pipeline.seat
        }
    }
}

extension Configuration {
    /// The ergs that there may be.
    var gatewayErgs: GatewayErgs {
        GatewayErgs(
            ergs.compactMap { StationID($0.slug) },
            discovery: bluetooth.discovery == .any ? .any : .listed, serials: ergs.map(\.serial))
    }
}
