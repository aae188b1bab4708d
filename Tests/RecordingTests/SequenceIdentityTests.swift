import Contract
import Foundation
import RingLog
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording
@testable import Rowing

/// No number identifies two records, although records are published before they are durable.
struct SequenceIdentityTests {
    /// Published records and declared losses of many processes on one ring.
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

        /// Numbers of a stream that were neither received nor declared, up to the last received one.
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

    /// A recorder on a disk that holds only `device`.
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

    /// Records strokes without a broker until the ring has wrapped around. Returns the device's number of
    /// operations after each stroke.
    @discardableResult
    private func recordOverWholeRing(
        _ device: CrashingBlockDevice, _ runtime: any Runtime
    ) async throws -> [Int] {
        let recorder = try recorder(on: device, runtime)
        await recorder.start(callbacks: .init(recordsAvailable: {}, retain: { _, _ in }))
        var operations: [Int] = []
        for number in 1...800 {
            let stroke = Stroke(
                session: SessionID("01HF0000000000000000000000"), at: runtime.now(),
                number: number, elapsed: .seconds(number), distance: Meters(1))
            await recorder.record([
                StationUpdate(
                    station: erg, monitorSerial: nil, at: runtime.now(),
                    events: [.stroke(stroke)], checkpoint: [])
            ])
            operations.append(device.operations)
        }
        return operations
    }

    /// The device dies at each operation while a segment of unpublished records is overwritten.
    @Test(arguments: [CrashingBlockDevice.Loss.everything, .sectors])
    func declaresOverwrittenRecordsAfterACut(loss: CrashingBlockDevice.Loss) async throws {
        // In stepped time, because a later timestamp has more digits, so a segment would hold fewer records.
        let (hasComeRound, undeclared) = try await SteppedLoop.run(seed: 1) { machine in
            let operations = try await recordOverWholeRing(CrashingBlockDevice(), machine)
            // A stroke is one write. One that opens a segment also needs a commit and a header.
            let openings = operations.indices.dropFirst()
                .filter { operations[$0] - operations[$0 - 1] >= 4 }
            let opening = operations[try #require(openings.last) - 1]
            var undeclared: [String] = []
            for stop in opening...opening + 12 {
                var random = SeededGenerator(seed: UInt64(stop))
                let device = CrashingBlockDevice()
                device.stopsAt = stop
                try await recordOverWholeRing(device, machine)
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

    /// Returns a subscriber that received every record of a ring.
    private func readAll(
        _ device: CrashingBlockDevice, _ runtime: any Runtime
    ) async throws -> Subscriber {
        let recorder = try recorder(on: device, runtime)
        await recorder.start(callbacks: .init(recordsAvailable: {}, retain: { _, _ in }))
        // The first read finds damage; the second one gets its declaration.
        _ = await recorder.records(after: nil, limit: 5000)
        await recorder.commit()
        let subscriber = Subscriber()
        for record in await recorder.records(after: nil, limit: 5000).records {
            let object = try JSONSerialization.jsonObject(with: Data(record.payload))
            subscriber.receive(record, fields: object as? [String: Any] ?? [:])
        }
        return subscriber
    }

    /// Runs one process: records strokes, commits some of them, and publishes each at once.
    private func live(
        on device: CrashingBlockDevice, strokes: Int, _ subscriber: Subscriber,
        _ random: inout SeededGenerator
    ) async throws {
        let recorder = try recorder(on: device)
        await recorder.start(callbacks: .init(recordsAvailable: {}, retain: { _, _ in }))
        var cursor: UInt64?
        for number in 1...strokes {
            // Only the elapsed time differs between two records of the same number.
            let stroke = Stroke(
                session: SessionID("01HF0000000000000000000000"), at: SystemRuntime().now(),
                number: number, elapsed: .seconds(Int.random(in: 0..<1_000_000, using: &random)),
                distance: Meters(1))
            await recorder.record([
                StationUpdate(
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

    /// The device dies at each of its operations, and at a random one in the two next processes.
    @Test(arguments: CrashingBlockDevice.Loss.allCases)
    func neverReusesANumberAfterACut(loss: CrashingBlockDevice.Loss) async throws {
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
