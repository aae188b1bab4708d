import Bests
import Timeline
import Training

/// What rules look at: somebody's sessions on one kind of machine up to a moment, in order.
///
/// A value without a clock: the moment is handed in. It is made of a set of sessions, so that it is the
/// same in whatever order they came.
package struct AthletePast {
    static let day = SuggestionWord.day
    /// Days without a session, on whatever machine, that are a break.
    static let breakDays: Int64 = 14

    let machine: MachineKind
    /// Unix milliseconds.
    let now: Int64
    let calendar: ClubCalendar
    /// On the machine, the oldest first.
    let pieces: [PieceTraining]
    /// When sessions began, on whatever machine, in order.
    let starts: [Int64]
    /// nil where nothing ranked tells of them.
    let zones: PowerZones?
    /// What was suggested before, and what came of it.
    let words: [SuggestionWord]

    /// Sessions later than the moment are not looked at.
    init(
        _ all: [PieceTraining], on machine: MachineKind, words: [SuggestionWord], now: Int64,
        in calendar: ClubCalendar
    ) {
        let known = all.filter { $0.figures.startedAt <= now }
            .sorted {
                ($0.figures.startedAt, $0.figures.name)
                    < ($1.figures.startedAt, $1.figures.name)
            }
        (self.machine, self.now, self.words) = (machine, now, words)
        self.calendar = calendar
        pieces = known.filter { $0.figures.machine == machine }
        starts = known.map(\.figures.startedAt)
        let bests = AthleteBests(known.map(\.figures)).bests
        zones = try? PowerZones.of(bests, on: machine).get()
    }

    func evidence(of name: PieceName) -> SuggestionEvidence? {
        pieces.first { $0.figures.name == name }.map {
            SuggestionEvidence(name: name, total: $0.figures.total)
        }
    }

    /// Those of so many days until now, or until another moment.
    func pieces(ofDays days: Int64, until end: Int64? = nil) -> [PieceTraining] {
        let end = end ?? now
        return pieces.filter {
            $0.figures.startedAt > end - days * Self.day && $0.figures.startedAt <= end
        }
    }

    /// Whether nothing was rowed for a break somewhere in so many days, or since; before somebody's first
    /// session there is none.
    func hasBreak(inDays days: Int64) -> Bool {
        let from = now - days * Self.day
        let before = starts.last { $0 < from }
        let moments = [before].compactMap(\.self) + starts.filter { $0 >= from } + [now]
        return zip(moments, moments.dropFirst()).contains { $1 - $0 >= Self.breakDays * Self.day }
    }

    /// Days from a moment until now.
    func age(of moment: Int64) -> Double { Double(now - moment) / Double(Self.day) }

    /// Whether the heart ran away from the power in a steady piece of the last days.
    func drifts(inDays days: Int64) -> Bool {
        pieces(ofDays: days).contains { piece in
            (try? piece.drift.get()).map { $0.percent > Self.mostDrift } ?? false
        }
    }

    /// Percent. Friel takes 5 for the end of what is aerobic; beyond this a hand was overtaxed, or
    /// thirsty, and more is no answer.
    static let mostDrift = 10.0

    // MARK: Weeks

    /// A week of the club.
    struct Week {
        let pieces: [PieceTraining]

        var seconds: Double {
            pieces.reduce(0) { $0 + Double($1.figures.total.centiseconds) / 100 }
        }
    }

    /// The Monday of this week.
    var monday: CalendarDay { calendar.day(of: now).monday }

    /// The instant at which a day begins that is so many days after the Monday of this week.
    func weekStart(plusDays days: Int64 = 0) -> Int64 {
        calendar.start(of: monday.advanced(by: days))
    }

    /// So many whole weeks before this one, the oldest first.
    func weeks(_ count: Int64) -> [Week] {
        (1...count).reversed().map { back in
            let first = monday.advanced(by: -7 * back)
            let days = first..<first.advanced(by: 7)
            return Week(pieces: pieces.filter { days.contains($0.figures.startedOn) })
        }
    }

    // MARK: Easy pieces

    /// Watts of utilisation 2, from the first to the last; nil without zones.
    var easyWatts: ClosedRange<Int>? {
        guard let bounds = zones?.bounds, bounds.count > 1, bounds[0] < bounds[1] else {
            return nil
        }
        return bounds[0]...(bounds[1] - 1)
    }

    /// Whether all of a piece in the mean is below the anaerobic threshold's zone.
    func isEasy(_ piece: PieceTraining) -> Bool {
        guard let zones else { return false }
        return piece.figures.total.watts(on: machine) < Double(zones.bounds[2])
    }
}

extension PieceTraining {
    var name: PieceName { figures.name }

    var seconds: Double { Double(figures.total.centiseconds) / 100 }

    /// Unix milliseconds of its last stroke, without its rests.
    var endedAt: Int64 { figures.startedAt + figures.total.centiseconds * 10 }
}

extension [Double] {
    /// The middle one; of an even number the lower of two. 0 of none.
    var middle: Double { isEmpty ? 0 : sorted()[(count - 1) / 2] }

    var mean: Double { isEmpty ? 0 : reduce(0, +) / Double(count) }

    /// Standard deviation of all of them by their mean, in percent.
    var spreadPercent: Double {
        let mean = mean
        guard mean > 0 else { return 0 }
        let squares = reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / Double(count)).squareRoot() / mean * 100
    }
}
