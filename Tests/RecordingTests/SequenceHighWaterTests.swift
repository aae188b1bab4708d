import Contract
import Foundation
import RingLog
import TestSupport
import Testing

@testable import Recording

/// The numbers that a killed process leaves.
@Suite struct SequenceHighWaterTests {
    private let folder: TemporaryFolder
    private let erg = StationID("erg-1")

    init() throws {
        folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path("ring.log")))
    }

    private func highWater() throws -> SequenceHighWater {
        try #require(SequenceHighWater(ofRing: folder.path("ring.log")))
    }

    private func state(_ stations: Int, strokes: Int = 0) -> RecorderState {
        var state = RecorderState()
        (state.epoch, state.bootID) = ("01HF0000000000000000000000", "5b1f")
        for number in 0..<stations {
            let place = number == 0 ? nil : StationID("erg-\(number)")
            state.stationStates[place] = .init()
            for kind in StreamKind.all(of: place) {
                state.announce(StreamID(station: place, kind: kind))
            }
        }
        for _ in 0..<strokes { _ = state.assign(.stroke, of: erg, unixMilliseconds: 0) }
        return state
    }

    /// The state that the next process reads.
    private func found() throws -> RecorderState? { try highWater().read(bootID: "5b1f") }

    @Test func readsTheLastWrite() throws {
        let highWater = try highWater()
        defer { highWater.remove() }
        #expect(try found() == nil)
        var other = state(1)
        other.epoch = "01HF0000000000000000000001"
        for state in [state(3), state(3, strokes: 2), state(9, strokes: 4), state(1), other] {
            highWater.write(state)
            let read = try #require(try found())
            #expect(read.epoch == state.epoch && read.bootID == state.bootID)
            #expect(read.announcedStreams.count == state.announcedStreams.count)
            for stream in state.announcedStreams {
                #expect(read.upcoming(stream) == state.upcoming(stream), "\(stream)")
            }
        }
        #expect(highWater.read(bootID: "5b20") == nil)
    }

    @Test func storesSkippedAndAcknowledgedNumbers() throws {
        let highWater = try highWater()
        defer { highWater.remove() }
        var state = state(2, strokes: 5)
        state.acknowledge(3, .stroke, of: erg)
        state = state.recoveringNumbers(after: .powerCut(tornBytes: 0))
        highWater.write(state)
        let stroke = StreamID(station: erg, kind: .stroke)
        #expect(try found()?.upcoming(stroke) == 6 + RecorderState.maximumAhead)
        #expect(try found()?.lastAcknowledged[stroke] == 3)
    }

    /// Restores the first 8 bytes, which name the valid table, after another table was written.
    @Test func ignoresAnIncompleteTable() throws {
        let highWater = try highWater()
        defer { highWater.remove() }
        highWater.write(state(2, strokes: 7))
        let file = try #require(BootFile("numbers", ofRing: folder.path("ring.log")))
        var name = UInt64(0)
        #expect(pread(file.descriptor, &name, 8, 0) == 8)
        highWater.write(state(9, strokes: 8))
        #expect(pwrite(file.descriptor, &name, 8, 0) == 8)
        #expect(try found()?.upcoming(StreamID(station: erg, kind: .stroke)) == 8)
    }

    /// More stations than fit, and the bytes of an earlier version.
    @Test func refusesInvalidTables() throws {
        let highWater = try highWater()
        defer { highWater.remove() }
        highWater.write(state(3))
        highWater.write(state(97))
        #expect(try found() == nil)
        highWater.write(state(96))
        #expect(try found()?.stationStates.count == 96)

        let file = try #require(BootFile("numbers", ofRing: folder.path("ring.log")))
        let earlier = state(9).encode()
        #expect(pwrite(file.descriptor, earlier, earlier.count, 0) == earlier.count)
        #expect(try found() == nil)
    }
}
