import Bytes
import Contract

/// Reads records. Sets `machine`, `isMachineRecorded`, `preset`, `isComplete`, `agreesWithMonitor`, `hasGap`, `total`, `strokes`, `runs`,
/// `rowed`, `workout` and `madeOf`, which is all that they tell.
extension RowedPiece {
    /// Kinds of records that it is read from.
    package static let kinds: [StreamKind] = [.session, .stroke, .split, .summary, .gap]

    /// In a session with more gaps no effort is looked for: each stroke is held against each of them.
    private static let mostGaps = 200

    /// Reads a session's records; nil of those that tell of no rowing.
    ///
    /// - Parameters:
    ///   - records: in their stored form, by kind and in order of their times.
    ///   - startedAt: in Unix milliseconds, where no record says when it began.
    package init?(
        _ records: [StreamKind: [[UInt8]]], of name: PieceName, startedAt: Int64
    ) {
        func fields(_ kind: StreamKind) -> [JSONObject] {
            (records[kind] ?? []).compactMap { try? JSONObject(parsing: $0) }
        }
        // Of a summary that was told again the last one is right.
        let summary = fields(.summary).last
        let sessions = fields(.session)
        let told = summary ?? sessions.first ?? .empty
        self.init(name: name, startedAt: told.number("started_ms").map(Int64.init) ?? startedAt)
        if let machine = MachineKind(recordedIn: [summary].compactMap(\.self) + sessions) {
            (self.machine, isMachineRecorded) = (machine, true)
        }
        // One after the other: parsed strokes of a session take a hundred times what is kept of them.
        let strokes = (records[.stroke] ?? []).compactMap { record in
            (try? JSONObject(parsing: record)).flatMap { $0 }.flatMap(StrokePoint.init)
        }
        .sorted { $0.number < $1.number }
        let gaps = fields(.gap)
        self.strokes = strokes.count
        isComplete = summary?["complete"] == .flag(true)
        if case .flag(let agrees)? = summary?["verified_against_pm5"] { agreesWithMonitor = agrees }
        preset = Self.preset(told)
        hasGap = !gaps.isEmpty || strokes.last.map { $0.number != strokes.count } ?? false
        let end = summary.flatMap { RowedPoint($0, "result_time_s", "distance_m") }
        guard let total = end ?? strokes.last?.point, total.centiseconds > 0 else { return nil }
        self.total = total
        let splits = told.text("session_type") == "intervals" ? fields(.split) : nil
        workout = RowedWorkout(told, fields(.split), total: total, isComplete: isComplete)
        madeOf = PieceParts(total, summary?.number("calories_kcal"), splits)
        let edges = splits.map(Self.edges) ?? [nil: (RowedPoint.start, end)]
        guard gaps.count <= Self.mostGaps else { return }
        let count = summary?.number("strokes").map { Int($0) }
        let cut = RunCutter(strokes, of: count, gaps, edges)
        (runs, rowed) = (cut.runs, cut.rowed)
    }

    /// The event that a single piece was set to.
    private static func preset(_ told: JSONObject) -> RankedEvent? {
        switch told.text("session_type") {
        case "distance": RankedEvent(metres: told.decimal("target_distance_m"), seconds: nil)
        case "time": RankedEvent(metres: nil, seconds: told.decimal("target_time_s"))
        default: nil
        }
    }

    /// Where each interval begins and ends, as far as the intervals before it are known.
    private static func edges(_ splits: [JSONObject]) -> RunCutter.Edges {
        var edges: RunCutter.Edges = [:]
        var from = RowedPoint.start
        for split in splits {
            guard split.number("split") == UInt64(edges.count + 1),
                let length = RowedPoint(split, "duration_s", "distance_m")
            else { break }
            let end = RowedPoint(
                centiseconds: from.centiseconds + length.centiseconds,
                decimetres: from.decimetres + length.decimetres)
            edges[edges.count + 1] = (from, end)
            from = end
        }
        return edges
    }
}

extension PieceParts {
    /// - Parameter intervals: the records of intervals, in any order; nil for a single piece. Of one that
    ///   was told again the last is right.
    fileprivate init(_ total: RowedPoint, _ kilocalories: UInt64?, _ intervals: [JSONObject]?) {
        guard let intervals else {
            self.init(.piece, [Part(total, kilocalories)])
            return
        }
        var parts: [UInt64: Part] = [:]
        for split in intervals {
            guard let number = split.number("split"),
                let length = RowedPoint(split, "duration_s", "distance_m")
            else { continue }
            parts[number] = Part(length, split.number("calories_kcal"))
        }
        self.init(.intervals, parts.sorted { $0.key < $1.key }.map(\.value))
    }
}

extension PieceParts.Part {
    fileprivate init(_ length: RowedPoint, _ kilocalories: UInt64?) {
        self.init(
            centiseconds: length.centiseconds, decimetres: length.decimetres,
            kilocalories: kilocalories.map { Int64($0) })
    }
}

extension RowedPoint {
    fileprivate static let start = RowedPoint(centiseconds: 0, decimetres: 0)

    /// Of two members of a record; nil where they are no figures of somebody who rows.
    init?(_ fields: JSONObject, _ seconds: String, _ metres: String) {
        let limits = 0...1e7
        guard let seconds = fields.decimal(seconds), limits.contains(seconds),
            let metres = fields.decimal(metres), limits.contains(metres)
        else { return nil }
        self.init(
            centiseconds: Int64((seconds * 100).rounded()),
            decimetres: Int64((metres * 10).rounded()))
    }
}

/// The end of a stroke.
private struct StrokePoint {
    let number: Int
    /// Unix milliseconds.
    let at: Int64
    let rowed: RowedStroke
    let point: RowedPoint

    var interval: Int? { rowed.interval }

    init?(_ fields: JSONObject) {
        guard let number = fields.number("stroke"), let at = fields.number("ts_ms"),
            let point = RowedPoint(fields, "elapsed_s", "distance_m")
        else { return nil }
        self.number = Int(number)
        self.at = Int64(at)
        self.point = point
        var rowed = RowedStroke(fields)
        rowed.at = Int64(at)
        self.rowed = rowed
    }
}

/// Cuts a session into runs of points that nothing lies between.
private struct RunCutter {
    /// Where each interval begins and ends; under nil, what has none.
    typealias Edges = [Int?: (begin: RowedPoint, end: RowedPoint?)]
    /// A clock was stopped that fell so far behind the gateway's between two strokes: milliseconds. The
    /// radio may hold a stroke back for a part of it.
    private static let stopped: Int64 = 6000

    private let gaps: [JSONObject]
    private let edges: Edges
    private(set) var runs: [[RowedPoint]] = []
    private(set) var rowed: [RowedStroke] = []

    /// - Parameter count: strokes that were published of it, where a summary says so.
    init(_ strokes: [StrokePoint], of count: Int?, _ gaps: [JSONObject], _ edges: Edges) {
        (self.gaps, self.edges) = (gaps, edges)
        var before: StrokePoint?
        for stroke in strokes {
            add(stroke, behind: before)
            keep(stroke)
            before = stroke
        }
        if let before { end(behind: before, isLast: before.number >= count ?? 0) }
        runs.removeAll { $0.count < 2 }
    }

    private mutating func add(_ stroke: StrokePoint, behind before: StrokePoint?) {
        let isNext = stroke.number == (before?.number ?? 0) + 1
        let begins = before.map { part($0) != part(stroke) } ?? true
        if let before, !begins, isNext, follows(stroke, before) {
            runs[runs.count - 1].append(stroke.point)
            return
        }
        if let before, begins { end(behind: before, isLast: isNext) }
        runs.append([stroke.point])
        guard begins, isNext, let edge = edges[part(stroke)]?.begin,
            edge.isBefore(stroke.point)
        else { return }
        runs[runs.count - 1].insert(edge, at: 0)
    }

    /// Its run has another point before it where it is known how long it took.
    private mutating func keep(_ stroke: StrokePoint) {
        var kept = stroke.rowed
        kept.interval = part(stroke)
        if let run = runs.last, run.count > 1 {
            kept.centiseconds = stroke.point.centiseconds - run[run.count - 2].centiseconds
        }
        rowed.append(kept)
    }

    /// The last stroke of a part of the session ends before the part does. Where more strokes may have
    /// been rowed, nobody knows of the rest.
    private mutating func end(behind stroke: StrokePoint, isLast: Bool) {
        let isUnheard = gaps.contains { gap in
            gap["uncounted_strokes"] == .flag(true)
                || gap.number("from_stroke") == UInt64(stroke.number + 1)
        }
        guard isLast, !isUnheard, let end = edges[part(stroke)]?.end, stroke.point.isBefore(end)
        else { return }
        runs[runs.count - 1].append(end)
    }

    /// A piece without intervals is one part, whatever its splits are.
    private func part(_ stroke: StrokePoint) -> Int? {
        edges.keys.contains(nil) ? nil : stroke.interval
    }

    private func follows(_ stroke: StrokePoint, _ before: StrokePoint) -> Bool {
        guard before.point.isBefore(stroke.point) else { return false }
        let worked = (stroke.point.centiseconds - before.point.centiseconds) * 10
        guard stroke.at - before.at - worked < Self.stopped else { return false }
        return !gaps.contains { gap in
            // Those with numbers show in the numbers.
            guard gap["from_stroke"] == nil, let at = gap.number("ts_ms").map(Int64.init) else {
                return false
            }
            let long = Int64((gap.decimal("duration_s") ?? 0) * 1000)
            return before.at <= at && at - long <= stroke.at
        }
    }
}

extension RowedPoint {
    /// Whether it can be followed by another: clocks and metres never run backwards.
    fileprivate func isBefore(_ other: RowedPoint) -> Bool {
        centiseconds < other.centiseconds && decimetres <= other.decimetres
    }
}
