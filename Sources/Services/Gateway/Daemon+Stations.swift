import BlueZLink
import Contract
import HostRuntime
import Insights
import Publishing
import Recording

extension Daemon {
    /// Maximum number of reports that wait for the log queue: minutes of a full room.
    private static let reportCapacity = 4096

    /// Creates the stations of the configuration, each with its interrupted session.
    static func stations(
        _ configuration: Configuration, _ gateway: GatewayID, _ recorder: Recorder,
        _ publisher: Publisher, _ homeAssistant: HomeAssistantBridge, _ runtime: any Runtime,
        _ log: SystemLog
    ) -> StationRegistry {
        let updates = BoundedMailbox<StationUpdate>(
            capacity: reportCapacity, to: recorder.executor
        ) { [weak recorder] batch in
            recorder?.assumeIsolated { $0.record(batch) }
        }
        let outputs = StationOutputs(
            listeners: [UpdateListener { updates.send($0) }, homeAssistant],
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
                own: recorder.assignedAthletes[station].flatMap { limits[$0] } ?? AlertSettings(),
                keepsRaw: configuration.ring.keepsRaw, configuredRate: configuration.bluetooth.rate,
                outputs: outputs, runtime: runtime,
                log: log.scoped(to: station.slug))
        }
        for erg in configuration.ergs {
            guard let station = StationID(erg.slug) else { continue }
            _ = registry.add(station, serial: erg.serial)
        }
        guard configuration.bluetooth.discovery == .any else { return registry }
        // An interrupted session must end even if its monitor does not return.
        for station in recorder.interruptedSessions.keys.sorted() {
            if let serial = station.monitorSerial { _ = registry.add(station, serial: serial) }
        }
        return registry
    }

    /// Creates the gateway's alerts, including those of the previous process.
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

    /// Creates the pipeline for the values of the whole room.
    static func roomPipeline(
        _ configuration: Configuration, _ gateway: GatewayID, _ registry: StationRegistry,
        _ recorder: Recorder, _ publisher: Publisher, _ runtime: any Runtime
    ) -> RoomPipeline {
        let outputs = RoomOutputs(
            canPublishLive: { publisher.canPublishLive },
            live: { topic, payload in publisher.publishLive(payload, on: topic) },
            record: { insights in recorder.later { $0.record(insights) } })
        return RoomPipeline(
            gateway: gateway, registry: registry,
            crews: CrewRoster(
                configured: configuration.crews, commanded: recorder.commandedCrews),
            outputs: outputs, runtime: runtime)
    }

    /// Returns the ergs of the room: the configured ones, or one for each monitor in range.
    static func roster(_ configuration: Configuration, _ registry: StationRegistry) -> Roster {
        guard configuration.bluetooth.discovery == .any else { return .listed(registry.endpoints()) }
        let interval = configuration.liveInterval
        return .any(limit: configuration.bluetooth.limit) { serial in
            // A configured monitor keeps its slug; the slug of others is their number.
            guard let station = StationID.ofMonitor(serial) else { return nil }
            let (pipeline, isNew) = registry.add(station, serial: serial)
            if isNew { Task { await pipeline.start(interval: interval) } }
            return pipeline.endpoint
        }
    }
}

extension Configuration {
    /// Ergs that can exist.
    var gatewayErgs: GatewayErgs {
        GatewayErgs(
            ergs.compactMap { StationID($0.slug) },
            discovery: bluetooth.discovery == .any ? .any : .listed, serials: ergs.map(\.serial))
    }
}
