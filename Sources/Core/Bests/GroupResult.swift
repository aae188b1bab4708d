import Bytes
import Contract

/// The results of a group piece as a table: a row for each athlete, a column for each repeat.
///
/// A repeat is an interval, or a split of a single piece. `GroupResult` has no targets of its own: the fields of
/// a split contain them.
package struct GroupResult: Equatable, Sendable {
    /// The records of one session.
    package struct Source: Sendable {
        package let session: GroupSession
        /// The newest summary; nil before the end of the session.
        package let summary: JSONObject?
        package let splits: [JSONObject]

        package init(_ session: GroupSession, summary: JSONObject?, splits: [JSONObject]) {
            (self.session, self.summary, self.splits) = (session, summary, splits)
        }
    }

    package struct Repeat: Equatable, Sendable {
        /// The record of the split.
        package let fields: JSONObject
        package let seconds: Double
        package let metres: Double
        /// Whether it has the length of its column. Parts of a repeat are neither best nor do they fade.
        package let isWhole: Bool

        /// Seconds per 500 m; nil without a distance.
        package var pace: Double? {
            fields.decimal("avg_pace_s_per_500m") ?? (metres > 0 ? seconds / metres * 500 : nil)
        }
    }

    package struct Row: Equatable, Sendable {
        package let session: GroupSession
        /// By column; nil for a repeat that was not rowed or not received.
        package let repeats: [Repeat?]
        /// Whether every repeat was rowed to its end.
        package let isComplete: Bool
        /// Seconds per 500 m over the work: of the summary, or of the repeats so far.
        package let pace: Double?
        /// Strokes per minute over the work, by the summary.
        package let strokeRate: Int?
        /// Share of the evaluated strokes that met all targets, in thousandths; nil without a target.
        package let inTarget: Int?
        /// The column of the fastest whole repeat; nil without one, and if the columns have different lengths.
        package let best: Int?
        /// How much slower the second half of the repeats was than the first, in percent of the average pace: below
        /// 0 if it was faster. The middle one of an odd number does not count. Nil unless all repeats
        /// were rowed and all columns have the same length.
        package let fade: Double?
    }

    /// The length of each column; nil if it is not known.
    package let columns: [GroupWorkout.Length?]
    /// Completed rows by average pace, the fastest first; then the others, the most repeats first.
    package let rows: [Row]

    /// - Parameter sources: the records of `piece.rows`, in any order.
    package init(of piece: GroupPiece, _ sources: [Source]) {
        let lengths = Self.columns(of: piece.workout, sources)
        columns = lengths
        rows = sources.map { Row($0, in: lengths) }.sorted { $0.rank < $1.rank }
    }

    /// The lengths of the longest completed session; without one, of the longest session.
    private static func columns(of workout: GroupWorkout?, _ sources: [Source]) -> [GroupWorkout.Length?] {
        let count = sources.map(\.columnCount).max() ?? 0
        if workout?.type == "intervals", let length = workout?.length {
            return Array(
                repeating: length, count: max(count, min(workout?.intervalCount ?? 0, Source.maximum)))
        }
        let completed = sources.filter(\.session.isComplete)
        let longest = (completed.isEmpty ? sources : completed).max { $0.columnCount < $1.columnCount }
        let lengths = longest?.lengths ?? [:]
        return (0..<count).map { lengths[$0] }
    }
}

extension GroupResult.Source {
    /// The largest number of intervals or splits of a monitor.
    static let maximum = 50

    /// The splits by column. Of splits with the same number the last counts.
    fileprivate var byColumn: [Int: JSONObject] {
        var found: [Int: JSONObject] = [:]
        for split in splits {
            guard let number = split.number("split"), (1...UInt64(Self.maximum)).contains(number) else {
                continue
            }
            found[Int(number) - 1] = split
        }
        return found
    }

    fileprivate var columnCount: Int { (byColumn.keys.max() ?? -1) + 1 }

    fileprivate var lengths: [Int: GroupWorkout.Length] { byColumn.compactMapValues { .init(split: $0) } }
}

extension GroupResult.Row {
    fileprivate init(_ source: GroupResult.Source, in columns: [GroupWorkout.Length?]) {
        session = source.session
        let splits = source.byColumn
        let repeats = columns.indices.map { column in
            splits[column].flatMap {
                GroupResult.Repeat($0, length: columns[column], isOfCompleted: source.session.isComplete)
            }
        }
        self.repeats = repeats
        let whole = repeats.filter { $0?.isWhole ?? false }.count
        isComplete = source.session.isComplete || !repeats.isEmpty && whole == repeats.count
        let head = source.summary ?? .empty
        let (seconds, metres) = repeats.compactMap(\.self).reduce((0.0, 0.0)) {
            ($0.0 + $1.seconds, $0.1 + $1.metres)
        }
        pace = head.decimal("avg_pace_s_per_500m") ?? (metres > 0 ? seconds / metres * 500 : nil)
        strokeRate = head.number("avg_stroke_rate_spm").map { Int($0) }
        inTarget = head.decimal("in_target_ratio").map { Int(($0 * 1000).rounded()) }
        let areEqual = Set(columns).count == 1
        best =
            areEqual
            ? repeats.indices.filter { repeats[$0]?.isWhole ?? false && repeats[$0]?.pace != nil }
                .min { (repeats[$0]?.pace ?? 0) < (repeats[$1]?.pace ?? 0) } : nil
        fade = areEqual && whole == repeats.count ? Self.fade(of: repeats.compactMap(\.self)) : nil
    }

    private static func fade(of repeats: [GroupResult.Repeat]) -> Double? {
        let half = repeats.count / 2
        func pace(_ part: ArraySlice<GroupResult.Repeat>) -> Double? {
            let metres = part.reduce(0) { $0 + $1.metres }
            return metres > 0 ? part.reduce(0) { $0 + $1.seconds } / metres * 500 : nil
        }
        guard half > 0, let first = pace(repeats.prefix(half)), let second = pace(repeats.suffix(half)),
            let all = pace(repeats[...])
        else { return nil }
        return (second - first) / all * 100
    }

    /// Sorts rows.
    fileprivate var rank: (Int, Double, PieceName) {
        let missing = isComplete ? 0 : 1 + repeats.filter { !($0?.isWhole ?? false) }.count
        return (missing, pace ?? .infinity, session.name)
    }
}

extension GroupResult.Repeat {
    /// Nil for a split without a time. If its length is not in its records, it is whole in a completed session.
    fileprivate init?(_ split: JSONObject, length: GroupWorkout.Length?, isOfCompleted: Bool) {
        let limits = 0...1e7
        guard let seconds = split.decimal("duration_s"), limits.contains(seconds) else { return nil }
        let metres = split.decimal("distance_m") ?? 0
        self.init(
            fields: split, seconds: seconds, metres: limits.contains(metres) ? metres : 0,
            isWhole: GroupWorkout.Length(split: split).map { $0 == length } ?? isOfCompleted)
    }
}
