import Contract
import Recording
import Rowing
import Synchronization
import TestSupport
import Testing

@testable import Gateway
@testable import HostRuntime
@testable import PM5Codec
@testable import Timeline

/// The conversation of a station with a simulated monitor, in stepped time.
struct MonitorChannelTests {
    /// The link ends right after the terminate, before the monitor's next status. `isReleasedFirst`: the
    /// release is reported before the link ends.
    @Test(arguments: [false, true])
    func terminateAndReleaseEndTheSession(isReleasedFirst: Bool) async throws {
        let released = LinkStatus(phase: .released(MonitorRelease(until: nil)))
        let events = try await SteppedLoop.run(seed: 1) { machine in
            let room = try Room(on: machine)
            room.open()
            room.send(.workoutRow)
            room.link.afterTermination.withLock {
                $0 = { pipeline in
                    if isReleasedFirst { pipeline.linkDidUpdate(released) }
                    pipeline.linkDidClose(.ours, at: machine.now())
                    if !isReleasedFirst { pipeline.linkDidUpdate(released) }
                }
            }
            // Statuses arrive while the command runs.
            Task { await room.pipeline.performWorkoutOrder(.terminate) }
            for _ in 0..<2000 {
                room.send(.workoutRow)
                await machine.sleep(for: .milliseconds(10))
            }
            return room.events.withLock { $0 }
        }
        let edges = events.compactMap { if case .session(let it) = $0 { it.kind } else { nil } }
        #expect(edges == [.started, .ended])
        #expect(events.contains { if case .summary(let it) = $0 { !it.isComplete } else { false } })
    }

    /// A phone asks for the channel before and during a terminate.
    @Test func phoneWaitsForTheProcedureAndTheProcedureForThePhone() async throws {
        let (before, writtenWhileLent, during, after) = try await SteppedLoop.run(seed: 1) { machine in
            let room = try Room(on: machine)
            room.open()
            room.send(.workoutRow)
            await machine.sleep(for: .milliseconds(100))
            let before = await room.pipeline.lendsControl(at: machine.now())
            Task { await room.pipeline.performWorkoutOrder(.terminate) }
            for _ in 0..<50 {
                room.send(.workoutRow)
                await machine.sleep(for: .milliseconds(10))
            }
            let writtenWhileLent = room.link.written.withLock { $0 }
            await room.pipeline.returnControl(at: machine.now())
            var during = false
            for _ in 0..<20 {
                room.send(.workoutRow)
                await machine.sleep(for: .milliseconds(10))
                if room.link.written.withLock({ $0 }) == 1 {
                    during = await room.pipeline.lendsControl(at: machine.now()) || during
                }
            }
            return (before, writtenWhileLent, during, room.link.written.withLock { $0 })
        }
        #expect(before)
        #expect(writtenWhileLent == 0)
        #expect(!during)
        #expect(after >= 1)
    }
}

/// On the station's queue, as a relay calls them.
extension StationPipeline {
    fileprivate func lendsControl(at now: BootInstant) -> Bool { linkMayLendControl(at: now) }
    fileprivate func returnControl(at now: BootInstant) { linkDidReturnControl(setsWorkout: false, at: now) }
}

/// A station whose monitor answers commands.
private final class Room: Sendable {
    let pipeline: StationPipeline
    let link: AnsweringLink
    let events: SharedEvents
    private let machine: SteppedRuntime

    init(on machine: SteppedRuntime) throws {
        let events = SharedEvents()
        self.events = events
        self.machine = machine
        pipeline = StationPipeline(
            station: try #require(StationID("erg-1")),
            gateway: try #require(GatewayID("boathouse")), resuming: nil, keepsRaw: false,
            outputs: StationOutputs(
                listeners: [
                    UpdateListener { update in
                        events.withLock { $0 += update.events }
                        return true
                    }
                ], live: { _, _ in }, retain: { _, _ in }),
            runtime: machine, log: SystemLog(subsystem: "test", threshold: .error))
        link = AnsweringLink(pipeline, on: machine)
    }

    func run(_ act: @escaping @Sendable (StationPipeline) -> Void) {
        pipeline.executor.async { @Sendable [pipeline] in act(pipeline) }
    }

    func open() {
        run { [link, machine] pipeline in
            pipeline.linkDidOpen(
                MonitorIdentity(serial: "430000001", address: "", adapter: "hci0"), through: link,
                at: machine.now())
        }
    }

    func send(_ state: WorkoutState) {
        let status = GeneralStatus(
            elapsedCentiseconds: 500, distanceDecimeters: 200, workoutState: state,
            rowingState: .active, strokeState: .driving)
        let bytes = status.notificationBytes(carrier: .dedicated)
        run { [machine] pipeline in
            // A closed link delivers nothing.
            guard pipeline.assumeIsolated({ $0.channel != nil }) else { return }
            bytes.withUnsafeBytes {
                pipeline.linkDidReceive(.generalStatus, $0, at: machine.now())
            }
        }
    }
}

/// The reported events of a station.
private final class SharedEvents: Sendable {
    private let events = Mutex<[SessionEvent]>([])
    func withLock<Value: Sendable>(_ act: (inout sending [SessionEvent]) -> sending Value) -> Value {
        events.withLock(act)
    }
}

/// A monitor that accepts a terminate, and then always answers that it is still pending.
private final class AnsweringLink: ErgLink {
    /// Number of frames.
    let written = Mutex(0)
    /// Called on the station's queue after the answer to a terminate.
    let afterTermination = Mutex<(@Sendable (StationPipeline) -> Void)?>(nil)
    private let parser = Mutex(FrameParser())
    private let pipeline: StationPipeline
    private let machine: SteppedRuntime

    init(_ pipeline: StationPipeline, on machine: SteppedRuntime) {
        self.pipeline = pipeline
        self.machine = machine
    }

    func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws {
        let frames = parser.withLock { parser in
            parser.consume(value).compactMap {
                if case .frame(let it) = $0 { it.contents } else { nil }
            }
        }
        for contents in frames { answer(contents) }
    }

    private func answer(_ contents: [UInt8]) {
        let count = written.withLock { written in
            written += 1
            return written
        }
        let isTermination = contents.first == Wrapper.setConfiguration.rawValue
        let act = isTermination ? afterTermination.withLock { $0 } : nil
        let reply =
            isTermination
            ? Reply(
                .setConfiguration, [.acknowledging(.screenState(.workout, .terminateWorkout))])
            : Reply(
                .getConfiguration,
                [
                    Reply(
                        answering: .screenStatus,
                        ScreenStatusReply(
                            type: .workout, value: .terminateWorkout, status: .pending),
                        in: .getConfiguration)
                ])
        let status = StatusByte(toggle: count % 2 == 0, state: .ready)
        let bytes = Response(status: status, replies: [reply]).frame().bytes
        pipeline.executor.async { @Sendable [pipeline, machine] in
            bytes.withUnsafeBytes {
                pipeline.linkDidReceive(.csafeOut, $0, at: machine.now())
            }
            act?(pipeline)
        }
    }
}
