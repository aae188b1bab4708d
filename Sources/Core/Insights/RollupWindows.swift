import PM5Codec
import Rowing
import Timeline

/// Groups the strokes of an erg by the minute of its session's work, and by the interval.
///
/// The following strokes close a rollup, not a clock: the same strokes give the same rollups,
/// however late they arrive. Without rowing there is no rollup.
package struct RollupWindows: Sendable {
    /// The curve of a stroke may arrive after the next stroke, but not after this many; the same
    /// limit holds for curves before their stroke.
    static let maximumCurveDelayInStrokes = 3

    private var minutes = Window(.minute)
    private var intervals = Window(.interval)
    /// Whether the open session has intervals.
    private var hasIntervals = false
    private var lastStroke = 0
    /// A curve is complete at the end of its drive, a stroke at the end of its recovery.
    private var early: [ForceCurve] = []

    package init() {}

    /// Continues a session that another process left open, or none.
    package mutating func resume(_ session: SessionTransition?) {
        hasIntervals = session?.workout.type.isInterval ?? false
    }

    /// Handles an event of the erg.
    package mutating func handle(_ event: SessionEvent, into rollups: inout [Rollup]) {
        switch event {
        case .session(let transition):
            hasIntervals = transition.workout.type.isInterval
            guard transition.kind == .started || transition.kind == .ended else { return }
            minutes.end(into: &rollups)
            intervals.end(into: &rollups)
            (lastStroke, early) = (0, [])
        case .stroke(let stroke):
            minutes.add(stroke, to: stroke.minute, into: &rollups)
            if hasIntervals, let interval = stroke.interval {
                intervals.add(stroke, to: interval, into: &rollups)
            }
            lastStroke = stroke.number
            for curve in early where curve.stroke <= lastStroke { add(curve) }
            early.removeAll { $0.stroke <= lastStroke }
        case .force(let curve) where curve.stroke > lastStroke:
            if early.count == Self.maximumCurveDelayInStrokes { early.removeFirst() }
            early.append(curve)
        case .force(let curve): add(curve)
        case .split, .summary, .gap, .state: break
        }
    }

    private mutating func add(_ curve: ForceCurve) {
        minutes.add(curve)
        intervals.add(curve)
    }

    /// One kind of rollup: the growing one, and the one before, whose last curves may still arrive.
    private struct Window: Sendable {
        let span: Rollup.Span
        var last: Rollup?
        var growing: Rollup?
        /// The last stroke before `growing`.
        var before = 0

        init(_ span: Rollup.Span) { self.span = span }

        mutating func add(_ stroke: Stroke, to number: Int, into rollups: inout [Rollup]) {
            if let growing, growing.number != number || growing.session != stroke.session {
                if let last { rollups.append(last) }
                (last, before) = (growing, growing.strokes.upperBound)
                self.growing = nil
            }
            if growing == nil {
                growing = Rollup(
                    span, number, from: stroke, follows: stroke.number == before + 1)
            } else {
                growing?.add(stroke)
            }
            if let last, stroke.number >= last.strokes.upperBound + RollupWindows.maximumCurveDelayInStrokes {
                rollups.append(last)
                self.last = nil
            }
        }

        mutating func add(_ curve: ForceCurve) {
            if growing?.has(curve) == true { growing?.add(curve) }
            if last?.has(curve) == true { last?.add(curve) }
        }

        mutating func end(into rollups: inout [Rollup]) {
            if let last { rollups.append(last) }
            if let growing { rollups.append(growing) }
            (last, growing, before) = (nil, nil, 0)
        }
    }
}

extension Rollup {
    fileprivate func has(_ curve: ForceCurve) -> Bool {
        curve.session == session && strokes.contains(curve.stroke)
    }
}

extension Stroke {
    /// 1-based minute of the session's work in which the stroke was completed; 60 s belongs to the
    /// first.
    fileprivate var minute: Int { Int(max(0, elapsed.wholeMilliseconds - 1) / 60_000) + 1 }
}
