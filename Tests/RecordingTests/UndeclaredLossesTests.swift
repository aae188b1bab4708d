import Contract
import RingLog
import Testing

@testable import Recording

struct UndeclaredLossesTests {
    private let strokes = StreamID(station: StationID("erg-1"), kind: .stroke)
    private let splits = StreamID(station: StationID("erg-1"), kind: .split)

    private func range(_ start: UInt64) -> Range<LogPosition> {
        LogPosition(rawValue: start)..<LogPosition(rawValue: start + 100)
    }

    @Test func declaresMissingNumbersOnce() {
        var losses = UndeclaredLosses()
        losses.noteDamage(range(4096), last: [strokes: 7, splits: 2])
        losses.read(splits, 3)
        losses.read(strokes, 11)
        losses.read(strokes, 12)
        losses.noteDamage(range(4096), last: [strokes: 7, splits: 2])
        losses.read(strokes, 11)
        let declared = losses.drain()
        #expect(declared.map(\.loss.stream) == [strokes])
        #expect(declared.map(\.loss.reason) == [.unreadable])
        #expect(declared.map(\.sequences) == [8...10])
        #expect(losses.drain().isEmpty && losses.total == 3)
    }

    @Test func declaresNumbersMissingAtTheEnd() {
        var losses = UndeclaredLosses()
        losses.noteDamage(range(4096), last: [strokes: 7, splits: 2])
        losses.reachedEnd { $0 == strokes ? 10 : 3 }
        #expect(losses.drain().map(\.sequences) == [8...9])
        losses.reachedEnd { _ in 100 }
        #expect(losses.drain().isEmpty)
    }
}
