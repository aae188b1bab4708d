import Bests
import Bytes

/// The time rowed at each value of one stroke metric, watts or heart rate. It is small; the strokes are
/// many.
package struct StrokeTimeHistogram: Equatable, Sendable {
    /// Ascending, each once.
    private var values: [UInt16]
    /// Hundredths of a second at each value.
    private var centiseconds: [UInt32]

    /// From the strokes whose value and time are known.
    init(_ strokes: [MeasuredStroke], at figure: (MeasuredStroke) -> Int?) {
        var found: [UInt16: UInt32] = [:]
        for stroke in strokes {
            guard let value = figure(stroke).flatMap({ UInt16(exactly: $0) }),
                let duration = stroke.centiseconds.flatMap({ UInt32(exactly: $0) })
            else { continue }
            let (sum, isTooLong) = found[value, default: 0].addingReportingOverflow(duration)
            if !isTooLong { found[value] = sum }
        }
        let sorted = found.sorted { $0.key < $1.key }
        values = sorted.map(\.key)
        centiseconds = sorted.map(\.value)
    }

    /// Hundredths of a second below the first of ascending bounds, from it to the next, and so on.
    func time(between bounds: [Int]) -> [Int64] {
        var times = [Int64](repeating: 0, count: bounds.count + 1)
        for (value, time) in zip(values, centiseconds) {
            times[bounds.prefix { Int(value) >= $0 }.count] += Int64(time)
        }
        return times
    }
}

/// The form in which a store keeps it.
extension StrokeTimeHistogram {
    mutating func code(with coder: inout ByteCoder) {
        var pairs = Array(zip(values, centiseconds).map { (UInt64($0), UInt64($1)) })
        coder.list(&pairs, blank: (0, 0)) { coder, pair in
            coder.varint(&pair.0)
            coder.varint(&pair.1)
        }
        guard coder.isReading else { return }
        (values, centiseconds) = (pairs.map { UInt16(clamping: $0.0) }, pairs.map { UInt32(clamping: $0.1) })
    }
}
