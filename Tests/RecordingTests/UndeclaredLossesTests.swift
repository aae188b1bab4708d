import Contract
import RingLog
import Testing

@testable import Recording

struct LossLedgerTests {
    private let strokes = StreamID(station: StationID("erg-1"), kind: .stroke)
    private let splits = StreamID(station: StationID("erg-1"), kind: .split)

    private func range(_ start: UInt64) -> Range<LogPosition> {
        LogPosition(rawValue: start)..<LogPosition(rawValue: start + 100)
    }

    /// Goal: damage is declared by the numbers that did not come, once, and only for streams that
    /// lack some.
    @Test func damageShowsInTheNumbers() {
        var ledger = UndeclaredLosses()
        ledger.metDamage(range(4096), last: [strokes: 7, splits: 2])
        ledger.read(splits, 3)
        ledger.read(strokes, 11)
        ledger.read(strokes, 12)
        ledger.metDamage(range(4096), last: [strokes: 7, splits: 2])
        ledger.read(strokes, 11)
        let declared = ledger.take()
        #expect(declared.map(\.loss.stream) == [strokes])
        #expect(declared.map(\.loss.reason) == [.unreadable])
        #expect(declared.map(\.sequences) == [8...10])
        #expect(ledger.take().isEmpty && ledger.total == 3)
    }

    /// Goal: what was lost before the end of the log shows there, against what was given out.
    @Test func damageAtTheEnd() {
        var ledger = UndeclaredLosses()
        ledger.metDamage(range(4096), last: [strokes: 7, splits: 2])
        ledger.reachedEnd { $0 == strokes ? 10 : 3 }
        #expect(ledger.take().map(\.sequences) == [8...9])
        ledger.reachedEnd { _ in 100 }
        #expect(ledger.take().isEmpty)
    }
}
