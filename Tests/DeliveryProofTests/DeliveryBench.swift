import Foundation
import Synchronization
import TestSupport

@testable import Bytes
@testable import Contract
@testable import DeliveryProof
@testable import HostRuntime
@testable import MQTTClient
@testable import Publishing
@testable import Recording
@testable import Rowing

/// A counter that several threads may increment.
final class SharedCounter: Sendable {
    private let total = Atomic(0)

    var count: Int { total.load(ordering: .relaxed) }

    func increment() { total.add(1, ordering: .relaxed) }
}

/// The delivery path of a stroke without Bluetooth: recorder, publisher, a real broker, and a listener
/// with a `DeliveryLedger`. Without monitors, hours of rowing take seconds.
final class DeliveryBench: Sendable {
    static let gateway = GatewayID("boathouse")!
    static let ergs = (1...8).compactMap { StationID("erg-\($0)") }

    let broker: PrivateBroker
    private let folder: TemporaryFolder
    let recorder: Recorder
    let publisher: Publisher
    /// Connection attempts of the publisher.
    let attempts = SharedCounter()
    private let ledger = Mutex(
        DeliveryLedger(expectsFromStart: true))
    private let listener = Mutex<TopicListener?>(nil)
    private let isListening = Mutex(false)

    /// - Parameters:
    ///   - port: port to which the gateway connects; nil for the broker's.
    ///   - configure: changes the publisher's configuration.
    init(
        _ broker: PrivateBroker, port: UInt16? = nil,
        configure: (inout BrokerConfiguration) -> Void = { _ in }
    ) async throws {
        self.broker = broker
        folder = try TemporaryFolder()
        let log = SystemLog(subsystem: "test", threshold: .error)
        recorder = try Recorder(
            gateway: Self.gateway, stations: Self.ergs,
            settings: .init(
                path: folder.path("ring.log"), sizeBytes: 128 << 20, commitInterval: .seconds(1),
                keepsRaw: false), log: log, runtime: SystemRuntime())
        var configuration = BrokerConfiguration(
            host: "127.0.0.1", port: port ?? broker.port, clientID: "rowgate-boathouse")
        configuration.reconnectDelays = .milliseconds(2) ... .milliseconds(2)
        configure(&configuration)
        let attempts = attempts
        publisher = Publisher(
            configuration: configuration,
            connector: { configuration, will, report throws(BrokerFailure) in
                attempts.increment()
                return try MQTTConnection(configuration, will: will, report: report)
            },
            topics: TopicMap(gateway: Self.gateway, below: .standard),
            source: recorder,
            runtime: SystemRuntime(), log: log)
        await recorder.start(
            callbacks: RecorderCallbacks(
                recordsAvailable: publisher.recordsAvailable, retain: publisher.setRetained))
    }

    func stop() async {
        listener.withLock { $0?.close() }
        await publisher.stop(deadline: .seconds(5))
        await recorder.stop()
    }

    // MARK: Rowing

    /// Records a piece of so many strokes on each erg, as fast as the recorder and the disk accept them.
    func row(
        _ strokes: Int, on ergs: [StationID] = DeliveryBench.ergs, piece: Int = 1
    ) async {
        let sessions = ergs.map {
            SessionID("01J7ZK3Q5XQ4W8G9T2V6B0\(piece)\($0.slug.suffix(1))DE")
        }
        for (number, batch) in stride(from: 1, through: strokes, by: 100).enumerated() {
            let numbers = batch...min(batch + 99, strokes)
            let update = zip(ergs, sessions).map { erg, session in
                var events = numbers.map { SessionEvent.stroke(stroke($0, of: session)) }
                if number == 0 { events.insert(edge(.started, of: session), at: 0) }
                if numbers.upperBound == strokes { events.append(edge(.ended, of: session)) }
                return StationUpdate(
                    station: erg, at: SystemRuntime().now(), events: events, checkpoint: [])
            }
            await recorder.record(update)
            _ = await eventually { await recorder.snapshot().diskDelay == nil }
        }
    }

    private func edge(_ kind: SessionTransition.Kind, of session: SessionID) -> SessionEvent {
        let now = SystemRuntime().now()
        return .session(
            SessionTransition(
                kind: kind, session: session, startedAt: now,
                workout: Workout(type: .justRowWithoutSplits, target: .none), at: now))
    }

    private func stroke(_ number: Int, of session: SessionID) -> Stroke {
        var stroke = Stroke(
            session: session, at: SystemRuntime().now(), number: number,
            elapsed: .milliseconds(2500 * number), distance: Meters(Int64(number) * 10))
        stroke.powerWatts = 180
        stroke.strokeRate = 24
        return stroke
    }

    // MARK: Listening

    /// Connects the listener to the broker directly, not through a proxy. Call again after the broker
    /// restarts.
    func listen() async throws {
        isListening.withLock { $0 = false }
        let configuration = BrokerConfiguration(
            host: "127.0.0.1", port: broker.port, clientID: "listener")
        let listener = try TopicListener(
            configuration, over: MQTTConnection.init, filter: "rowgate/#"
        ) { [weak self] event in
            switch event {
            case .listening: self?.isListening.withLock { $0 = true }
            case .received(let message):
                self?.ledger.withLock {
                    _ = $0.apply(topic: message.topic, payload: message.payload)
                }
            case .denied, .oversized: break
            case .ended: self?.isListening.withLock { $0 = false }
            }
        }
        self.listener.withLock { $0 = listener }
        guard await eventually({ isListening.withLock { $0 } }) else {
            throw TestSupportError("the broker does not serve the listener")
        }
    }

    /// Disconnects the listener.
    func stopListening() async {
        listener.withLock { $0?.close() }
        _ = await eventually { !isListening.withLock { $0 } }
    }

    var verdict: DeliveryVerdict { ledger.withLock { $0.verdict() } }

    /// Waits until the gateway has published everything and the listener has received so many complete
    /// sessions, or has received nothing for 30 s.
    func settle(sessions: Int, within timeout: Duration = .seconds(300)) async -> DeliveryVerdict {
        _ = await eventually(within: timeout) { await recorder.snapshot().backlog == 0 }
        var (last, lastCount) = (ContinuousClock.now, 0)
        _ = await eventually(within: timeout) {
            let verdict = verdict
            let received = verdict.streams.reduce(0) { $0 + Int($1.received) + $1.repeats }
            if received != lastCount { (last, lastCount) = (.now, received) }
            return verdict.isComplete && verdict.sessions.count == sessions
                || ContinuousClock.now - last > .seconds(30)
        }
        return verdict
    }

    /// Requests one replay of all missing records; returns how many records were published.
    func replayMissing() async -> Int {
        var count = 0
        for (_, request) in verdict.replayable {
            count += await publisher.replay(request).published
        }
        return count
    }
}
