/// A part of a lap in which the clock neither stopped nor was stopped: what lies between its points is
/// known.
package struct Stretch: Equatable, Sendable {
    /// A moment at which the distance is known.
    struct Node: Equatable, Sendable {
        /// Unix milliseconds.
        var at: Double
        /// Metres of work since the session began.
        var distance: Double
        var stroke: RowedSession.Stroke?
        /// Whether nothing is known of what lies before it.
        var isGap: Bool
    }

    /// A point of a track.
    package struct Point: Equatable, Sendable {
        /// Which step of the stretch it is the end of.
        package var step: Int
        /// Unix milliseconds.
        package var at: Double
        /// Metres of work since the session began.
        package var distance: Double
        /// The stroke that was under way; nil at a start.
        package var stroke: RowedSession.Stroke?
    }

    /// In order of time, no two at once; at least one.
    private var nodes: [Node]
    /// Whether it begins at the moment at which the one before it ends.
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
            // No time lies between the two; the later one has the whole distance.
            nodes[last].distance = node.distance
        }
    }

    /// The stretch in steps of equal time: its start, unless the stretch before ended there, and the end
    /// of each step, but for those within a gap.
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
