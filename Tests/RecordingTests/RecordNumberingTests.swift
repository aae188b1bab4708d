import Contract
import Foundation
import RingLog
import Rowing
import TestSupport
import Testing

@testable import HostRuntime
@testable import Recording
@testable import Timeline

/// Numbers and timestamps, and the numbers of the previous process.
struct RecordNumberingTests {
    private let stream: StreamID
    private let clock = WallClock(
        bootID: "5b1f", unixMillisecondsAtBoot: 1_788_627_000_000, isSynchronized: true)

    init() throws {
        let erg = try #require(StationID("erg-1"))
        stream = StreamID(station: erg, kind: .stroke)
    }

    private func at(_ seconds: UInt64) -> BootInstant {
        BootInstant(nanoseconds: seconds * 1_000_000_000)
    }

    @Test func limitsNumbersAheadOfTheMedium() {
        let numbering = RecordNumbering(RecorderState())
        let isNew = [numbering.announce(stream), numbering.announce(stream)]
        #expect(isNew == [true, false])
        #expect(!numbering.isReserved(stream))
        numbering.commitBegan()
        #expect(!numbering.isReserved(stream))
        numbering.commitIsDurable()
        for number in 1...RecorderState.maximumAhead {
            #expect(numbering.isReserved(stream))
            let sequence = numbering.assign(stream, at: at(number), clock: clock).sequence
            #expect(sequence == number)
        }
        #expect(!numbering.isReserved(stream))
        numbering.commitBegan()
        #expect(!numbering.isReserved(stream))
        numbering.commitIsDurable()
        #expect(numbering.isReserved(stream))
    }

    @Test func lateRecordDoesNotShiftTimestamps() {
        let numbering = RecordNumbering(RecorderState())
        let times = [10, 4, 10, 11].map { second in
            numbering.assign(stream, at: at(second), clock: clock).time.unixMilliseconds
                - clock.unixMillisecondsAtBoot
        }
        #expect(times == [10_000, 10_001, 10_002, 11_000])
    }

    @Test func epochContinuesAfterEarlierNumbers() {
        let numbering = RecordNumbering(RecorderState())
        for number in 1...3 { _ = numbering.assign(stream, at: at(UInt64(number)), clock: clock) }
        let firstNumbers = numbering.begin(epoch: "later")
        #expect(firstNumbers.map(\.stream) == [stream] && firstNumbers.map(\.next) == [4])
        #expect(numbering.epoch == "later")
        let sequence = numbering.assign(stream, at: at(4), clock: clock).sequence
        #expect(sequence == 4)
    }

    @Test func reportsSkippedNumbersOnlyWithTheNextRecord() throws {
        var state = RecorderState()
        for second in [10, 11] as [Int64] {
            _ = state.assign(.stroke, of: stream.station, unixMilliseconds: second * 1000)
        }
        state.announce(StreamID(station: stream.station, kind: .alert))
        for _ in 1...2 { state = state.recoveringNumbers(after: .powerCut(tornBytes: 0)) }
        #expect(state.positions.map(\.stream) == [stream])
        #expect(state.positions.map(\.next) == [3])

        let numbering = RecordNumbering(state)
        let declared = numbering.consumeSkipped(stream)
        let next = numbering.assign(stream, at: at(12), clock: clock).sequence
        #expect(declared == 3...next - 1)
        #expect(numbering.state.positions.map(\.next) == [next + 1])
    }

    @Test func reportsEachClockStepOnce() {
        let numbering = RecordNumbering(RecorderState())
        let boots: [Int64] = [0, 999, -4001, -4001]
        let steps = boots.map { boot in
            var set = clock
            set.unixMillisecondsAtBoot += boot
            return numbering.read(set).step
        }
        #expect(steps == [nil, nil, -5000, nil])
    }

    /// Opens copies of the ring made before, during and after a recorder, with and without high-water
    /// marks. Only a power cut skips numbers.
    @Test func distinguishesPreviousStops() async throws {
        let folder = try TemporaryFolder()
        let log = SystemLog(subsystem: "test", threshold: .error)
        let settings = RingSettings(
            path: folder.path("ring.log"), sizeBytes: 4 << 20, commitInterval: .seconds(3600),
            keepsRaw: false)
        func opened(_ name: String, knowing highWater: SequenceHighWater?) throws -> OpenedRing {
            let copy = folder.path(name)
            if FileManager.default.fileExists(atPath: settings.path) {
                try FileManager.default.copyItem(atPath: settings.path, toPath: copy)
            }
            return OpenedRing(
                try RingStorage.open(
                    copy, geometry: LogGeometry(capacity: settings.sizeBytes),
                    runtime: SystemRuntime(), log: log),
                highWater: highWater,
                bootID: SystemRuntime().wall().bootID, log: log)
        }
        #expect(try opened("none.log", knowing: nil).previousStop == .newRing)
        let recorder = try Recorder(
            gateway: #require(GatewayID("boathouse")), stations: [], settings: settings, log: log,
            runtime: SystemRuntime())
        await recorder.start(callbacks: RecorderCallbacks(recordsAvailable: {}, retain: { _, _ in }))
        await recorder.record(.configurationReloaded)
        // Wait until the file has the record.
        await recorder.durable()
        let events = StreamID(station: nil, kind: .gatewayEvent)

        let killed = try opened(
            "killed.log", knowing: SequenceHighWater(ofRing: settings.path))
        guard case .killed(let highWater, tornBytes: 0) = killed.previousStop else {
            Issue.record("\(killed.previousStop)")
            return
        }
        #expect(highWater.upcoming(events) == 2 && killed.state.upcoming(events) == 2)
        let cut = try opened("cut.log", knowing: nil)
        #expect(cut.previousStop == .powerCut(tornBytes: 0))
        #expect(cut.state.upcoming(events) == 2 + RecorderState.maximumAhead)
        await recorder.stop()
        let closed = try opened("closed.log", knowing: nil)
        #expect(closed.previousStop == .inOrder && closed.previousStop.declaration == nil)
        #expect(closed.state.upcoming(events) == 2)
    }
}
