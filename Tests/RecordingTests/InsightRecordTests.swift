import Contract
import Foundation
import RingLog
import TestSupport
import Testing

@testable import HostRuntime
@testable import Insights
@testable import Recording
@testable import Rowing
@testable import Timeline

/// Alerts and rollups as records.
struct InsightRecordTests {
    private let folder: TemporaryFolder
    private let erg: StationID
    private let session = SessionID("01HF0000000000000000000000")

    init() throws {
        folder = try TemporaryFolder()
        erg = try #require(StationID("erg-1"))
    }

    private func recorder() async throws -> Recorder {
        let gateway = try #require(GatewayID("boathouse"))
        let settings = RingSettings(
            path: folder.path("ring.log"), sizeBytes: 4 << 20, commitInterval: .seconds(3600),
            keepsRaw: false)
        return try await Recorder.reopened {
            try Recorder(
                gateway: gateway, stations: [erg], settings: settings,
                log: SystemLog(subsystem: "test", threshold: .error), runtime: SystemRuntime())
        }
    }

    private func update(_ events: [SessionEvent], _ insights: [Insight]) -> StationUpdate {
        StationUpdate(
            station: erg, at: SystemRuntime().now(), events: events, insights: insights,
            checkpoint: [])
    }

    private func edge(_ kind: SessionTransition.Kind) -> SessionEvent {
        .session(
            SessionTransition(
                kind: kind, session: session, startedAt: SystemRuntime().now(),
                workout: Workout(type: .fixedDistanceWithSplits, target: .distance(Meters(500))),
                at: SystemRuntime().now()))
    }

    private func alert(
        _ id: String, _ rule: AlertRule, _ resolution: Alert.Resolution? = nil
    ) -> Insight {
        let now = SystemRuntime().now()
        var alert = Alert(
            id: id, rule: rule, since: now.advanced(by: .seconds(-20)),
            session: rule.endsWithSession ? session : nil, at: now)
        alert.resolution = resolution
        if rule == .stopped { (alert.value, alert.threshold) = (731, 600) }
        return .alert(alert)
    }

    private var rollup: Insight {
        let stroke = Stroke(
            session: session, at: SystemRuntime().now(), number: 1, elapsed: .seconds(3),
            distance: .zero)
        return .rollup(Rollup(.minute, 1, from: stroke, follows: true))
    }

    private func fields(_ record: OutgoingRecord) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(record.payload)) as? [String: Any])
    }

    /// Records of a session have its athlete. The manifest counts neither alerts nor rollups.
    @Test func recordsAlertsAndRollups() async throws {
        let recorder = try await recorder()
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        await recorder.assign("a-17", until: .sessionEnd, to: erg)
        await recorder.record([
            update([edge(.started)], [alert("A1", .stopped), alert("A2", .batteryLow)])
        ])
        await recorder.record([update([], [alert("A1", .stopped, .recovered)])])
        await recorder.record([update([edge(.ended)], [rollup])])
        let records = await recorder.records(after: nil, limit: 100).records
        #expect(
            records.map { "\($0.stream.kind.topicName) \($0.sequence)" } == [
                "session 1", "alert 1", "alert 2", "alert 3", "session 2", "rollup 1", "manifest 1",
            ])
        let alerts = try records.filter { $0.stream.kind == .alert }.map(fields)
        #expect(alerts.map { $0["alert_id"] as? String } == ["A1", "A2", "A1"])
        #expect(alerts.map { $0["state"] as? String } == ["firing", "firing", "resolved"])
        #expect(alerts.map { $0["athlete_id"] as? String } == ["a-17", nil, "a-17"])
        #expect(alerts.map { $0["resolution"] as? String } == [nil, nil, "recovered"])
        let rollup = try #require(records.first { $0.stream.kind == .rollup })
        #expect(try fields(rollup)["athlete_id"] as? String == "a-17")
        await recorder.stop()
    }

    @Test(arguments: [true, false])
    func restoresActiveAlerts(stops: Bool) async throws {
        let began = SystemRuntime().now()
        do {
            let recorder = try await recorder()
            await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
            await recorder.record([
                update([edge(.started)], [alert("A1", .stopped), alert("A2", .linkLost)]),
                update([], [alert("A2", .linkLost, .recovered)]),
            ])
            await recorder.durable()
            if stops { await recorder.stop() }
        }
        for _ in 0..<2 {
            let recorder = try await recorder()
            let alerts = recorder.firingAlerts[erg] ?? []
            #expect(alerts.map(\.id) == ["A1"] && alerts.map(\.rule) == [.stopped])
            #expect(alerts.first?.session == session)
            #expect(alerts.map(\.value) == [731] && alerts.map(\.threshold) == [600])
            let now = SystemRuntime().now()
            let age = alerts.first?.since.duration(to: now) ?? .zero
            #expect(age >= .seconds(20) && age < .seconds(21) + began.duration(to: now))
            await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
            await recorder.stop()
        }
    }

    @Test(arguments: [true, false])
    func restoresAcknowledgements(stops: Bool) async throws {
        let now = SystemRuntime().now()
        var seen = Alert(id: "A1", rule: .batteryLow, since: now, at: now)
        seen.acknowledgement = Alert.Acknowledgement(at: now, by: "anna")
        do {
            let recorder = try await recorder()
            await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
            await recorder.record([
                update([], [alert("A1", .batteryLow), alert("A2", .stopped), .alert(seen)])
            ])
            let last = try #require(await recorder.records(after: nil, limit: 9).records.last)
            #expect(try fields(last)["state"] as? String == "acknowledged")
            #expect(try fields(last)["acknowledged_by"] as? String == "anna")
            #expect(try fields(last)["acknowledged_ms"] is Int)
            await recorder.durable()
            if stops { await recorder.stop() }
        }
        for _ in 0..<2 {
            let recorder = try await recorder()
            let alerts = recorder.firingAlerts[erg] ?? []
            #expect(alerts.map(\.id) == ["A1", "A2"])
            #expect(alerts.map(\.acknowledgement?.by) == ["anna", nil])
            #expect(alerts.map(\.threshold) == [nil, 600])
            let age = alerts[0].acknowledgement?.at.duration(to: SystemRuntime().now())
            #expect(age.map { $0 >= .zero && $0 < .seconds(3600) } == true)
            await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
            await recorder.stop()
        }
    }

    @Test func alertsNeverStartInTheFuture() {
        var stored = StoredAlerts()
        stored.apply(
            Array(
                #"{"alert_id":"A1","state":"acknowledged","rule":"clock","since_ms":9000,"acknowledged_ms":9500}"#
                    .utf8))
        let now = BootInstant(nanoseconds: 5_000_000_000)
        let clock = WallClock(bootID: "5b1f", unixMillisecondsAtBoot: 0, isSynchronized: false)
        let alerts = stored.restored(at: now, clock: clock)
        #expect(alerts.map(\.since) == [now] && alerts.map(\.acknowledgement?.at) == [now])
    }

    @Test(arguments: [true, false])
    func restoresAlertsOfTheGateway(stops: Bool) async throws {
        func own(_ id: String, _ resolution: Alert.Resolution? = nil) -> Alert {
            let now = SystemRuntime().now()
            var alert = Alert(id: id, rule: .backlog, since: now, at: now)
            alert.resolution = resolution
            return alert
        }
        do {
            let recorder = try await recorder()
            await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
            await recorder.record([own("G1"), own("G2")])
            await recorder.record([own("G1", .recovered)])
            let records = await recorder.records(after: nil, limit: 100).records
            #expect(
                records.map { "\($0.stream.path) \($0.sequence)" } == (1...3).map { "alert \($0)" })
            #expect(try fields(#require(records.last))["erg"] == nil)
            #expect(await recorder.snapshot().lastSequencesOfGateway == [.alert: 3])
            await recorder.durable()
            if stops { await recorder.stop() }
        }
        let recorder = try await recorder()
        #expect(recorder.firingAlerts[nil]?.map(\.id) == ["G2"])
        #expect(recorder.firingAlerts[erg] ?? [] == [])
        await recorder.stop()
    }

    @Test(arguments: [true, false])
    func restoresCrewsOfCommands(stops: Bool) async throws {
        let crews = ["bow", "stern"].compactMap { CrewID($0).flatMap { Crew($0, [erg]) } }
        do {
            let recorder = try await recorder()
            #expect(recorder.commandedCrews == [])
            await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
            await recorder.store(crews: [crews[0]])
            await recorder.store(crews: crews)
            if stops { await recorder.stop() }
        }
        let recorder = try await recorder()
        #expect(recorder.commandedCrews == crews && crews.count == 2)
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        await recorder.stop()
    }

    @Test func recordsRollupsOfTheRoom() async throws {
        let crew = try #require(CrewID("bow").flatMap { Crew($0, [erg]) })
        var room = RoomInsights()
        room.crews = [crew]
        var share = ErgStrokeSums()
        share.add(
            .stroke(
                Stroke(
                    session: session, at: SystemRuntime().now(), number: 1, elapsed: .zero,
                    distance: .zero)))
        let now = SystemRuntime().now()
        _ = room.add([ErgReading(erg: erg, sample: nil, sums: share)], at: now)
        let recorder = try await recorder()
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        await recorder.record(room.end(at: now.advanced(by: .seconds(60))))
        let records = await recorder.records(after: nil, limit: 100).records
        #expect(records.map(\.stream.path) == ["room/rollup", "crew/rollup"])
        #expect(try records.map(fields).map { $0["crew"] as? String } == [nil, "bow"])
        #expect(try fields(records[0])["duration_s"] as? Double == 60)
        #expect(await recorder.snapshot().lastSequencesOfGateway == [.roomRollup: 1, .crewRollup: 1])
        await recorder.stop()
    }

    /// Runs one process. Returns its epoch, and the records as `epoch kind seq`.
    private func run(alerts ids: [String]) async throws -> (epoch: String, names: [String]) {
        let recorder = try await recorder()
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        await recorder.record([update([], ids.map { alert($0, .batteryLow) })])
        let names = try await recorder.records(after: nil, limit: 100).records.map { record in
            let epoch = try fields(record)["epoch"] as? String ?? ""
            return "\(epoch) \(record.stream.kind.topicName) \(record.sequence)"
        }
        let epoch = await recorder.epoch
        await recorder.stop()
        return (epoch, names)
    }

    /// Uses the ring like a version without alerts: its state has no numbers of alerts.
    private func runEarlierVersion() async throws {
        let log = SystemLog(subsystem: "test", threshold: .error)
        let isOurs = try await eventually {
            let storage = try RingStorage.open(
                folder.path("ring.log"), geometry: LogGeometry(capacity: 4 << 20),
                runtime: SystemRuntime(), log: log)
            guard storage.device.failure == nil else { return false }
            var state = storage.recoverState(log: log)
            state.knowsEveryKind = false
            try storage.writer.append(kind: RingRecordKind.state, bytes: state.encode())
            try storage.writer.close()
            return true
        }
        #expect(isOurs)
    }

    @Test func beginsAnEpochAfterAnEarlierVersion() async throws {
        let first = try await run(alerts: ["A1", "A2"])
        try await runEarlierVersion()
        let second = try await run(alerts: ["A3"])
        #expect(second.epoch != first.epoch)
        #expect(second.names.contains("\(first.epoch) alert 2"))
        #expect(second.names.contains("\(second.epoch) alert 1"))
        #expect(second.names.contains { $0.hasPrefix("\(second.epoch) event ") })
        let third = try await run(alerts: ["A4"])
        #expect(third.epoch == second.epoch)
        #expect(third.names.last == "\(second.epoch) alert 2")
        #expect(Set(third.names).count == third.names.count)
    }
}
