import Bests
import Bytes
import Contract
import PM5Codec
import Rowing
import Timeline

/// The comparison of a plan with the sessions of one athlete on the planned days.
///
/// The value depends only on the plan and the sessions, not on their order. If a session is corrected or
/// erased, it changes. A session counts for the club's day on which it began, and for one workout.
package struct Adherence: Equatable, Sendable {
    /// The state of a planned workout.
    package enum Verdict: String, CaseIterable, Sendable {
        /// Same form, and each part within the tolerance of its length.
        case done
        /// Similar, or only part of it.
        case partly
        /// Nothing similar, and the day is over.
        case missed
        /// The day is not over.
        case upcoming = "ahead"
    }

    /// Why a workout is only partly done.
    package enum Shortfall: String, CaseIterable, Sendable {
        case shorter
        case longer
        case fewerIntervals = "fewer_intervals"
        case moreIntervals = "more_intervals"
        /// A single piece instead of intervals, or the reverse.
        case otherForm = "other_form"
    }

    /// A planned workout with its result.
    package struct Item: Equatable, Sendable {
        package let planned: PlannedWorkout
        package let verdict: Verdict
        /// The matching session; nil if none is similar.
        package let session: PieceName?
        /// Percent of the planned work, 100 at most.
        package let share: Int
        /// Empty unless the verdict is `partly`.
        package let reasons: [Shortfall]
    }

    /// A session that matches no planned workout.
    package struct Extra: Equatable, Sendable {
        package let session: PieceName
        package let total: WorkPoint
    }

    /// A day with a planned workout or a session.
    package struct Day: Equatable, Sendable {
        package let day: TrainingSpan
        package let items: [Item]
        package let extra: [Extra]
    }

    /// A length within this percentage of the planned one counts as equal.
    package static let tolerancePercent: Int64 = 5
    /// A session with a smaller percentage of a workout does not count for it; with a larger one it is
    /// another workout.
    package static let likePercent: ClosedRange<Int64> = 25...200
    /// A session with less work, in hundredths of a second, neither counts as an open-ended row nor is
    /// listed as extra.
    package static let leastCentiseconds: Int64 = 6000

    /// How a verdict is determined.
    package static let formula =
        "done: the same form and number of intervals, each within \(tolerancePercent) % of its length; "
        + "partly: \(likePercent.lowerBound) to \(likePercent.upperBound) % of it on its day, on its "
        + "machine where it names one"

    /// In order, from the plan's first day to its last.
    package let days: [Day]

    /// - Parameters:
    ///   - pieces: the athlete's sessions in any order; sessions on other days are ignored.
    ///   - today: the current day.
    package init(
        to plan: TrainingPlan, of pieces: [PieceMetrics], today: TrainingSpan
    ) {
        let pieces = pieces.sorted { ($0.startedAt, $0.name) < ($1.startedAt, $1.name) }
        let completed = Dictionary(grouping: pieces) { TrainingSpan(.day, of: $0.startedOn) }
            .filter { plan.days?.contains($0.key) ?? false }
        let planned = Dictionary(grouping: plan.workouts, by: \.day)
        days = Set(completed.keys).union(planned.keys).sorted().compactMap { day in
            let day = Day(
                day, planned[day] ?? [], completed[day] ?? [], isOver: day < today)
            return day.items.isEmpty && day.extra.isEmpty ? nil : day
        }
    }

    /// The number of workouts with each verdict on the days of a range.
    package func counts(on range: ClosedRange<TrainingSpan>? = nil) -> [Verdict: Int] {
        var counts: [Verdict: Int] = [:]
        for day in days where range?.contains(day.day) ?? true {
            for item in day.items { counts[item.verdict, default: 0] += 1 }
        }
        return counts
    }
}

extension Adherence.Day {
    /// Matches the most similar pairs first, so that the result does not depend on the order of either
    /// list.
    fileprivate init(
        _ day: TrainingSpan, _ planned: [PlannedWorkout], _ completed: [PieceMetrics], isOver: Bool
    ) {
        var pairs: [(workout: Int, piece: Int, match: Match)] = []
        for (index, workout) in planned.enumerated() {
            // A session that matched would tell the athlete the length of a hidden workout.
            guard let order = workout.order else { continue }
            let work = PlannedWork(order.program)
            for (number, piece) in completed.enumerated() {
                guard workout.machine ?? piece.machine == piece.machine,
                    let match = work.match(of: piece)
                else { continue }
                pairs.append((index, number, match))
            }
        }
        pairs.sort {
            ($0.match.rank, $0.workout, $0.piece) < ($1.match.rank, $1.workout, $1.piece)
        }
        var found: [Int: (piece: Int, match: Match)] = [:]
        var matchedPieces: Set<Int> = []
        for pair in pairs where found[pair.workout] == nil {
            guard matchedPieces.insert(pair.piece).inserted else { continue }
            found[pair.workout] = (pair.piece, pair.match)
        }
        self.day = day
        items = planned.enumerated().map { index, workout in
            guard let (piece, match) = found[index] else {
                return Adherence.Item(
                    planned: workout, verdict: isOver && workout.order != nil ? .missed : .upcoming,
                    session: nil, share: 0, reasons: [])
            }
            return Adherence.Item(
                planned: workout, verdict: match.reasons.isEmpty ? .done : .partly,
                session: completed[piece].name, share: match.share, reasons: match.reasons)
        }
        extra = completed.enumerated().compactMap { number, piece in
            let isLong = piece.total.centiseconds >= Adherence.leastCentiseconds
            guard !matchedPieces.contains(number), isLong else { return nil }
            return Adherence.Extra(session: piece.name, total: piece.total)
        }
    }
}

/// How similar a session is to a workout.
private struct Match {
    var share: Int
    var reasons: [Adherence.Shortfall]
    /// Whether the workout is an open-ended row, which matches only sessions that no other workout matches.
    var isOpen = false

    /// Sort key: the smallest is the most similar.
    var rank: Int { (reasons.isEmpty ? 0 : 1000) + (isOpen ? 500 : 0) - share }
}

/// The work that a planned workout consists of.
private struct PlannedWork {
    private let shape: PieceStructure.Shape
    /// Empty for an open-ended row.
    private let parts: [WorkoutProgram.Extent]

    init(_ program: WorkoutProgram) {
        switch program.plan {
        case .justRow, .justRowWithSplits: (shape, parts) = (.piece, [])
        case .single(let extent, _): (shape, parts) = (.piece, [extent])
        case .repeating(let extent, _): (shape, parts) = (.intervals, [extent])
        case .intervals(let intervals): (shape, parts) = (.intervals, intervals.map(\.work))
        }
    }

    /// Nil if the session is too different.
    func match(of piece: PieceMetrics) -> Match? {
        if parts.isEmpty {
            let isLongEnough = piece.total.centiseconds >= Adherence.leastCentiseconds
            return isLongEnough ? Match(share: 100, reasons: [], isOpen: true) : nil
        }
        return piece.structure.shape == shape ? sameForm(piece.structure.parts) : otherForm(piece)
    }

    private func sameForm(_ completed: [PieceStructure.Part]) -> Match? {
        let percents = zip(parts, completed).map { $0.percent(of: $1) }
        let share = percents.reduce(0) { $0 + min($1, 100) } / Int64(parts.count)
        let isSingle = parts.count == 1 && completed.count == 1
        guard share >= Adherence.likePercent.lowerBound,
            !isSingle || percents[0] <= Adherence.likePercent.upperBound
        else { return nil }
        let excesses = zip(parts, completed).map { $0.excess(of: $1) }
        var reasons: [Adherence.Shortfall] = []
        if completed.count < parts.count { reasons.append(.fewerIntervals) }
        if completed.count > parts.count { reasons.append(.moreIntervals) }
        if excesses.contains(where: { $0 < 0 }) { reasons.append(.shorter) }
        if excesses.contains(where: { $0 > 0 }) { reasons.append(.longer) }
        return Match(share: Int(share), reasons: reasons)
    }

    /// By the total length, if all parts have the same unit.
    private func otherForm(_ piece: PieceMetrics) -> Match? {
        guard let planned = WorkoutProgram.Extent(sumOf: parts) else { return nil }
        let total = PieceStructure.Part(
            centiseconds: piece.total.centiseconds, decimetres: piece.total.decimetres)
        let percent = planned.percent(of: total)
        guard Adherence.likePercent.contains(percent) else { return nil }
        return Match(share: Int(min(percent, 100)), reasons: [.otherForm])
    }
}

extension WorkoutProgram.Extent {
    /// Nil for lengths in different units, and for calories, which have no total.
    fileprivate init?(sumOf parts: [Self]) {
        var (meters, centiseconds): (UInt32, UInt32) = (0, 0)
        for part in parts {
            switch part {
            case .meters(let length): meters += length
            case .centiseconds(let length): centiseconds += length
            case .calories: return nil
            }
        }
        guard (meters == 0) != (centiseconds == 0) else { return nil }
        self = meters > 0 ? .meters(meters) : .centiseconds(centiseconds)
    }

    /// Planned and completed length in the unit of this extent.
    private func lengths(_ part: PieceStructure.Part) -> (planned: Int64, completed: Int64) {
        switch self {
        case .meters(let length): (Int64(length) * 10, part.decimetres)
        case .centiseconds(let length): (Int64(length), part.centiseconds)
        case .calories(let count): (Int64(count), part.kilocalories ?? 0)
        }
    }

    /// The completed percentage, rounded down.
    fileprivate func percent(of part: PieceStructure.Part) -> Int64 {
        let (planned, completed) = lengths(part)
        return planned > 0 ? completed * 100 / planned : 0
    }

    /// Difference to the planned length; 0 within the tolerance.
    fileprivate func excess(of part: PieceStructure.Part) -> Int64 {
        let (planned, completed) = lengths(part)
        let isSame = abs(completed - planned) * 100 <= planned * Adherence.tolerancePercent
        return isSame ? 0 : completed - planned
    }
}
