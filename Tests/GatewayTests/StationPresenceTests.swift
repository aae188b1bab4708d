import Contract
import Rowing
import Synchronization
import TestSupport
import Testing

@testable import Gateway
@testable import HostRuntime
@testable import PM5Codec
@testable import Timeline

/// What a station tells of its link, when it has none.
struct StationPresenceTests {
    /// Goal: a release and a missing slot reach the retained state once each, and so does the end
    /// of it. Method: link statuses as the room link sends them, and the news that come of it.
    @Test func presenceIsToldOnceForEachChange() async throws {
        let told = Mutex<[StationReport.Presence]>([])
        let outlet = StationOutlet(
            listeners: [
                NewsListener { news in
                    told.withLock { $0 += news.events.map { _ in news.presence } }
                    return true
                }
            ],
            live: { _, _ in }, retain: { _, _ in })
        let pipeline = StationPipeline(
            station: try #require(StationID("erg-1")),
            gateway: try #require(GatewayID("boathouse")), resuming: nil, keepsRaw: false,
            outlet: outlet, runtime: SystemRuntime(),
            log: SystemLog(subsystem: "test", threshold: .error))
        let loan = Loan(until: nil)
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
            told.withLock { $0 } == [
                .released, .linked, .parked(reason: "hci0 holds 7 of 7 links"), .linked,
                .asleep, .linked,
            ])
    }

    /// Goal: numbers that are five seconds old go out flagged, and without what holds for a moment.
    /// Method: a rowing monitor whose last value came six seconds ago, then another value.
    @Test func silenceMakesTheLiveNumbersStale() async throws {
        let live = try await SteppedLoop.run(seed: 1) { machine in
            let live = Mutex<[MetricsSample]>([])
            let outlet = StationOutlet(
                listeners: [], live: { _, sample in live.withLock { $0.append(sample) } },
                retain: { _, _ in })
            let pipeline = StationPipeline(
                station: try #require(StationID("erg-1")),
                gateway: try #require(GatewayID("boathouse")), resuming: nil, keepsRaw: false,
                outlet: outlet, runtime: machine,
                log: SystemLog(subsystem: "test", threshold: .error))
            hear(pipeline, elapsedCentiseconds: 3000, at: machine.now(), opening: true)
            await machine.sleep(for: .seconds(6))
            await pipeline.tick()
            hear(pipeline, elapsedCentiseconds: 3600, at: machine.now(), opening: false)
            await machine.sleep(for: .seconds(1))
            await pipeline.tick()
            return live.withLock { $0 }
        }
        #expect(live.map(\.isStale) == [true, false])
        #expect(live.map { $0.strokePhase == nil } == [true, false])
    }

    /// Goal: a link that opens and one that ends is one line each, which names the monitor, and the
    /// erg in its fields. Method: what a station logs of an open link that is ended twice.
    @Test func aLostLinkIsOneLine() async throws {
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
            outlet: StationOutlet(
                listeners: [], live: { _, _ in }, retain: { _, _ in }),
            runtime: SystemRuntime(), log: log)
        hear(pipeline, elapsedCentiseconds: 3000, at: SystemRuntime().now(), opening: true)
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

    /// Goal: what the machine is too slow for is asked of the monitor too, and taken back; a link that
    /// opens meanwhile begins with it. Method: steps up and down, with what is written to the monitor.
    @Test func aSlowMachineAsksForLess() async throws {
        let written = try await SteppedLoop.run(seed: 1) { machine in
            let pipeline = StationPipeline(
                station: try #require(StationID("erg-1")),
                gateway: try #require(GatewayID("boathouse")), resuming: nil, keepsRaw: false,
                outlet: StationOutlet(listeners: [], live: { _, _ in }, retain: { _, _ in }),
                runtime: machine, log: SystemLog(subsystem: "test", threshold: .error))
            let link = KeptWrites()
            let monitor = MonitorIdentity(serial: "430000001", address: "", adapter: "hci0")
            func open() async {
                pipeline.executor.async { @Sendable in
                    pipeline.linkDidOpen(monitor, through: link, at: machine.now())
                }
                await machine.sleep(for: .milliseconds(1))
            }
            await open()
            for step in [LoadSteps.Step.liveEachTwoSeconds, .slowStatus, .noRaw] {
                await pipeline.leaveOut(step)
                await machine.sleep(for: .milliseconds(1))
            }
            pipeline.executor.async { @Sendable in
                pipeline.linkDidClose(.lost, at: machine.now())
            }
            await open()
            let outcome = await pipeline.setRate(.every100Milliseconds)
            #expect(outcome.code == .done && outcome.message.contains("too slow"))
            await pipeline.leaveOut(.everything)
            await machine.sleep(for: .milliseconds(1))
            return link.bytes
        }
        // Once a second, again after the link came back and at the command; then what it asked for.
        #expect(written == [0, 0, 0, 3])
    }

    /// Goal: a station asks its monitor how full its batteries are, once a link and not again at once,
    /// and `info` says so; what newer firmware tells by itself counts too. Method: stepped time, a
    /// monitor that answers 64, then a long 0x003E of 9.
    @Test func infoTellsOfTheBatteries() async throws {
        let told = try await SteppedLoop.run(seed: 1) { machine in
            let info = Mutex<[String]>([])
            let outlet = StationOutlet(
                listeners: [], live: { _, _ in },
                retain: { topic, payload in
                    guard case .info = topic else { return }
                    info.withLock { $0.append(String(decoding: payload, as: UTF8.self)) }
                })
            let pipeline = StationPipeline(
                station: try #require(StationID("erg-1")),
                gateway: try #require(GatewayID("boathouse")), resuming: nil, keepsRaw: false,
                outlet: outlet, runtime: machine,
                log: SystemLog(subsystem: "test", threshold: .error))
            let link = KeptWrites()
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
            Self.hand(answer.frame().bytes, of: .csafeOut, to: pipeline, at: machine.now())
            #expect(await pipeline.snapshot().batteryPercent == 64)
            let zeros = [UInt8](repeating: 0, count: 12)
            Self.hand(
                [0x3E] + zeros + [9] + zeros[..<6], of: .multiplexed, to: pipeline,
                at: machine.now())
            #expect(await pipeline.snapshot().isBatteryLow)
            await pipeline.tick()
            await machine.sleep(for: .seconds(1))
            #expect(link.bytes.count == 6)
            return info.withLock { $0 }
        }
        try #require(told.count == 3)
        #expect(!told[0].contains("battery_pct"))
        #expect(told[1].contains(#""battery_pct":64"#) && told[2].contains(#""battery_pct":9"#))
    }

    private static func hand(
        _ bytes: [UInt8], of id: CharacteristicID, to pipeline: StationPipeline,
        at now: BootInstant
    ) {
        pipeline.executor.async { @Sendable in
            bytes.withUnsafeBytes { pipeline.linkDidReceive(id, $0, at: now) }
        }
    }

    private func hear(
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

/// A way out that keeps what is written.
private final class KeptWrites: ErgLink {
    private let written = Mutex<[UInt8]>([])
    var bytes: [UInt8] { written.withLock { $0 } }

    func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws {
        written.withLock { $0 += value }
    }
}

/// A way out that leads nowhere.
private struct DeadLink: ErgLink {
    func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws {
        throw TestSupportError("nobody there")
    }
}
