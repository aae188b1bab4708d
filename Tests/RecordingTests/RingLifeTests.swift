import Contract
import Foundation
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording
@testable import Rowing

/// A ring over weeks, and one with flipped bits.
struct RingLifeTests {
    private let folder: TemporaryFolder
    private let gateway: GatewayID
    private let erg: StationID

    init() throws {
        folder = try TemporaryFolder()
        gateway = try #require(GatewayID("boathouse"))
        erg = try #require(StationID("erg-1"))
    }

    private var path: String { folder.path("ring.log") }

    private func recorder() async throws -> Recorder {
        let settings = RingSettings(
            path: path, sizeBytes: 4 << 20, commitInterval: .seconds(3600), keepsRaw: true)
        let recorder = try await Recorder.reopened {
            try Recorder(
                gateway: gateway, stations: [erg], settings: settings,
                log: SystemLog(subsystem: "test", threshold: .critical), runtime: SystemRuntime())
        }
        await recorder.start(callbacks: .init(recordsAvailable: {}, retain: { _, _ in }))
        return recorder
    }

    private func update(_ strokes: ClosedRange<Int>, rawValues: Int = 0) -> StationUpdate {
        let now = SystemRuntime().now()
        let events = strokes.map { number in
            SessionEvent.stroke(
                Stroke(
                    session: SessionID("01HF0000000000000000000000"), at: now, number: number,
                    elapsed: .seconds(number), distance: Meters(Int64(number))))
        }
        var update = StationUpdate(
            station: erg, monitorSerial: nil, at: now, events: events, checkpoint: [])
        let value = [UInt8](repeating: 0x5A, count: 1000)
        for _ in 0..<rawValues {
            value.withUnsafeBytes {
                update.raw.append($0, of: .generalStatus, station: erg, at: now)
            }
        }
        return update
    }

    private func numbers(_ batch: RecordBatch) -> [UInt64] {
        batch.records.filter { $0.stream.kind == .stroke }.map(\.sequence)
    }

    /// Acknowledged records are never sent again after a restart. Every third process is killed.
    @Test func keepsItsSizeForThirtyDays() async throws {
        var size: Int?
        var last = 0
        for day in 1...30 {
            let recorder = try await recorder()
            let first = await recorder.records(after: nil, limit: 1000)
            #expect(numbers(first).isEmpty, "day \(day)")
            for _ in 0..<4 {
                await recorder.record([update(last + 1...last + 10, rawValues: 500)])
                last += 10
            }
            var batch = await recorder.records(after: nil, limit: 1000)
            #expect(numbers(batch).count == 40, "day \(day)")
            while let through = batch.through {
                await recorder.acknowledged(through: through)
                batch = await recorder.records(after: through, limit: 1000)
            }
            await recorder.commit(cursor: true)
            // Every third process is killed: the recorder is dropped without `stop`.
            if day % 3 != 0 { await recorder.stop() }
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let found = try #require(attributes[.size] as? Int)
            #expect(found == size ?? found, "day \(day)")
            size = found
        }
        #expect(size == 4 << 20 + 8192)
    }

    @Test(arguments: [true, false])
    func declaresRecordsWithFlippedBits(isClosed: Bool) async throws {
        do {
            let recorder = try await recorder()
            await recorder.record([update(1...40)])
            // Wait until the file has the records.
            await recorder.durable()
            if isClosed { await recorder.stop() }
        }
        let intact = try Data(contentsOf: URL(fileURLWithPath: path))
        var losses = 0
        for offset in stride(from: 8192 + 300, to: 8192 + 16_000, by: 997) {
            var damaged = intact
            damaged[offset] ^= 0x10
            try damaged.write(to: URL(fileURLWithPath: path))
            let recorder = try await recorder()
            let found = numbers(await recorder.records(after: nil, limit: 1000))
            await recorder.durable()
            var missing = Set(UInt64(1)...40).subtracting(found)
            losses += missing.count
            for record in await recorder.records(after: nil, limit: 1000).records
            where record.stream.kind == .gatewayEvent {
                let object = try JSONSerialization.jsonObject(with: Data(record.payload))
                guard let fields = object as? [String: Any],
                    fields["stream"] as? String == "erg/erg-1/stroke",
                    let from = fields["from_seq"] as? UInt64, let to = fields["to_seq"] as? UInt64
                else { continue }
                #expect(fields["reason"] as? String == "unreadable" || !isClosed)
                missing.subtract(from...to)
            }
            #expect(missing.isEmpty && found.count >= 39, "offset \(offset)")
        }
        #expect(losses > 5)
    }
}
