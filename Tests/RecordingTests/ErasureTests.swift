import Contract
import Foundation
import RingLog
import Synchronization
import TestSupport
import Testing

@testable import HostRuntime
@testable import Insights
@testable import Recording
@testable import Rowing
@testable import Timeline

/// The ring and the records after `rowgatectl athlete forget`.
struct ErasureTests {
    private static let victim = "zoe-forgotten"
    private static let other = "bob-kept"

    private let folder: TemporaryFolder
    private let gateway: GatewayID
    private let erg: StationID
    private let theirs = SessionID("01HF0000000000000000000000")
    private let others = SessionID("01HF0000000000000000000002")

    init() throws {
        folder = try TemporaryFolder()
        gateway = try #require(GatewayID("boathouse"))
        erg = try #require(StationID("erg-1"))
    }

    private var path: String { folder.path("ring.log") }
    private var contents: Data { get throws { try Data(contentsOf: URL(fileURLWithPath: path)) } }

    private func recorder() async throws -> Recorder {
        let settings = RingSettings(
            path: path, sizeBytes: 1 << 20, commitInterval: .seconds(3600), keepsRaw: true)
        let recorder = try await Recorder.reopened {
            try Recorder(
                gateway: gateway, stations: [erg], settings: settings,
                log: SystemLog(subsystem: "test", threshold: .error), runtime: SystemRuntime())
        }
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        return recorder
    }

    /// - Parameter values: raw values by their first byte, with the time in seconds since the boot.
    private func update(
        _ events: [SessionEvent], values: [(UInt8, UInt64)] = [], checkpoint: [UInt8] = []
    ) -> StationUpdate {
        var update = StationUpdate(
            station: erg, monitorSerial: "430000001", at: SystemRuntime().now(), events: events,
            checkpoint: checkpoint)
        for (value, second) in values {
            let bytes = [UInt8](repeating: value, count: 20)
            bytes.withUnsafeBytes {
                update.raw.append(
                    $0, of: .generalStatus, station: erg,
                    at: BootInstant(nanoseconds: second * 1_000_000_000))
            }
        }
        return update
    }

    private func edge(_ kind: SessionTransition.Kind, of session: SessionID) -> SessionEvent {
        .session(
            SessionTransition(
                kind: kind, session: session, startedAt: SystemRuntime().now(),
                workout: Workout(type: .justRowWithoutSplits, target: .none),
                at: SystemRuntime().now()))
    }

    private func stroke(_ number: Int, of session: SessionID) -> SessionEvent {
        .stroke(
            Stroke(
                session: session, at: SystemRuntime().now(), number: number,
                elapsed: .seconds(number * 2), distance: Meters(Int64(number) * 10)))
    }

    /// A session of two strokes by the assigned athlete, with raw values and checkpoints of `value`.
    private func session(
        _ session: SessionID, values value: UInt8, from second: UInt64
    ) -> [StationUpdate] {
        [
            update([], values: [(value, second)]),
            update(
                [edge(.started, of: session), stroke(1, of: session)],
                values: [(value, second + 2)], checkpoint: [value, value, value]),
            update([stroke(2, of: session)], values: [(value, second + 4)], checkpoint: [value]),
            update([edge(.ended, of: session)], values: [(value, second + 5)]),
        ]
    }

    /// The raw values in the ring by their first byte, and all checkpoints that are not zero.
    private func storedContent() throws -> (values: [UInt8], checkpoints: [[UInt8]]) {
        var reader = try LogReader(device: FileBlockDevice.reading(path: path))
        var (values, checkpoints): ([UInt8], [[UInt8]]) = ([], [])
        while let item = try reader.next() {
            guard case .record(let record) = item, record.kind == RingRecordKind.entry else {
                continue
            }
            switch try RingEntry.decode(record.bytes) {
            case .notification(let raw)?: values.append(raw.bytes[0])
            case .checkpoint(_, let bytes)? where bytes.contains { $0 != 0 }:
                checkpoints.append(bytes)
            default: break
            }
        }
        return (values, checkpoints)
    }

    private func fields(_ record: OutgoingRecord) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(record.payload)) as? [String: Any])
    }

    /// Three sessions of two athletes with raw values and checkpoints. Records of the other athlete and
    /// all numbers stay.
    @Test func erasesEverythingFromTheFile() async throws {
        do {
            let recorder = try await self.recorder()
            await recorder.assign(Self.other, until: .sessionEnd, to: erg)
            await recorder.record(session(others, values: 1, from: 100))
            await recorder.assign(Self.victim, until: .sessionEnd, to: erg)
            // Values of the session before are still stored when the lead-in arrives.
            await recorder.record([update([], values: [(2, 130)])])
            let rows = session(theirs, values: 3, from: 150)
            await recorder.record(Array(rows.prefix(2)))
            #expect(await recorder.erase(Self.victim) == .rowing(erg))
            await recorder.record(Array(rows.dropFirst(2)))
            await recorder.record([update([], values: [(3, 180)])])
            await recorder.assign(Self.other, until: .changed, to: erg)
            let third = SessionID("01HF0000000000000000000003")
            await recorder.record(session(third, values: 4, from: 190))

            guard case .done(let count, damagedRanges: 0) = await recorder.erase(Self.victim)
            else { throw CocoaError(.fileNoSuchFile) }
            // At least two edges, two strokes, the manifest, five values and two checkpoints.
            #expect(count >= 12)
            #expect(try contents.range(of: Data(Self.victim.utf8)) == nil)
            await recorder.stop()
        }
        #expect(try contents.range(of: Data(Self.victim.utf8)) == nil)
        #expect(try contents.range(of: Data(Self.other.utf8)) != nil)
        let content = try storedContent()
        #expect(content.values == [1, 1, 1, 1, 2, 0, 0, 0, 0, 0, 4, 4, 4, 4])
        #expect(content.checkpoints == [[1, 1, 1], [1], [4, 4, 4], [4]])
        let next = try await self.recorder()
        #expect(await next.state.stationStates[erg]?.next[.stroke] == 7)
        #expect(await next.athlete(at: erg) == Self.other)
        #expect(await next.erase(Self.victim) == .done(records: 0, damagedRanges: 0))
        await next.stop()
    }

    @Test func erasesWhoAcknowledgedAnAlert() async throws {
        func seen(_ id: String, _ rule: AlertRule, by name: String) -> Alert {
            let now = SystemRuntime().now()
            var alert = Alert(
                id: id, rule: rule, since: now, session: rule.endsWithSession ? others : nil, at: now)
            alert.acknowledgement = Alert.Acknowledgement(at: now, by: name)
            return alert
        }
        do {
            let recorder = try await self.recorder()
            await recorder.assign(Self.other, until: .changed, to: erg)
            var begin = update([edge(.started, of: others)])
            begin.insights = [
                .alert(seen("A1", .stopped, by: Self.victim)),
                .alert(seen("A2", .linkLost, by: Self.other)),
            ]
            await recorder.record([begin])
            await recorder.record([seen("G1", .backlog, by: Self.victim)])
            guard case .done(let count, damagedRanges: 0) = await recorder.erase(Self.victim)
            else { throw CocoaError(.fileNoSuchFile) }
            #expect(count >= 2)
            #expect(try contents.range(of: Data(Self.victim.utf8)) == nil)
            let alerts = await recorder.records(after: nil, limit: 100).records
                .filter { $0.stream.kind == .alert }
            #expect(try alerts.map { try fields($0)["alert_id"] as? String } == ["A1", "A2", "G1"])
            #expect(
                try alerts.map { try fields($0)["acknowledged_by"] as? String }
                    == [nil, Self.other, nil])
            #expect(try alerts.allSatisfy { try fields($0)["acknowledged_ms"] != nil })
            await recorder.stop()
        }
        #expect(try contents.range(of: Data(Self.victim.utf8)) == nil)
        let next = try await self.recorder()
        let firing = (next.firingAlerts[erg] ?? []) + (next.firingAlerts[nil] ?? [])
        #expect(firing.map(\.id) == ["A1", "A2", "G1"])
        #expect(firing.map(\.acknowledgement?.by) == [nil, Self.other, nil])
        #expect(firing.allSatisfy { $0.acknowledgement != nil })
        await next.stop()
    }

    /// More than a ring of one athlete's strokes, then some of the other's. Bytes of earlier turns must
    /// be erased too.
    @Test func erasesOldDataAndSegmentHeaders() async throws {
        do {
            let recorder = try await self.recorder()
            await recorder.assign(Self.victim, until: .changed, to: erg)
            let strokes = (0..<100).map { stroke($0 + 1, of: theirs) }
            for _ in 0..<35 {
                await recorder.record([update(strokes)])
                // At most 1024 numbers are assigned before a commit is durable.
                await recorder.durable()
            }
            await recorder.assign(Self.other, until: .changed, to: erg)
            await recorder.record([update(strokes.map { _ in stroke(1, of: others) })])
            let found = try contents
            #expect(found.range(of: Data(Self.victim.utf8)) != nil)
            guard case .done(let count, damagedRanges: 0) = await recorder.erase(Self.victim)
            else {
                throw CocoaError(.fileNoSuchFile)
            }
            #expect(count > 1000)
            #expect(try contents.range(of: Data(Self.victim.utf8)) == nil)
            #expect(try contents.range(of: Data(Self.other.utf8)) != nil)
            await recorder.record([update([stroke(1, of: others)])])
            await recorder.stop()
        }
        let next = try await self.recorder()
        #expect(await next.state.stationStates[erg]?.next[.stroke] == 3602)
        await next.stop()
    }

    @Test func declaresUnpublishedErasedRecords() async throws {
        let recorder = try await self.recorder()
        for (athlete, session) in [(Self.victim, theirs), (Self.other, others)] {
            await recorder.assign(athlete, until: .changed, to: erg)
            await recorder.record([update([stroke(1, of: session), stroke(2, of: session)])])
        }
        await recorder.assign(Self.victim, until: .changed, to: erg)
        await recorder.record([update([stroke(3, of: theirs), stroke(4, of: theirs)])])
        _ = await recorder.erase(Self.victim)
        let batch = await recorder.records(after: nil, limit: 100)
        #expect(batch.records.map(\.sequence) == [3, 4])
        await recorder.acknowledged(through: try #require(batch.through))
        await recorder.commit()
        let declared = await recorder.records(after: batch.through, limit: 100)
        await recorder.acknowledged(through: try #require(declared.through))
        #expect(await recorder.snapshot().backlog == 0)
        let events = try declared.records.map(fields)
        #expect(events.map { $0["from_seq"] as? Int } == [1, 5])
        #expect(events.map { $0["to_seq"] as? Int } == [2, 6])
        #expect(events.allSatisfy { $0["reason"] as? String == "erased" })
        #expect(await recorder.snapshot().droppedTotal == 0)
        await recorder.stop()
    }

    @Test func clearsRetainedSummaries() async throws {
        let retained = Mutex<[RetainedTopic: [UInt8]]>([:])
        let settings = RingSettings(
            path: path, sizeBytes: 4 << 20, commitInterval: .seconds(3600), keepsRaw: false)
        let recorder = try Recorder(
            gateway: gateway, stations: [erg], settings: settings,
            log: SystemLog(subsystem: "test", threshold: .error), runtime: SystemRuntime())
        await recorder.start(
            callbacks: RecorderCallbacks(
                recordsAvailable: {},
                retain: { topic, bytes in retained.withLock { $0[topic] = bytes } }))
        for (athlete, session) in [(Self.other, others), (Self.victim, theirs)] {
            await recorder.assign(athlete, until: .changed, to: erg)
            let summary = Summary(
                revision: 1, session: session,
                workout: Workout(type: .justRowWithoutSplits, target: .none),
                startedAt: SystemRuntime().now(), endedAt: SystemRuntime().now(),
                at: SystemRuntime().now(),
                result: .seconds(6), distance: Meters(30), strokes: 3, splits: 0, isComplete: false)
            await recorder.record([update([.summary(summary)])])
        }
        _ = await recorder.erase(Self.other)
        #expect(retained.withLock { $0[.lastSummary(erg)]?.isEmpty } == false)
        _ = await recorder.erase(Self.victim)
        #expect(retained.withLock { $0[.lastSummary(erg)]?.isEmpty } == true)
        await recorder.stop()
    }
}
