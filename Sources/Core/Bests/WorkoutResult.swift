/// A preset workout and the result of each part.
///
/// Only pieces over a distance or a time, and intervals of these. Workouts that count calories, and
/// sessions without a preset, have none.
package struct WorkoutResult: Equatable, Sendable {
    package enum Extent: Hashable, Sendable {
        case metres(Int)
        case seconds(Int)
    }

    /// A piece, or one of its intervals.
    package struct Part: Equatable, Sendable {
        package var extent: Extent
        /// Seconds of rest after it; nil if the rest has no set end.
        package var restSeconds: Int?
        package var result: WorkPoint

        package init(_ extent: Extent, restSeconds: Int? = 0, result: WorkPoint) {
            (self.extent, self.restSeconds, self.result) = (extent, restSeconds, result)
        }
    }

    /// In order; never empty.
    package let parts: [Part]
    package let isIntervals: Bool
    /// Whether the whole workout was completed.
    package let isComplete: Bool
    /// Share of the evaluated strokes that met all targets, in thousandths; nil without a target.
    package let inTarget: Int?
    /// The workout in notation, without targets: `4x500m/1:00r`, `30:00`.
    package let notation: String

    package init(
        _ parts: [Part], isIntervals: Bool, isComplete: Bool = true, inTarget: Int? = nil
    ) {
        self.parts = parts
        self.isIntervals = isIntervals
        self.isComplete = isComplete
        self.inTarget = inTarget
        notation = Self.notation(of: parts, isIntervals: isIntervals)
    }

    /// The rest after the last interval is the end of the workout: it is written like the rest before it.
    private static func notation(of parts: [Part], isIntervals: Bool) -> String {
        guard isIntervals else { return parts.first.map { $0.extent.text } ?? "" }
        let last = parts.count - 1
        let texts = parts.indices.map { index in
            let rest = parts[index == last && last > 0 ? last - 1 : index].restSeconds
            return parts[index].extent.text + rest.restText
        }
        if let first = texts.first, texts.allSatisfy({ $0 == first }) {
            return "\(texts.count)x\(first)"
        }
        return texts.joined(separator: "+")
    }
}

extension WorkoutResult.Extent {
    /// `500m`, `30:00`.
    package var text: String {
        switch self {
        case .metres(let metres): "\(metres)m"
        case .seconds(let seconds): Self.clock(seconds)
        }
    }

    /// `2:00`, `1:30:00`.
    package static func clock(_ seconds: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, rest) = seconds.quotientAndRemainder(dividingBy: 3600)
        let (minutes, last) = rest.quotientAndRemainder(dividingBy: 60)
        return hours > 0
            ? "\(hours):\(two(minutes)):\(two(last))" : "\(minutes):\(two(last))"
    }
}

extension Int? {
    /// `/1:00r`; `/r` for a rest without a set end.
    fileprivate var restText: String {
        map { "/\(WorkoutResult.Extent.clock($0))r" } ?? "/r"
    }
}
