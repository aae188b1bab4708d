/// A part of a lap without a clock stop or a jump in time, so that points can be interpolated.
package struct TrackSegment: Equatable, Sendable {
    /// A moment with known distance.
    struct Node: Equatable, Sendable {
        /// Unix milliseconds.
        var at: Double
        /// Metres of work since the session began.
        var distance: Double
        var stroke: ExportedSession.Stroke?
        /// Whether the time before it is unknown.
        var isGap: Bool
    }

    /// A track point.
    package struct Point: Equatable, Sendable {
        /// The step of the segment that ends here.
        package var step: Int
        /// Unix milliseconds.
        package var at: Double
        /// Metres of work since the session began.
        package var distance: Double
        /// The stroke in progress; nil at a start.
        package var stroke: ExportedSession.Stroke?
    }

    /// Ordered by strictly increasing time; at least one.
    private var nodes: [Node]
    /// Whether it begins at the moment at which the previous one ends.
    let continues: Bool

    init(from at: Double, distance: Double, continues: Bool) {
        nodes = [Node(at: at, distance: distance, isGap: false)]
        self.continues = continues
    }

    var start: Double { nodes[0].at }
    var end: Double { nodes[nodes.count - 1].at }

    mutating func add(_ node: Node) {
        let last = nodes.count - 1
        if node.at > nodes[last].at {
            nodes.append(node)
        } else if last > 0 {
            // No time lies between the two; the later node has the whole distance.
            nodes[last].distance = node.distance
        }
    }

    /// Divides the segment into steps of equal time. Returns its start, unless the previous segment ended
    /// there, and the end of each step outside of gaps.
    func points(_ steps: Int) -> [Point] {
        var found: [Point] = []
        if !continues { found.append(Point(step: 0, at: start, distance: nodes[0].distance)) }
        guard steps > 0, nodes.count > 1 else { return found }
        var (step, next) = (1, 1)
        while step <= steps {
            let at = step == steps ? end : start + (end - start) * Double(step) / Double(steps)
            while next < nodes.count - 1, nodes[next].at < at { next += 1 }
            let (before, after) = (nodes[next - 1], nodes[next])
            if after.isGap, step < steps, at < after.at {
                let share = (after.at - start) / (end - start)
                step = max(step + 1, min(steps, Int((share * Double(steps)).rounded(.up))))
                continue
            }
            let part = min(1, (at - before.at) / (after.at - before.at))
            found.append(
                Point(
                    step: step, at: at,
                    distance: before.distance + part * (after.distance - before.distance),
                    stroke: after.stroke))
            step += 1
        }
        return found
    }
}
