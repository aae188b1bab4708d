import Bytes
import Contract

/// Reads records. Sets `machine`, `isMachineRecorded`, `preset`, `isComplete`, `agreesWithMonitor`,
/// `hasGap`, `total`, `strokeCount`, `runs`, `strokes`, `workout` and `structure`.
extension RecordedPiece {
    /// Kinds of records that are read.
    package static let kinds: [StreamKind] = [.session, .stroke, .split, .summary, .gap]

    /// With more gaps than this no effort is searched for, because each stroke is compared with each gap.
    private static let mostGaps = 200

    /// Reads a session's records; nil if they contain no rowing.
    ///
    /// - Parameters:
    ///   - records: stored records by kind, in order of their times.
    ///   - startedAt: Unix milliseconds, used if no record contains the start.
    package init?(
        _ records: [StreamKind: [[UInt8]]], of name: PieceName, startedAt: Int64
    ) {
        func fields(_ kind: StreamKind) -> [JSONObject] {
            (records[kind] ?? []).compactMap { try? JSONObject(parsing: $0) }
        }
        // If there are several revisions of the summary, the last is valid.
        let summary = fields(.summary).last
        let sessions = fields(.session)
        let head = summary ?? sessions.first ?? .empty
        self.init(name: name, startedAt: head.number("started_ms").map(Int64.init) ?? startedAt)
        if let machine = MachineKind(recordedIn: [summary].compactMap(\.self) + sessions) {
            (self.machine, isMachineRecorded) = (machine, true)
        }
        // One record at a time: a session's parsed strokes need a hundred times the memory of the result.
        let strokes = (records[.stroke] ?? []).compactMap { record in
            (try? JSONObject(parsing: record)).flatMap { $0 }.flatMap(StrokePoint.init)
        }
        .sorted { $0.number < $1.number }
        let gaps = fields(.gap)
        self.strokeCount = strokes.count
        let result = RecordedResult(summary ?? .empty)
        isComplete = result.isComplete
        if case .flag(let agrees)? = summary?["verified_against_pm5"] { agreesWithMonitor = agrees }
        preset = Self.preset(head)
        hasGap = !gaps.isEmpty || strokes.last.map { $0.number != strokes.count } ?? false
        let work = summary.flatMap { WorkPoint($0, result.timeField, result.distanceField) }
        let end = result.isPartial ? nil : work
        guard let total = work ?? strokes.last?.point, total.centiseconds > 0 else { return nil }
        self.total = total
        let splits = head.text("session_type") == "intervals" ? fields(.split) : nil
        workout = WorkoutResult(head, fields(.split), total: total, isComplete: isComplete)
        structure = PieceStructure(total, summary?.number("calories_kcal"), splits)
        let edges = splits.map(Self.edges) ?? [nil: (WorkPoint.start, end)]
        guard gaps.count <= Self.mostGaps else { return }
        let count = summary?.number("strokes").map { Int($0) }
        let cut = RunCutter(strokes, of: count, gaps, edges)
        (runs, self.strokes) = (cut.runs, cut.strokes)
    }

    /// The event that a single piece was set to.
    private static func preset(_ head: JSONObject) -> RankedEvent? {
        switch head.text("session_type") {
        case "distance": RankedEvent(metres: head.decimal("target_distance_m"), seconds: nil)
        case "time": RankedEvent(metres: nil, seconds: head.decimal("target_time_s"))
        default: nil
        }
    }

    /// Begin and end of each interval, as far as all intervals before it are known.
    private static func edges(_ splits: [JSONObject]) -> RunCutter.Edges {
        var edges: RunCutter.Edges = [:]
        var from = WorkPoint.start
        for split in splits {
            guard split.number("split") == UInt64(edges.count + 1),
                let length = WorkPoint(split, "duration_s", "distance_m")
            else { break }
            let end = WorkPoint(
                centiseconds: from.centiseconds + length.centiseconds,
                decimetres: from.decimetres + length.decimetres)
            edges[edges.count + 1] = (from, end)
            from = end
        }
        return edges
    }
}

extension PieceStructure {
    /// - Parameter intervals: interval records in any order, nil for a single piece. Of records with the
    ///   same number the last is valid.
    fileprivate init(_ total: WorkPoint, _ kilocalories: UInt64?, _ intervals: [JSONObject]?) {
        guard let intervals else {
            self.init(.piece, [Part(total, kilocalories)])
            return
        }
        var parts: [UInt64: Part] = [:]
        for split in intervals {
            guard let number = split.number("split"),
                let length = WorkPoint(split, "duration_s", "distance_m")
            else { continue }
            parts[number] = Part(length, split.number("calories_kcal"))
        }
        self.init(.intervals, parts.sorted { $0.key < $1.key }.map(\.value))
    }
}

extension PieceStructure.Part {
    fileprivate init(_ length: WorkPoint, _ kilocalories: UInt64?) {
        self.init(
            centiseconds: length.centiseconds, decimetres: length.decimetres,
            kilocalories: kilocalories.map { Int64($0) })
    }
}

extension WorkPoint {
    fileprivate static let start = WorkPoint(centiseconds: 0, decimetres: 0)

    /// Reads two members of a record; nil if they are out of range.
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
    /// Number of the stroke in its session.
    let number: Int
    /// Unix milliseconds.
    let at: Int64
    let measured: MeasuredStroke
    let point: WorkPoint

    var interval: Int? { measured.interval }

    init?(_ fields: JSONObject) {
        guard let number = fields.number("stroke"), let at = fields.number("ts_ms"),
            let point = WorkPoint(fields, "elapsed_s", "distance_m")
        else { return nil }
        self.number = Int(number)
        self.at = Int64(at)
        self.point = point
        var measured = MeasuredStroke(fields)
        measured.at = Int64(at)
        self.measured = measured
    }
}

/// Cuts a session into runs of points without a gap, rest or clock stop between them.
private struct RunCutter {
    /// Begin and end of each interval; key nil for a session without intervals.
    typealias Edges = [Int?: (begin: WorkPoint, end: WorkPoint?)]
    /// If the monitor's clock falls this far behind the gateway's between two strokes, the clock was
    /// stopped: milliseconds. A shorter lag may be radio delay.
    private static let stopped: Int64 = 6000

    private let gaps: [JSONObject]
    private let edges: Edges
    private(set) var runs: [[WorkPoint]] = []
    private(set) var strokes: [MeasuredStroke] = []

    /// - Parameter count: number of published strokes according to the summary, if there is one.
    init(_ strokes: [StrokePoint], of count: Int?, _ gaps: [JSONObject], _ edges: Edges) {
        (self.gaps, self.edges) = (gaps, edges)
        var before: StrokePoint?
        for stroke in strokes {
            add(stroke, behind: before)
            appendStroke(stroke)
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

    /// The stroke's time is known if its run contains another point before it.
    private mutating func appendStroke(_ stroke: StrokePoint) {
        var measured = stroke.measured
        measured.interval = part(stroke)
        if let run = runs.last, run.count > 1 {
            measured.centiseconds = stroke.point.centiseconds - run[run.count - 2].centiseconds
        }
        strokes.append(measured)
    }

    /// A part of the session ends after its last stroke. If more strokes may be missing, the rest of the
    /// part is unknown.
    private mutating func end(behind stroke: StrokePoint, isLast: Bool) {
        let isFollowedByGap = gaps.contains { gap in
            gap["uncounted_strokes"] == .flag(true)
                || gap.number("from_stroke") == UInt64(stroke.number + 1)
        }
        guard isLast, !isFollowedByGap, let end = edges[part(stroke)]?.end, stroke.point.isBefore(end)
        else { return }
        runs[runs.count - 1].append(end)
    }

    /// A piece without intervals is one part, regardless of its splits.
    private func part(_ stroke: StrokePoint) -> Int? {
        edges.keys.contains(nil) ? nil : stroke.interval
    }

    private func follows(_ stroke: StrokePoint, _ before: StrokePoint) -> Bool {
        guard before.point.isBefore(stroke.point) else { return false }
        let worked = (stroke.point.centiseconds - before.point.centiseconds) * 10
        guard stroke.at - before.at - worked < Self.stopped else { return false }
        return !gaps.contains { gap in
            // Gaps with stroke numbers already show in the numbering.
            guard gap["from_stroke"] == nil, let at = gap.number("ts_ms").map(Int64.init) else {
                return false
            }
            let long = Int64((gap.decimal("duration_s") ?? 0) * 1000)
            return before.at <= at && at - long <= stroke.at
        }
    }
}

extension WorkPoint {
    /// Whether `other` can follow: time and distance never decrease.
    fileprivate func isBefore(_ other: WorkPoint) -> Bool {
        centiseconds < other.centiseconds && decimetres <= other.decimetres
    }
}
