/// What a session was set to, and how much of each part of it was rowed.
///
/// Of what a monitor tells of a workout: pieces over a distance or a time, and intervals of these. What
/// counts calories, and what was set to nothing, is none.
package struct RowedWorkout: Equatable, Sendable {
    package enum Extent: Hashable, Sendable {
        case metres(Int)
        case seconds(Int)
    }

    /// A piece, or one of its intervals.
    package struct Part: Equatable, Sendable {
        package var extent: Extent
        /// Seconds of the rest behind it; nil of one without end.
        package var restSeconds: Int?
        package var rowed: RowedPoint

        package init(_ extent: Extent, restSeconds: Int? = 0, rowed: RowedPoint) {
            (self.extent, self.restSeconds, self.rowed) = (extent, restSeconds, rowed)
        }
    }

    /// In order; never empty.
    package let parts: [Part]
    package let isIntervals: Bool
    /// Whether all that was set was rowed.
    package let isComplete: Bool
    /// Of the strokes that were held against a target, thousandths that were in every band; nil without
    /// a target.
    package let inTarget: Int?
    /// As it stands on a whiteboard, without targets: `4x500m/1:00r`, `30:00`.
    package let row: String

    package init(
        _ parts: [Part], isIntervals: Bool, isComplete: Bool = true, inTarget: Int? = nil
    ) {
        self.parts = parts
        self.isIntervals = isIntervals
        self.isComplete = isComplete
        self.inTarget = inTarget
        row = Self.row(of: parts, isIntervals: isIntervals)
    }

    /// The rest behind the last interval is the workout's end: it is written as the one before it.
    private static func row(of parts: [Part], isIntervals: Bool) -> String {
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

extension RowedWorkout.Extent {
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
    /// `/1:00r`; without end `/r`.
    fileprivate var restText: String {
        map { "/\(RowedWorkout.Extent.clock($0))r" } ?? "/r"
    }
}
