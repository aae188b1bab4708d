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

/// A station's conversation with a monitor that answers, in stepped time.
struct MonitorChannelTests {
    /// Goal: a terminate and a release at once end the session then and there, with its end record
    /// and its summary. Method: a monitor that accepts the terminate and whose link ends before its
    /// next status; the release is told after the end of the link, and before it.
    @Test(arguments: [false, true])
    func terminateAndReleaseEndTheSession(isToldFirst: Bool) async throws {
        let released = LinkStatus(phase: .released(Loan(until: nil)))
        let events = try await SteppedLoop.run(seed: 1) { machine in
            let room = try Room(on: machine)
            room.open()
            room.hear(.workoutRow)
            room.link.afterTermination.withLock {
                $0 = { pipeline in
                    if isToldFirst { pipeline.linkDidUpdate(released) }
                    pipeline.linkDidClose(.ours, at: machine.now())
                    if !isToldFirst { pipeline.linkDidUpdate(released) }
                }
            }
            // Statuses come on while the order is carried out.
            Task { await room.pipeline.carryOut(.terminate) }
            for _ in 0..<2000 {
                room.hear(.workoutRow)
                await machine.sleep(for: .milliseconds(10))
            }
            return room.events.withLock { $0 }
        }
        let edges = events.compactMap { if case .session(let it) = $0 { it.kind } else { nil } }
        #expect(edges == [.started, .ended])
        #expect(events.contains { if case .summary(let it) = $0 { !it.isComplete } else { false } })
    }
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
            outlet: StationOutlet(
                listeners: [
                    NewsListener { news in
                        events.withLock { $0 += news.events }
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

    func hear(_ state: WorkoutState) {
        let status = GeneralStatus(
            elapsedCentiseconds: 500, distanceDecimeters: 200, workoutState: state,
            rowingState: .active, strokeState: .driving)
        let bytes = status.notificationBytes(carrier: .dedicated)
        run { [machine] pipeline in
            // Nothing comes on a link that is closed.
            guard pipeline.assumeIsolated({ $0.channel != nil }) else { return }
            bytes.withUnsafeBytes {
                pipeline.linkDidReceive(.generalStatus, $0, at: machine.now())
            }
        }
    }
}

/// What a station had to say.
private final class SharedEvents: Sendable {
    private let events = Mutex<[SessionEvent]>([])
    func withLock<Value: Sendable>(_ act: (inout sending [SessionEvent]) -> sending Value) -> Value
    {
        events.withLock(act)
    }
}

/// A monitor that accepts a terminate, and is still busy with it whenever it is asked.
private final class AnsweringLink: ErgLink {
    /// Frames so far.
    private let written = Mutex(0)
    /// Called on the station's queue behind the answer to a terminate.
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
