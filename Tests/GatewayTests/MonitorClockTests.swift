import Contract
import HostRuntime
import PM5Codec
import Rowing
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Gateway
@testable import PM5Simulator

/// A station and a simulated monitor whose clock is wrong, in stepped time.
@Suite struct MonitorClockTests {
    /// What remains after a run: seconds that the clock is ahead, and how often it was set.
    private struct Outcome: Equatable {
        var offset: Int64
        var settings: Int
        var reported: Int64?
    }

    /// - Parameters:
    ///   - act: what the rower does before and meanwhile.
    ///   - keepsTime: whether the monitor keeps a time that was set.
    private static func run(
        ahead seconds: Int, minutes: Int = 4, wanted: ClubCalendar? = .utc, isSynchronized: Bool = true,
        keepsTime: Bool = true, workout: String = "wait"
    ) async throws -> Outcome {
        try await SteppedLoop.run(seed: 1) { machine in
            machine.mapping.isSynchronized = isSynchronized
            let room = try ClockedRoom(on: machine, wanted, workout, ahead: seconds, keepsTime: keepsTime)
            room.open()
            for _ in 0..<minutes * 120 {
                await machine.sleep(for: .milliseconds(500))
                await room.pipeline.tick()
            }
            let snapshot = await room.pipeline.snapshot()
            return Outcome(
                offset: room.secondsAhead, settings: snapshot.clockSettings,
                reported: snapshot.clockOffset.map { $0.components.seconds })
        }
    }

    @Test(arguments: [-200, -31, 31, 3600, -86_400 * 400, 200_000_000])
    func setsWrongClock(_ seconds: Int) async throws {
        let outcome = try await Self.run(ahead: seconds)
        let reported = try #require(outcome.reported)
        #expect(abs(outcome.offset) <= 2 && outcome.settings == 1 && abs(reported) <= 30)
    }

    @Test(arguments: [-29, -10, 0, 10, 29])
    func leavesRightClockAlone(_ seconds: Int) async throws {
        let outcome = try await Self.run(ahead: seconds)
        let reported = try #require(outcome.reported)
        #expect(outcome.offset == Int64(seconds) && outcome.settings == 0 && abs(reported) <= 30)
    }

    @Test func setsLocalTime() async throws {
        let zone = try TimeZoneDatabase.system.calendar(named: "America/New_York")
        let outcome = try await Self.run(ahead: 0, wanted: zone)
        #expect(abs(outcome.offset + 4 * 3600) <= 2 && outcome.settings == 1)
    }

    @Test func doesNothingUnlessWanted() async throws {
        let outcome = try await Self.run(ahead: 200, wanted: nil)
        #expect(outcome == Outcome(offset: 200, settings: 0, reported: nil))
    }

    @Test func doesNothingByAnUncertainClock() async throws {
        let outcome = try await Self.run(ahead: 200, isSynchronized: false)
        #expect(outcome == Outcome(offset: 200, settings: 0, reported: nil))
    }

    @Test func waitsWhileSomebodyRows() async throws {
        let outcome = try await Self.run(ahead: 200, workout: "5000m")
        #expect(outcome == Outcome(offset: 200, settings: 0, reported: nil))
    }

    @Test func givesUpIfMonitorDoesNotKeepTheTime() async throws {
        let outcome = try await Self.run(ahead: 200, minutes: 30, keepsTime: false)
        #expect(outcome.settings == MonitorClockWatch.maximumAttempts)
        let reported = try #require(outcome.reported)
        #expect(outcome.offset == 200 && abs(reported - 200) <= 30)
    }

    @Test func readsTheClockEveryHour() {
        var watch = MonitorClockWatch()
        var readings: [UInt64] = []
        watch.note(isUsed: false, at: BootInstant(nanoseconds: 0))
        for second in UInt64(0)..<8000 {
            let now = BootInstant(nanoseconds: second * 1_000_000_000)
            guard watch.request(at: now, local: Int64(second) * 1000) != nil else { continue }
            readings.append(second)
        }
        #expect(readings == [90, 3690, 7290])
    }

    @Test func namesOffsetInWords() {
        var watch = MonitorClockWatch()
        let noon = MonitorClock(year: 2026, month: 9, day: 5, hour: 12, minute: 0)
        let local: Int64 = 1_788_609_630_000
        for (offset, text) in [
            (-90, "was 90 s ahead"), (200, "was 3 min behind"), (10_000, "was 2 h behind"),
            (-400 * 86_400, "was 400 days ahead"),
        ] {
            watch.note(noon, local: local + Int64(offset) * 1000)
            #expect(watch.offsetText == text)
        }
        watch.note(MonitorClock(year: 2026, month: 2, day: 30, hour: 12, minute: 0), local: local)
        #expect(watch.offsetText == "showed no valid date" && watch.offsetMilliseconds == nil)
    }
}

/// The link between a station and a simulated monitor; a step of the monitor follows each write and each 20 ms.
private final class ClockedRoom: ErgLink, @unchecked Sendable {  // used only on the loop's thread
    private(set) var pipeline: StationPipeline
    private let machine: SteppedRuntime
    private var erg: SimulatedErg
    private let keepsTime: Bool
    private var timer: (any QueueLoopTimer)?

    init(
        on machine: SteppedRuntime, _ calendar: ClubCalendar?, _ workout: String, ahead seconds: Int,
        keepsTime: Bool
    ) throws {
        (self.machine, self.keepsTime) = (machine, keepsTime)
        pipeline = StationPipeline(
            station: try #require(StationID("erg-1")), gateway: try #require(GatewayID("boathouse")),
            resuming: nil,
            keepsRaw: false, clockCalendar: calendar,
            outputs: StationOutputs(listeners: [], live: { _, _ in }, retain: { _, _ in }), runtime: machine,
            log: SystemLog(subsystem: "test", threshold: .error))
        let start = machine.mapping.unixMillisecondsAtBoot + Int64(machine.now().milliseconds)
        erg = SimulatedErg(
            SimulatedIdentity(serial: "430000001", generation: .new),
            script: try WorkoutScript(parsing: workout),
            calendar: MonitorCalendar(millisecondsAtStart: Int(start) + seconds * 1000), seed: 1)
        begin = machine.now()
        erg.setConnected(true)
        for id in [CharacteristicID.generalStatus, .csafeOut] { erg.setSubscribed(true, to: id) }
    }

    private let begin: BootInstant
    private var ergTime: Int { Int(begin.duration(to: machine.now()) / .milliseconds(1)) }

    /// How far the monitor's clock is ahead of the wall clock.
    var secondsAhead: Int64 {
        let wall = machine.mapping.unixMilliseconds(at: machine.now())
        return (Int64(erg.calendar.local(at: ergTime)) - wall) / 1000
    }

    func open() {
        var monitor = MonitorIdentity(serial: "430000001", address: "", adapter: "hci0")
        monitor.notifying = [.generalStatus, .csafeOut]
        let opened = monitor
        pipeline.executor.async { @Sendable [self] in
            pipeline.linkDidOpen(opened, through: self, at: machine.now())
        }
        timer = machine.makeTimer(on: pipeline.executor) { [self] in step() }
        timer?.schedule(after: .milliseconds(20), every: .milliseconds(20))
    }

    private func step() {
        let before = erg.calendar
        for case .notification(let id, let bytes) in erg.step(to: ergTime) {
            bytes.withUnsafeBytes { pipeline.linkDidReceive(id, $0, at: machine.now()) }
        }
        if !keepsTime, erg.calendar != before { erg.calendar = before }
    }

    func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws {
        let before = erg.calendar
        erg.write(value, to: characteristic)
        if !keepsTime { erg.calendar = before }
    }
}
