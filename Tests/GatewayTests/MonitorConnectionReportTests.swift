import Contract
import Rowing
import Synchronization
import TestSupport
import Testing

@testable import Gateway
@testable import HostRuntime
@testable import PM5Codec
@testable import Timeline

/// Reports of a station about its link and its monitor.
struct MonitorConnectionReportTests {
    @Test func reportsEachChangeOfMonitorConnectionOnce() async throws {
        let reported = Mutex<[StationReport.MonitorConnection]>([])
        let outputs = StationOutputs(
            listeners: [
                UpdateListener { update in
                    reported.withLock { $0 += update.events.map { _ in update.monitorConnection } }
                    return true
                }
            ],
            live: { _, _ in }, retain: { _, _ in })
        let pipeline = StationPipeline(
            station: try #require(StationID("erg-1")),
            gateway: try #require(GatewayID("boathouse")), resuming: nil, keepsRaw: false,
            outputs: outputs, runtime: SystemRuntime(),
            log: SystemLog(subsystem: "test", threshold: .error))
        let loan = MonitorRelease(until: nil)
        let phases: [LinkPhase] = [
            .searching, .connecting, .released(loan), .released(loan), .searching,
            .parked(.noSlot("hci0 holds 7 of 7 links")), .waiting, .streaming,
            .asleep(after: .seconds(900)), .asleep(after: .seconds(900)), .streaming,
        ]
        for phase in phases {
            pipeline.executor.async { @Sendable in
                pipeline.linkDidUpdate(LinkStatus(phase: phase))
            }
        }
        #expect(await pipeline.snapshot().link.phase == .streaming)
        #expect(
            reported.withLock { $0 } == [
                .released, .linked, .parked(.noSlot("hci0 holds 7 of 7 links")), .linked,
                .asleep, .linked,
            ])
    }

    @Test func silenceMakesLiveValuesStale() async throws {
        let live = try await SteppedLoop.run(seed: 1) { machine in
            let live = Mutex<[MetricsSample]>([])
            let outputs = StationOutputs(
                listeners: [], live: { _, sample in live.withLock { $0.append(sample) } },
                retain: { _, _ in })
            let pipeline = StationPipeline(
                station: try #require(StationID("erg-1")),
                gateway: try #require(GatewayID("boathouse")), resuming: nil, keepsRaw: false,
                outputs: outputs, runtime: machine,
                log: SystemLog(subsystem: "test", threshold: .error))
            send(pipeline, elapsedCentiseconds: 3000, at: machine.now(), opening: true)
            await machine.sleep(for: .seconds(6))
            await pipeline.tick()
            send(pipeline, elapsedCentiseconds: 3600, at: machine.now(), opening: false)
            await machine.sleep(for: .seconds(1))
            await pipeline.tick()
            return live.withLock { $0 }
        }
        #expect(live.map(\.isStale) == [true, false])
        #expect(live.map { $0.strokePhase == nil } == [true, false])
    }

    @Test func logsALostLinkOnce() async throws {
        let lines = Mutex<[String]>([])
        let log = SystemLog(
            subsystem: "test",
            destination: .reader { _, line, fields in
                let erg = fields.first { $0.0 == "ERG" }?.1 ?? "-"
                lines.withLock { $0.append("\(erg): \(line)") }
            })
        let pipeline = StationPipeline(
            station: try #require(StationID("erg-1")),
            gateway: try #require(GatewayID("boathouse")), resuming: nil, keepsRaw: false,
            outputs: StationOutputs(
                listeners: [], live: { _, _ in }, retain: { _, _ in }),
            runtime: SystemRuntime(), log: log)
        send(pipeline, elapsedCentiseconds: 3000, at: SystemRuntime().now(), opening: true)
        pipeline.executor.async { @Sendable in
            pipeline.linkDidClose(.lost, at: SystemRuntime().now())
            pipeline.linkDidClose(.ours, at: SystemRuntime().now())
        }
        #expect(await pipeline.snapshot().openSince == nil)
        let about = lines.withLock { $0.filter { $0.contains("430000001") } }
        #expect(
            about == [
                "erg-1: test: connected to PM5 430000001 through hci0",
                "erg-1: test: disconnected from PM5 430000001: the monitor or the radio ended the link",
            ])
    }

    @Test func slowsTheMonitorWhileLoadIsShed() async throws {
        let written = try await SteppedLoop.run(seed: 1) { machine in
            let pipeline = StationPipeline(
                station: try #require(StationID("erg-1")),
                gateway: try #require(GatewayID("boathouse")), resuming: nil, keepsRaw: false,
                outputs: StationOutputs(listeners: [], live: { _, _ in }, retain: { _, _ in }),
                runtime: machine, log: SystemLog(subsystem: "test", threshold: .error))
            let link = StoredWrites()
            let monitor = MonitorIdentity(serial: "430000001", address: "", adapter: "hci0")
            func open() async {
                pipeline.executor.async { @Sendable in
                    pipeline.linkDidOpen(monitor, through: link, at: machine.now())
                }
                await machine.sleep(for: .milliseconds(1))
            }
            await open()
            for step in [LoadShedding.Level.liveEachTwoSeconds, .slowStatus, .noRaw] {
                await pipeline.shed(step)
                await machine.sleep(for: .milliseconds(1))
            }
            pipeline.executor.async { @Sendable in
                pipeline.linkDidClose(.lost, at: machine.now())
            }
            await open()
            let outcome = await pipeline.setRate(.every100Milliseconds)
            #expect(outcome.code == .done && outcome.message.contains("too slow"))
            await pipeline.shed(.full)
            await machine.sleep(for: .milliseconds(1))
            return link.bytes
        }
        // Once a second, repeated after the new link and the command; then the requested rate.
        #expect(written == [0, 0, 0, 3])
    }

    /// A monitor answers 64 %, and then sends a long 0x003E with 9 %.
    @Test func publishesTheBatteryLevel() async throws {
        let reported = try await SteppedLoop.run(seed: 1) { machine in
            let info = Mutex<[String]>([])
            let outputs = StationOutputs(
                listeners: [], live: { _, _ in },
                retain: { topic, payload in
                    guard case .info = topic else { return }
                    info.withLock { $0.append(String(decoding: payload, as: UTF8.self)) }
                })
            let pipeline = StationPipeline(
                station: try #require(StationID("erg-1")),
                gateway: try #require(GatewayID("boathouse")), resuming: nil, keepsRaw: false,
                outputs: outputs, runtime: machine,
                log: SystemLog(subsystem: "test", threshold: .error))
            let link = StoredWrites()
            var monitor = MonitorIdentity(serial: "430000001", address: "", adapter: "hci0")
            monitor.notifying = [.generalStatus, .csafeOut]
            let opened = monitor
            pipeline.executor.async { @Sendable in
                pipeline.linkDidOpen(opened, through: link, at: machine.now())
            }
            await pipeline.tick()
            await machine.sleep(for: .milliseconds(75))
            #expect(link.bytes == [0xF1, 0x7E, 0x01, 0x97, 0xE8, 0xF2])
            let level = Reply(answering: .batteryLevelPercent, 64, in: .getConfiguration)
            let answer = Response(
                status: StatusByte(toggle: true, previousFrame: .ok, state: .ready),
                replies: [Reply(.getConfiguration, [level])])
            Self.deliver(answer.frame().bytes, of: .csafeOut, to: pipeline, at: machine.now())
            #expect(await pipeline.snapshot().batteryPercent == 64)
            let zeros = [UInt8](repeating: 0, count: 12)
            Self.deliver(
                [0x3E] + zeros + [9] + zeros[..<6], of: .multiplexed, to: pipeline,
                at: machine.now())
            #expect(await pipeline.snapshot().isBatteryLow)
            await pipeline.tick()
            await machine.sleep(for: .seconds(1))
            #expect(link.bytes.count == 6)
            return info.withLock { $0 }
        }
        try #require(reported.count == 3)
        #expect(!reported[0].contains("battery_pct"))
        #expect(reported[1].contains(#""battery_pct":64"#) && reported[2].contains(#""battery_pct":9"#))
    }

    private static func deliver(
        _ bytes: [UInt8], of id: CharacteristicID, to pipeline: StationPipeline,
        at now: BootInstant
    ) {
        pipeline.executor.async { @Sendable in
            bytes.withUnsafeBytes { pipeline.linkDidReceive(id, $0, at: now) }
        }
    }

    private func send(
        _ pipeline: StationPipeline, elapsedCentiseconds: UInt32, at now: BootInstant, opening: Bool
    ) {
        var status = GeneralStatus()
        status.elapsedCentiseconds = elapsedCentiseconds
        status.distanceDecimeters = elapsedCentiseconds
        status.workoutType = .justRowWithoutSplits
        status.workoutState = .workoutRow
        status.rowingState = .active
        status.strokeState = .driving
        let bytes = status.notificationBytes(carrier: .dedicated)
        pipeline.executor.async { @Sendable in
            if opening {
                pipeline.linkDidOpen(
                    MonitorIdentity(serial: "430000001", address: "", adapter: "hci0"),
                    through: DeadLink(), at: now)
            }
            bytes.withUnsafeBytes { pipeline.linkDidReceive(.generalStatus, $0, at: now) }
        }
    }
}

/// A link that stores the written bytes.
private final class StoredWrites: ErgLink {
    private let written = Mutex<[UInt8]>([])
    var bytes: [UInt8] { written.withLock { $0 } }

    func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws {
        written.withLock { $0 += value }
    }
}

/// A link on which every write fails.
private struct DeadLink: ErgLink {
    func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws {
        throw TestSupportError("nobody there")
    }
}
