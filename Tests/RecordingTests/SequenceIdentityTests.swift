import Contract
import Foundation
import RingLog
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording
@testable import Rowing

/// One number never names two records, although records are published before they are durable.
struct SequenceIdentityTests {
    /// Records that were published, and numbers that were declared missing, over the lives of many
    /// processes on one ring.
    private final class Subscriber {
        private(set) var records: [String: [UInt8]] = [:]
        private(set) var declared: [String: Set<Int>] = [:]
        private(set) var conflicts: [String] = []

        func receive(_ record: OutgoingRecord, fields: [String: Any]) {
            let epoch = fields["epoch"] as? String ?? ""
            let name = "\(epoch) \(record.stream.path) \(record.sequence)"
            let known = records.updateValue(record.payload, forKey: name)
            if let known, known != record.payload { conflicts.append(name) }
            for (stream, first) in fields["first_seq"] as? [String: Int] ?? [:] {
                declared["\(epoch) \(stream)", default: []].formUnion(1..<first)
            }
            guard fields["event"] as? String == "ring_dropped",
                let stream = fields["stream"] as? String, let from = fields["from_seq"] as? Int,
                let to = fields["to_seq"] as? Int
            else { return }
            declared["\(epoch) \(stream)", default: []].formUnion(from...to)
        }

        /// Numbers of a stream up to its last that neither came nor were declared.
        func undeclared(of stream: String) -> [Int] {
            let numbers = records.keys.filter { $0.hasPrefix(stream + " ") }
                .compactMap { Int($0.split(separator: " ")[2]) }
            let missing = Set(1...(numbers.max() ?? 1)).subtracting(numbers)
            return missing.subtracting(declared[stream] ?? []).sorted()
        }

        var streams: Set<String> {
            Set(records.keys.map { $0.split(separator: " ").prefix(2).joined(separator: " ") })
        }
    }

    private static let geometry = LogGeometry(segmentSize: 16 * 4096, segmentCount: 4)
    private let erg: StationID
    private let gateway: GatewayID

    init() throws {
        erg = try #require(StationID("erg-1"))
        gateway = try #require(GatewayID("boathouse"))
    }

    /// A recorder on a disk that holds `device` and nothing else.
    private func recorder(
        on device: CrashingBlockDevice, _ runtime: any Runtime = SystemRuntime()
    ) throws -> Recorder {
        let log = SystemLog(subsystem: "test", threshold: .critical)
        let settings = RingSettings(
            path: "memory", sizeBytes: 4 << 20, commitInterval: .seconds(3600), keepsRaw: false)
        let storage = try RingStorage.open(
            FallbackBlockDevice(path: "memory", fileSystem: .holding(device)),
            geometry: Self.geometry, runtime: runtime)
        return Recorder(
            gateway: gateway, stations: [erg], settings: settings,
            ring: OpenedRing(
                storage, highWater: nil, bootID: runtime.wall().bootID, log: log),
            log: log, runtime: runtime)
    }

    /// A life without a broker, long enough for the ring to come round unpublished; the device's
    /// operations up to the end of each stroke.
    @discardableResult
    private func fill(
        _ device: CrashingBlockDevice, _ runtime: any Runtime
    ) async throws -> [Int] {
        let recorder = try recorder(on: device, runtime)
        await recorder.start(outlet: .init(recordsAvailable: {}, retain: { _, _ in }))
        var operations: [Int] = []
        for number in 1...800 {
            let stroke = Stroke(
                session: SessionID("01HF0000000000000000000000"), at: runtime.now(),
                number: number, elapsed: .seconds(number), distance: Meters(1))
            await recorder.record([
                StationNews(
                    station: erg, monitorSerial: nil, at: runtime.now(),
                    events: [.stroke(stroke)], checkpoint: [])
            ])
            operations.append(device.operations)
        }
        return operations
    }

    /// Goal: what a full ring overwrote is declared, even if the power fails before the event that
    /// says so is durable.
    /// Method: the device dies at each operation of the opening of a segment over unpublished ones,
    /// and at some after it; the next life declares, and a subscriber who gets all of it misses
    /// nothing.
    @Test(arguments: [CrashingBlockDevice.Loss.everything, .sectors])
    func overwrittenBeforeACut(loss: CrashingBlockDevice.Loss) async throws {
        // In stepped time, since a later instant has more bytes, and a segment fewer records.
        let (hasComeRound, undeclared) = try await SteppedLoop.run(seed: 1) { machine in
            let operations = try await fill(CrashingBlockDevice(), machine)
            // A stroke costs a write; one that opens a segment, a commit and a header beside it.
            let openings = operations.indices.dropFirst()
                .filter { operations[$0] - operations[$0 - 1] >= 4 }
            let opening = operations[try #require(openings.last) - 1]
            var undeclared: [String] = []
            for stop in opening...opening + 12 {
                var random = SeededGenerator(seed: UInt64(stop))
                let device = CrashingBlockDevice()
                device.stopsAt = stop
                try await fill(device, machine)
                let left = CrashingBlockDevice(device.content(after: loss, using: &random))
                let subscriber = try await readAll(left, machine)
                undeclared += subscriber.streams.flatMap { stream in
                    subscriber.undeclared(of: stream).map { "\(stream) \($0), stop \(stop)" }
                }
            }
            return (openings.count == Self.geometry.segmentCount, undeclared)
        }
        #expect(hasComeRound)
        #expect(undeclared == [])
    }

    /// What a subscriber has who gets everything that a ring holds.
    private func readAll(
        _ device: CrashingBlockDevice, _ runtime: any Runtime
    ) async throws -> Subscriber {
        let recorder = try recorder(on: device, runtime)
        await recorder.start(outlet: .init(recordsAvailable: {}, retain: { _, _ in }))
        // Damage shows in the first reading, and is declared for the second.
        _ = await recorder.records(after: nil, limit: 5000)
        await recorder.commit()
        let subscriber = Subscriber()
        for record in await recorder.records(after: nil, limit: 5000).records {
            let object = try JSONSerialization.jsonObject(with: Data(record.payload))
            subscriber.receive(record, fields: object as? [String: Any] ?? [:])
        }
        return subscriber
    }

    /// One life of the daemon: strokes, some of them committed, each published once it can be read.
    private func live(
        on device: CrashingBlockDevice, strokes: Int, _ subscriber: Subscriber,
        _ random: inout SeededGenerator
    ) async throws {
        let recorder = try recorder(on: device)
        await recorder.start(outlet: .init(recordsAvailable: {}, retain: { _, _ in }))
        var cursor: UInt64?
        for number in 1...strokes {
            // The time alone tells two records of one number apart, as in life.
            let stroke = Stroke(
                session: SessionID("01HF0000000000000000000000"), at: SystemRuntime().now(),
                number: number, elapsed: .seconds(Int.random(in: 0..<1_000_000, using: &random)),
                distance: Meters(1))
            await recorder.record([
                StationNews(
                    station: erg, monitorSerial: nil, at: SystemRuntime().now(),
                    events: [.stroke(stroke)], checkpoint: [])
            ])
            if number % 7 == 0 { await recorder.commit() }
            let batch = await recorder.records(after: cursor, limit: 100)
            cursor = batch.through ?? cursor
            for record in batch.records {
                let object = try JSONSerialization.jsonObject(with: Data(record.payload))
                subscriber.receive(record, fields: object as? [String: Any] ?? [:])
            }
        }
    }

    /// Goal: however the power fails between publishing and commit, no number names two records,
    /// and whatever is missing is declared.
    /// Method: the device dies at each of its operations, and again at a random one in the two
    /// lives after that; a subscriber who got everything that could be read keeps the accounts.
    @Test(arguments: CrashingBlockDevice.Loss.allCases)
    func anyCut(loss: CrashingBlockDevice.Loss) async throws {
        for stop in 1...60 {
            var random = SeededGenerator(seed: UInt64(stop))
            let subscriber = Subscriber()
            var device = CrashingBlockDevice()
            for life in 0..<3 {
                device.stopsAt =
                    device.operations
                    + (life == 0 ? stop : Int.random(in: 1...30, using: &random))
                try await live(on: device, strokes: 16, subscriber, &random)
                device = CrashingBlockDevice(device.content(after: loss, using: &random))
            }
            try await live(on: device, strokes: 3, subscriber, &random)
            #expect(subscriber.conflicts == [], "stop \(stop), loss \(loss)")
            for stream in subscriber.streams {
                #expect(subscriber.undeclared(of: stream) == [], "\(stream), stop \(stop)")
            }
        }
    }
}
