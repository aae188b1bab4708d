import Synchronization
import TestSupport

@testable import Contract
@testable import HostRuntime
@testable import MQTTClient
@testable import Publishing
@testable import Rowing
@testable import Timeline

/// A ring log in memory: supplies records to a publisher and stores its acknowledgements.
final class MemoryLog: RecordSource {
    private struct State {
        var records: [OutgoingRecord] = []
        var acknowledged: UInt64?
        var births = 0
        var reads = 0
        var lost: Set<UInt64> = []
        var tooLong: [OutgoingRecord] = []
        var onFurtherRead: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    static let stations = [StationID("seat-1")!, StationID("seat-2")!]
    static let epoch = "01J0EP0CH"
    static let gateway = GatewayID("boathouse")!

    var acknowledged: UInt64? { state.withLock { $0.acknowledged } }
    var births: Int { state.withLock { $0.births } }

    /// Records that were longer than the broker accepts.
    var tooLong: [OutgoingRecord] { state.withLock { $0.tooLong } }

    /// How often a read found records.
    var reads: Int { state.withLock { $0.reads } }

    /// Appends `count` complete gap records, spread over the stations.
    func append(_ count: Int) {
        for _ in 0..<count { append() }
    }

    private func append() {
        state.withLock { state in
            let station = Self.stations[state.records.count % Self.stations.count]
            let stream = StreamID(station: station, kind: .gap)
            let sequence = UInt64(state.records.count { $0.stream == stream }) + 1
            let cursor = UInt64(state.records.count) * 10 + 7  // cursors need not be dense
            let now = BootInstant(nanoseconds: cursor * 1_000_000)
            let clock = WallClock(
                bootID: "5b1f", unixMillisecondsAtBoot: 1_788_627_000_000, isSynchronized: true)
            let gap = Gap(
                session: SessionID("01J7ZK3Q5XQ4W8G9T2V6B0C1DE"), at: now, reason: .linkLost,
                strokes: nil, duration: .milliseconds(Int(cursor)), isRecovered: true)
            var encoder = RecordEncoder()
            let payload = encoder.encode(
                gap,
                head: RecordHead(
                    gateway: Self.gateway, stream: stream, epoch: Self.epoch, sequence: sequence,
                    time: clock.stamp(at: now)),
                context: RecordContext(clock: clock))
            state.records.append(
                OutgoingRecord(
                    cursor: cursor, station: station, kind: .gap, sequence: sequence,
                    payload: payload))
        }
    }

    /// Adds `bytes` bytes to every `step`-th record.
    func lengthen(every step: Int, by bytes: Int) {
        let field =
            Array(#","more":""#.utf8) + Array(repeating: 0x78, count: bytes) + Array("\"}".utf8)
        state.withLock { state in
            for index in state.records.indices where index % step == 0 {
                state.records[index].payload = state.records[index].payload.dropLast() + field
            }
        }
    }

    func birth() -> BirthNotice {
        state.withLock { state in
            state.births += 1
            var next: [StreamID: Birth.Position] = [:]
            for station in Self.stations {
                let stream = StreamID(station: station, kind: .gap)
                let count = state.records.count { $0.stream == stream }
                next[stream] = .init(next: UInt64(count) + 1, oldest: 1)
            }
            let clock = WallClock(
                bootID: "5b1f", unixMillisecondsAtBoot: 1_788_627_000_000, isSynchronized: true)
            return BirthNotice(
                Birth(
                    version: "test", epoch: Self.epoch, stations: Self.stations, streams: next),
                gateway: Self.gateway, at: BootInstant(nanoseconds: 0), clock: clock)
        }
    }

    func records(after cursor: UInt64?, limit: Int) -> RecordBatch {
        state.withLock { state in
            let after = cursor ?? state.acknowledged
            let records = state.records
                .filter { record in after.map { $0 < record.cursor } ?? true }.prefix(limit)
            if !records.isEmpty { state.reads += 1 }
            return RecordBatch(records: Array(records), through: records.last?.cursor)
        }
    }

    func records(of request: ReplayRequest, after cursor: UInt64?, limit: Int) -> ReplayBatch {
        if cursor != nil { removeFurtherReadAction()?() }
        return state.withLock { state in
            let stream = state.records.filter { $0.stream == request.stream }
            let records = stream.filter { record in
                request.sequences.contains(record.sequence)
                    && !state.lost.contains(record.sequence)
                    && cursor.map { $0 < record.cursor } ?? true
            }.prefix(limit)
            return ReplayBatch(
                records: Array(records), through: records.last?.cursor,
                lastSequence: UInt64(stream.count))
        }
    }

    /// Calls `action` once, when a replay reads its second batch. The first one is sent by then.
    func onNextFurtherRead(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.onFurtherRead = action }
    }

    private func removeFurtherReadAction() -> (@Sendable () -> Void)? {
        state.withLock { state in
            defer { state.onFurtherRead = nil }
            return state.onFurtherRead
        }
    }

    /// Removes these numbers of every stream from later replays.
    func lose(_ sequences: ClosedRange<UInt64>) {
        state.withLock { $0.lost.formUnion(sequences) }
    }

    func tooLong(_ record: OutgoingRecord) { state.withLock { $0.tooLong.append(record) } }

    func acknowledged(through cursor: UInt64) {
        state.withLock { state in
            precondition(cursor >= state.acknowledged ?? 0, "the cursor never moves back")
            state.acknowledged = cursor
        }
    }

    func backlog() -> Int {
        state.withLock { state in
            let done = state.acknowledged
            return state.records.count { record in done.map { $0 < record.cursor } ?? true }
        }
    }
}

extension MemoryLog {
    /// A publisher of this log with a will delay of 1 s.
    func publisher(
        port: UInt16, configure: (inout BrokerConfiguration) -> Void = { _ in }
    ) -> Publisher {
        publisher(port, MQTTConnection.init, SystemRuntime(), configure)
    }

    /// A publisher for a broker in memory, in stepped time.
    func publisher(
        on machine: SteppedRuntime, at broker: SteppedBroker,
        configure: (inout BrokerConfiguration) -> Void = { _ in }
    ) -> Publisher {
        publisher(1883, broker.connector, machine, configure)
    }

    private func publisher(
        _ port: UInt16, _ connector: @escaping BrokerConnector, _ runtime: any Runtime,
        _ configure: (inout BrokerConfiguration) -> Void
    ) -> Publisher {
        var configuration = BrokerConfiguration(
            host: "127.0.0.1", port: port, clientID: "rowgate-boathouse")
        configuration.willDelaySeconds = 1
        configure(&configuration)
        return Publisher(
            configuration: configuration, connector: connector,
            topics: TopicMap(gateway: Self.gateway, below: .standard), source: self, runtime: runtime,
            log: SystemLog(subsystem: "mqtt", threshold: .error))
    }
}

extension Publisher {
    /// Suspends the publisher's queue while `body` runs, so that other clients reach the broker first.
    nonisolated func withQueueSuspended<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        executor.queue.suspend()
        defer { executor.queue.resume() }
        return try await body()
    }
}

/// Waits until a publisher is connected and the broker has acknowledged its subscriptions.
func isServed(_ publisher: Publisher, by broker: PrivateBroker) async -> Bool {
    let subscriptions = TopicMap(gateway: MemoryLog.gateway, below: .standard).subscriptions.count
    return await eventually {
        let answers = broker.text.split(separator: "\n")
            .count { $0.contains("Sending SUBACK to rowgate-boathouse") }
        return await publisher.statistics().isConnected && answers >= subscriptions
    }
}
