import Bests
import Bytes
import Contract
import PM5Codec
import Rowing
import Timeline

/// What became of a plan: each workout held against what one athlete rowed on its day.
///
/// It follows from the plan and the sessions alone, in whatever order they come: a session that is
/// corrected or erased changes it. A session counts for the day of the club on which it began, and for
/// one workout.
package struct Adherence: Equatable, Sendable {
    /// How a workout stands.
    package enum Verdict: String, CaseIterable, Sendable {
        /// In the same form, and each part as long as was asked for.
        case done
        /// Something like it, or a part of it.
        case partly
        /// Nothing of it, and its day is over.
        case missed
        /// Its day is not over.
        case ahead
    }

    /// Why a workout is done in part alone.
    package enum Shortfall: String, CaseIterable, Sendable {
        case shorter
        case longer
        case fewerIntervals = "fewer_intervals"
        case moreIntervals = "more_intervals"
        /// In one piece in place of intervals, or the other way round.
        case otherForm = "other_form"
    }

    /// A workout, and what there is of it.
    package struct Item: Equatable, Sendable {
        package let planned: PlannedWorkout
        package let verdict: Verdict
        /// In which session; nil where none is like it.
        package let session: PieceName?
        /// Percent of what was asked for, 100 at most.
        package let share: Int
        /// Empty but for `partly`.
        package let reasons: [Shortfall]
    }

    /// A session that nobody planned.
    package struct Extra: Equatable, Sendable {
        package let session: PieceName
        package let total: RowedPoint
    }

    /// A day with something planned, or something rowed.
    package struct Day: Equatable, Sendable {
        package let day: TrainingSpan
        package let items: [Item]
        package let extra: [Extra]
    }

    /// A length that is as asked for to so many percent, more or less, is the same.
    package static let tolerancePercent: Int64 = 5
    /// Less than so many percent of a workout is nothing of it, and more than so many another workout.
    package static let likePercent: ClosedRange<Int64> = 25...200
    /// A session with less work, in hundredths of a second, is neither a row without an end nor told as
    /// one that nobody planned.
    package static let leastCentiseconds: Int64 = 6000

    /// How a workout's verdict comes about.
    package static let formula =
        "done: the same form and number of intervals, each within \(tolerancePercent) % of its length; "
        + "partly: \(likePercent.lowerBound) to \(likePercent.upperBound) % of it on its day, on its "
        + "machine where it names one"

    /// In order; those of the plan's first day to its last.
    package let days: [Day]

    /// - Parameters:
    ///   - pieces: an athlete's sessions, in any order, also of other days.
    ///   - today: the day that goes on.
    package init(
        to plan: TrainingPlan, of pieces: [PieceFigures], today: TrainingSpan
    ) {
        let pieces = pieces.sorted { ($0.startedAt, $0.name) < ($1.startedAt, $1.name) }
        let rowed = Dictionary(grouping: pieces) { TrainingSpan(.day, of: $0.startedOn) }
            .filter { plan.days?.contains($0.key) ?? false }
        let planned = Dictionary(grouping: plan.workouts, by: \.day)
        days = Set(rowed.keys).union(planned.keys).sorted().compactMap { day in
            let day = Day(
                day, planned[day] ?? [], rowed[day] ?? [], isOver: day < today)
            return day.items.isEmpty && day.extra.isEmpty ? nil : day
        }
    }

    /// How many workouts stand so, on the days of a range.
    package func counts(on range: ClosedRange<TrainingSpan>? = nil) -> [Verdict: Int] {
        var counts: [Verdict: Int] = [:]
        for day in days where range?.contains(day.day) ?? true {
            for item in day.items { counts[item.verdict, default: 0] += 1 }
        }
        return counts
    }
}

extension Adherence.Day {
    /// Of all pairs the most alike belong together first, so that the order of neither counts.
    fileprivate init(
        _ day: TrainingSpan, _ planned: [PlannedWorkout], _ rowed: [PieceFigures], isOver: Bool
    ) {
        var pairs: [(workout: Int, piece: Int, likeness: Likeness)] = []
        for (index, workout) in planned.enumerated() {
            let asked = AskedWork(workout.order.program)
            for (number, piece) in rowed.enumerated() {
                guard workout.machine ?? piece.machine == piece.machine,
                    let likeness = asked.likeness(of: piece)
                else { continue }
                pairs.append((index, number, likeness))
            }
        }
        pairs.sort {
            ($0.likeness.rank, $0.workout, $0.piece) < ($1.likeness.rank, $1.workout, $1.piece)
        }
        var found: [Int: (piece: Int, likeness: Likeness)] = [:]
        var taken: Set<Int> = []
        for pair in pairs where found[pair.workout] == nil {
            guard taken.insert(pair.piece).inserted else { continue }
            found[pair.workout] = (pair.piece, pair.likeness)
        }
        self.day = day
        items = planned.enumerated().map { index, workout in
            guard let (piece, likeness) = found[index] else {
                return Adherence.Item(
                    planned: workout, verdict: isOver ? .missed : .ahead, session: nil, share: 0,
                    reasons: [])
            }
            return Adherence.Item(
                planned: workout, verdict: likeness.reasons.isEmpty ? .done : .partly,
                session: rowed[piece].name, share: likeness.share, reasons: likeness.reasons)
        }
        extra = rowed.enumerated().compactMap { number, piece in
            let isLong = piece.total.centiseconds >= Adherence.leastCentiseconds
            guard !taken.contains(number), isLong else { return nil }
            return Adherence.Extra(session: piece.name, total: piece.total)
        }
    }
}

/// How much of a workout a session is.
private struct Likeness {
    var share: Int
    var reasons: [Adherence.Shortfall]
    /// A row without an end takes what no other workout is like.
    var isOpen = false

    /// The least is the most alike.
    var rank: Int { (reasons.isEmpty ? 0 : 1000) + (isOpen ? 500 : 0) - share }
}

/// What a workout asks for.
private struct AskedWork {
    private let shape: PieceParts.Shape
    /// Empty for a row without an end.
    private let parts: [WorkoutProgram.Extent]

    init(_ program: WorkoutProgram) {
        switch program.plan {
        case .justRow, .justRowWithSplits: (shape, parts) = (.piece, [])
        case .single(let extent, _): (shape, parts) = (.piece, [extent])
        case .repeating(let extent, _): (shape, parts) = (.intervals, [extent])
        case .intervals(let intervals): (shape, parts) = (.intervals, intervals.map(\.work))
        }
    }

    /// Nil for what is nothing of it.
    func likeness(of piece: PieceFigures) -> Likeness? {
        if parts.isEmpty {
            let isRowed = piece.total.centiseconds >= Adherence.leastCentiseconds
            return isRowed ? Likeness(share: 100, reasons: [], isOpen: true) : nil
        }
        return piece.madeOf.shape == shape ? sameForm(piece.madeOf.parts) : otherForm(piece)
    }

    private func sameForm(_ rowed: [PieceParts.Part]) -> Likeness? {
        let percents = zip(parts, rowed).map { $0.percent(of: $1) }
        let share = percents.reduce(0) { $0 + min($1, 100) } / Int64(parts.count)
        let isSingle = parts.count == 1 && rowed.count == 1
        guard share >= Adherence.likePercent.lowerBound,
            !isSingle || percents[0] <= Adherence.likePercent.upperBound
        else { return nil }
        let excesses = zip(parts, rowed).map { $0.excess(of: $1) }
        var reasons: [Adherence.Shortfall] = []
        if rowed.count < parts.count { reasons.append(.fewerIntervals) }
        if rowed.count > parts.count { reasons.append(.moreIntervals) }
        if excesses.contains(where: { $0 < 0 }) { reasons.append(.shorter) }
        if excesses.contains(where: { $0 > 0 }) { reasons.append(.longer) }
        return Likeness(share: Int(share), reasons: reasons)
    }

    /// By the sum of the lengths, where they are in one unit.
    private func otherForm(_ piece: PieceFigures) -> Likeness? {
        guard let asked = WorkoutProgram.Extent(sumOf: parts) else { return nil }
        let total = PieceParts.Part(
            centiseconds: piece.total.centiseconds, decimetres: piece.total.decimetres)
        let percent = asked.percent(of: total)
        guard Adherence.likePercent.contains(percent) else { return nil }
        return Likeness(share: Int(min(percent, 100)), reasons: [.otherForm])
    }
}

extension WorkoutProgram.Extent {
    /// Nil of lengths in several units, and of calories, which no sum is told of.
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

    /// In the units of what was rowed.
    private func lengths(_ part: PieceParts.Part) -> (asked: Int64, rowed: Int64) {
        switch self {
        case .meters(let length): (Int64(length) * 10, part.decimetres)
        case .centiseconds(let length): (Int64(length), part.centiseconds)
        case .calories(let count): (Int64(count), part.kilocalories ?? 0)
        }
    }

    /// What was rowed of it, in whole percent.
    fileprivate func percent(of part: PieceParts.Part) -> Int64 {
        let (asked, rowed) = lengths(part)
        return asked > 0 ? rowed * 100 / asked : 0
    }

    /// Below 0 for less than was asked for, above for more; 0 within the tolerance.
    fileprivate func excess(of part: PieceParts.Part) -> Int64 {
        let (asked, rowed) = lengths(part)
        let isSame = abs(rowed - asked) * 100 <= asked * Adherence.tolerancePercent
        return isSame ? 0 : rowed - asked
    }
}
