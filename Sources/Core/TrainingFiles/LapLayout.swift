import Bytes

/// Places the laps of a session in time.
///
/// A split record contains the length of the work and the time of publication; a stroke is published up to
/// 6 s late. The monitor's clock, `elapsed_s`, is exact, but stops in rests and in pauses of a just row. So
/// strokes are grouped into runs in which the clock does not stop. The stroke with the least delay defines
/// the start of a run.
struct LapLayout {
    /// A point within the work: seconds and metres since the start of the session.
    private struct Edge {
        var elapsed = 0.0
        var distance = 0.0
    }

    /// Maximum laps that fill a gap in the split numbers.
    private static let mostMissing = 100
    /// Longer sessions get no interpolated points: seconds of work.
    private static let longestSession = 172_800.0

    private(set) var laps: [ExportedSession.Lap] = []
    /// Whether there were no splits, so that the only lap is the session.
    private(set) var isWhole = false
    private let isIntervals: Bool
    private let isOver: Bool
    private let total: Edge
    /// For each lap: whether its distance is truncated, and when it was published.
    private var isTruncated: [Bool] = []
    private var publishedAt: [Int64?] = []

    /// - Parameters:
    ///   - splits: split or interval records in any order; of two with the same number the last is valid.
    ///   - isTruncated: whether the distances of a single piece's splits are truncated.
    ///   - duration, distance: of all the work.
    ///   - isOver: whether they come from a summary and not from the last stroke.
    init(
        _ splits: [JSONObject], isIntervals: Bool, isTruncated: Bool, duration: Double,
        distance: Double, isOver: Bool
    ) {
        self.isIntervals = isIntervals
        self.isOver = isOver
        total = Edge(elapsed: duration, distance: distance)
        addLaps(splits, isTruncated)
        addRemainder()
        guard laps.isEmpty else { return }
        isWhole = true
        add(ExportedSession.Lap(duration: duration, distance: distance))
    }

    private mutating func add(
        _ lap: ExportedSession.Lap, isTruncated: Bool = false, publishedAt: Int64? = nil
    ) {
        laps.append(lap)
        self.isTruncated.append(isTruncated)
        self.publishedAt.append(publishedAt)
    }

    private mutating func addLaps(_ splits: [JSONObject], _ isTruncated: Bool) {
        var known: [Int: JSONObject] = [:]
        for (index, split) in splits.enumerated()
        where split.length("duration_s") != nil && split.length("distance_m") != nil {
            known[split.whole("split") ?? index + 1] = split
        }
        let sum = known.values.reduce(Edge()) { sum, split in
            Edge(
                elapsed: sum.elapsed + (split.length("duration_s") ?? 0),
                distance: sum.distance + (split.length("distance_m") ?? 0))
        }
        let numbers = known.keys.sorted()
        let missing = max(0, (numbers.last ?? 0) - numbers.count)
        let share = 1 / Double(max(1, missing))
        let (time, metres) = (total.elapsed - sum.elapsed, total.distance - sum.distance)
        var next = 1
        for number in numbers {
            // The total of splits that were not received is known.
            if missing <= Self.mostMissing, time >= 0, metres >= 0 {
                for _ in next..<max(next, number) {
                    add(ExportedSession.Lap(duration: time * share, distance: metres * share))
                }
            }
            next = number + 1
            if let split = known[number] { add(split, isTruncated) }
        }
    }

    private mutating func add(_ split: JSONObject, _ isTruncated: Bool) {
        var lap = ExportedSession.Lap(
            duration: split.length("duration_s") ?? 0, distance: split.length("distance_m") ?? 0)
        lap.calories = split.whole("calories_kcal")
        lap.watts = split.whole("avg_power_w")
        lap.strokesPerMinute = split.whole("avg_stroke_rate_spm")
        lap.averageHeartRate = split.whole("avg_heart_rate_bpm")
        // Measured at the end of the work.
        lap.greatestHeartRate = split.whole("work_heart_rate_bpm")
        lap.rest = split.length("rest_s") ?? 0
        let isDistance = split.text("type")?.hasPrefix("distance") ?? true
        add(
            lap, isTruncated: isIntervals ? !isDistance : isTruncated,
            publishedAt: split.moment("ts_ms"))
    }

    /// Adds a lap for the work after the last received split.
    private mutating func addRemainder() {
        guard !laps.isEmpty else { return }
        let sum = laps.reduce(Edge()) {
            Edge(elapsed: $0.elapsed + $1.duration, distance: $0.distance + $1.distance)
        }
        let (time, metres) = (total.elapsed - sum.elapsed, total.distance - sum.distance)
        guard time > Double(laps.count) / 10 + 1, metres > Double(laps.count) + 1 else { return }
        add(ExportedSession.Lap(duration: time, distance: metres))
    }

    // MARK: - Clock

    /// Places the laps; neither time nor distance of `strokes` decreases.
    mutating func place(_ strokes: [ExportedSession.Stroke], startedAt: Int64) {
        let owners = owners(of: strokes)
        let (edges, correction) = edges(strokes, owners)
        var clock = RunClock(
            strokes, owners, isIntervals: isIntervals, startedAt: Double(startedAt))
        clock.interpolates = total.elapsed <= Self.longestSession
        var (end, run): (Double?, Int) = (nil, 0)
        for index in laps.indices {
            let (from, to) = (edges[index], edges[index + 1])
            let inside = strokes.range(after: from.elapsed, before: to.elapsed)
                .clamped(to: isIntervals ? owners.range(of: index) : 0..<strokes.count)
            addStrokeValues(index, strokes[owners.range(of: index)].filter { $0.elapsed <= to.elapsed })
            var nodes = [
                RunClock.Node(
                    run: run, elapsed: from.elapsed, distance: from.distance,
                    number: inside.lowerBound > 0 ? strokes[inside.lowerBound - 1].number : 0)
            ]
            nodes += inside.map { place in
                RunClock.Node(
                    run: clock.runs[place], elapsed: strokes[place].elapsed,
                    distance: min(
                        max(correction.applied(to: strokes[place].distance), from.distance),
                        to.distance),
                    number: strokes[place].number, stroke: strokes[place])
            }
            var finish = RunClock.Node(
                run: run, elapsed: to.elapsed, distance: to.distance, number: nodes.last?.number)
            // The stroke in progress at the end.
            let next = inside.upperBound
            let isOwn = next < strokes.count && (!isIntervals || owners[next] == index)
            finish.stroke = isOwn ? strokes[next] : inside.last.map { strokes[$0] }
            finish.isSparse = inside.isEmpty && !isOwn
            if isIntervals {
                nodes[0].run = intervalRun(index, inside, owners, to.elapsed, end, &clock)
                finish.run = inside.last.map { clock.runs[$0] } ?? nodes[0].run
            } else {
                if index == 0 { nodes[0].run = clock.runs.first ?? 0 }
                finish.run = clock.run(
                    of: next, at: to.elapsed, publishedAt: publishedAt[index],
                    behind: nodes.last?.run ?? run)
            }
            run = finish.run
            nodes.append(finish)
            let rest = index > 0 ? laps[index - 1].rest : 0
            laps[index].segments = clock.segments(nodes, behind: &end, snaps: rest == 0)
            laps[index].startedAt = (laps[index].segments.first?.start ?? 0).whole
            laps[index].endedAt = (end ?? 0).whole
        }
    }

    /// Returns the run in which an interval begins.
    private func intervalRun(
        _ index: Int, _ inside: Range<Int>, _ owners: [Int], _ elapsed: Double, _ end: Double?,
        _ clock: inout RunClock
    ) -> Int {
        // The split is published after its rest.
        let zero = publishedAt[index].map { Double($0) - (laps[index].rest + elapsed) * 1000 }
        if let last = inside.last {
            if let zero { clock.bound(clock.runs[last], by: zero) }
            return clock.runs[inside.lowerBound]
        }
        if index == 0 { return clock.runs.first ?? 0 }
        let rest = laps[index - 1].rest * 1000
        let begin = (elapsed - laps[index].duration) * 1000
        return clock.addRun(from: zero ?? (end ?? 0) + rest - begin)
    }

    /// Returns the lap of each stroke.
    private func owners(of strokes: [ExportedSession.Stroke]) -> [Int] {
        var (lap, sum) = (0, Edge())
        if let first = laps.first { sum = Edge(elapsed: first.duration, distance: first.distance) }
        return strokes.map { stroke in
            if isIntervals, let interval = stroke.interval, interval > 0 {
                lap = max(lap, min(interval, laps.count) - 1)
                return lap
            }
            while lap + 1 < laps.count,
                isTruncated[lap] || isIntervals
                    ? stroke.elapsed > sum.elapsed + 0.1 : stroke.distance > sum.distance
            {
                lap += 1
                sum.elapsed += laps[lap].duration
                sum.distance += laps[lap].distance
            }
            return lap
        }
    }

    /// Lengthens the distances after the leading exact laps, to correct the monitor's truncation in the
    /// others.
    private struct Correction {
        /// Metres up to which distances are exact.
        var exact = 0.0
        var scale = 1.0

        func applied(to distance: Double) -> Double {
            distance <= exact ? distance : exact + (distance - exact) * scale
        }
    }

    /// Returns the begin of each lap and the end of the last one, with the correction of distances.
    private func edges(
        _ strokes: [ExportedSession.Stroke], _ owners: [Int]
    ) -> ([Edge], Correction) {
        var edges = [Edge()]
        for (index, lap) in laps.enumerated() {
            let next = owners.range(of: index).upperBound
            var edge = edges[index]
            edge.elapsed += lap.duration
            edge.distance += lap.distance
            let isLast = index + 1 == laps.count && isOver && isTotal(edge)
            if isLast, !isIntervals || !isTruncated.contains(true) {
                edges.append(total)
                continue
            }
            refine(&edge, isTruncated[index], strokes, next)
            if next > 0 {
                edge.elapsed = max(edge.elapsed, strokes[next - 1].elapsed)
                edge.distance = max(edge.distance, strokes[next - 1].distance)
            }
            if next < strokes.count {
                edge.elapsed = min(edge.elapsed, strokes[next].elapsed)
                edge.distance = min(edge.distance, strokes[next].distance)
            }
            edge.elapsed = max(edge.elapsed, edges[index].elapsed)
            edge.distance = max(edge.distance, edges[index].distance)
            edges.append(edge)
            let exact = edges[isTruncated.firstIndex(of: true) ?? 0].distance
            guard isLast, edge.distance > exact else { continue }
            let correction = Correction(
                exact: exact, scale: (total.distance - exact) / (edge.distance - exact))
            edges[index + 1].elapsed = max(total.elapsed, edges[index].elapsed)
            for place in edges.indices {
                edges[place].distance = correction.applied(to: edges[place].distance)
            }
            return (edges, correction)
        }
        return (edges, Correction())
    }

    /// Whether the difference to the session's end is within the truncation of the splits.
    private func isTotal(_ edge: Edge) -> Bool {
        abs(edge.elapsed - total.elapsed) <= Double(laps.count) / 10 + 1
            && abs(edge.distance - total.distance) <= Double(laps.count) + 1
    }

    /// Restores the truncated part of a lap's length, as far as the strokes around its end show it.
    private func refine(
        _ edge: inout Edge, _ isTruncated: Bool, _ strokes: [ExportedSession.Stroke], _ next: Int
    ) {
        // In intervals the stroke after the end belongs to another interval. Extrapolation after the last
        // stroke is not exact to a tenth of a second.
        if isIntervals, !isTruncated { return }
        let (first, last) = isIntervals ? (next - 2, next - 1) : (next - 1, next)
        guard first >= 0, last < strokes.count else { return }
        let (one, other) = (strokes[first], strokes[last])
        guard other.elapsed > one.elapsed, other.distance > one.distance else { return }
        let speed = (other.distance - one.distance) / (other.elapsed - one.elapsed)
        if isTruncated {
            let distance = one.distance + (edge.elapsed - one.elapsed) * speed
            edge.distance = min(max(distance, edge.distance), edge.distance + 1)
        } else {
            let elapsed = one.elapsed + (edge.distance - one.distance) / speed
            edge.elapsed = min(max(elapsed, edge.elapsed), edge.elapsed + 0.1)
        }
    }

    /// Adds values from a lap's strokes that its split does not contain.
    private mutating func addStrokeValues(_ index: Int, _ strokes: [ExportedSession.Stroke]) {
        let beats = strokes.compactMap(\.heartRate).filter(ExportedSession.heartRates.contains)
        laps[index].greatestWatts = strokes.compactMap(\.watts).max()
        laps[index].greatestHeartRate =
            ([laps[index].greatestHeartRate].compactMap(\.self) + beats).max()
        if laps[index].averageHeartRate == nil, !beats.isEmpty {
            let mean = Double(beats.reduce(0, +)) / Double(beats.count)
            laps[index].averageHeartRate = Int(mean.rounded())
        }
    }
}

/// The runs of the monitor's clock. Each run counts from the moment at which the clock would have shown 0.
struct RunClock {
    /// A point in a lap with known time and distance.
    struct Node {
        var run: Int
        /// Seconds and metres of work.
        var elapsed: Double
        var distance: Double
        /// Number of the last stroke up to here; nil if unknown.
        var number: Int?
        /// The stroke up to here.
        var stroke: ExportedSession.Stroke?
        /// Whether no stroke covers the time before it.
        var isSparse = false
    }

    /// If the clock falls this far behind between two strokes, it was stopped: milliseconds. A stroke may
    /// be published that late.
    private static let stopMilliseconds = 6000.0
    /// Maximum offset between the session's start and the first run that begins with it: milliseconds.
    private static let startMilliseconds = 3000.0
    /// Strokes further apart get no points between them: seconds.
    private static let longestStroke = 15.0

    /// Run number of each stroke.
    private(set) var runs: [Int] = []
    /// Unix milliseconds at which each run's clock would show 0.
    private var zeros: [Double] = []
    /// Whether points may lie between strokes.
    var interpolates = true

    init(
        _ strokes: [ExportedSession.Stroke], _ owners: [Int], isIntervals: Bool, startedAt: Double
    ) {
        for (index, stroke) in strokes.enumerated() {
            let zero = Double(stroke.at) - stroke.elapsed * 1000
            let isNew =
                index == 0 || (isIntervals && owners[index] != owners[index - 1])
                || Self.stops(strokes[index - 1], stroke)
            if isNew { zeros.append(zero) }
            runs.append(zeros.count - 1)
            // Uses the stroke that was published with the least delay.
            zeros[zeros.count - 1] = min(zeros[zeros.count - 1], zero)
        }
        if zeros.isEmpty { zeros = [startedAt] }
        if abs(zeros[0] - startedAt) <= Self.startMilliseconds { zeros[0] = startedAt }
    }

    private static func stops(
        _ one: ExportedSession.Stroke, _ other: ExportedSession.Stroke
    ) -> Bool {
        let passed = Double(other.at - one.at)
        return passed - (other.elapsed - one.elapsed) * 1000 >= stopMilliseconds
    }

    /// Adds a run without strokes.
    mutating func addRun(from zero: Double) -> Int {
        zeros.append(zero)
        return zeros.count - 1
    }

    /// Limits the start of a run. Smaller differences are due to truncated splits and ignored.
    mutating func bound(_ run: Int, by zero: Double) {
        if zeros[run] - zero > 100 { zeros[run] = zero }
    }

    /// Returns the run in which a split of a single piece ended. It is the run of the next stroke. If the
    /// clock stopped before that stroke, and the split was published before the stop, it is the previous
    /// run.
    func run(of next: Int, at elapsed: Double, publishedAt: Int64?, behind run: Int) -> Int {
        guard next < runs.count else { return runs.last ?? run }
        let found = runs[next]
        guard found != run, let publishedAt else { return found }
        let at = zeros[found] + elapsed * 1000
        return Double(publishedAt) < at - Self.startMilliseconds ? run : found
    }

    /// Places the nodes of a lap in time, none before `end`; `end` becomes the lap's end.
    ///
    /// - Parameter snaps: whether the lap starts at the previous lap's end if they are within a second.
    mutating func segments(
        _ nodes: [Node], behind end: inout Double?, snaps: Bool
    ) -> [TrackSegment] {
        guard let first = nodes.first else { return [] }
        var found: [TrackSegment] = []
        var open = begin(first, behind: end, snaps: snaps)
        for (before, node) in zip(nodes, nodes.dropFirst()) {
            if node.run != before.run {
                found.append(open)
                end = open.end
                var restarted = before
                restarted.run = node.run
                open = begin(restarted, behind: end, snaps: false)
            }
            open.add(
                TrackSegment.Node(
                    at: zeros[node.run] + node.elapsed * 1000, distance: node.distance,
                    stroke: node.stroke, isGap: isGap(before, node)))
        }
        end = open.end
        return found + [open]
    }

    private mutating func begin(_ node: Node, behind end: Double?, snaps: Bool) -> TrackSegment {
        var at = zeros[node.run] + node.elapsed * 1000
        if let end, at < end || (snaps && at - end < 1000) {
            zeros[node.run] += end - at
            at = end
        }
        return TrackSegment(from: at, distance: node.distance, continues: at == end)
    }

    private func isGap(_ one: Node, _ other: Node) -> Bool {
        if !interpolates || other.isSparse { return true }
        if other.elapsed - one.elapsed > Self.longestStroke { return true }
        guard let before = one.number, let after = other.number else { return false }
        return after - before > 1
    }
}

extension [ExportedSession.Stroke] {
    /// The strokes that end between these seconds of work.
    fileprivate func range(after start: Double, before end: Double) -> Range<Int> {
        let low = partition { $0.elapsed > start }
        return low..<Swift.max(low, partition { $0.elapsed >= end })
    }
}

extension [Int] {
    /// The range of a number in an ascending list.
    fileprivate func range(of number: Int) -> Range<Int> {
        partition { $0 >= number }..<partition { $0 > number }
    }
}

extension Array {
    /// Returns the first index from which the predicate holds for all elements; no element before it
    /// satisfies it.
    fileprivate func partition(where isSuch: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isSuch(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
