import Bests
import Timeline
import Training

/// The sessions of an athlete on one kind of machine up to a moment, in order: the input of the rules.
///
/// The moment is an argument; there is no clock. The value depends on the set of sessions, not on their
/// order.
package struct SessionHistory {
    static let day = SuggestionResponse.day
    /// Days without a session on any machine that count as a break.
    static let breakDays: Int64 = 14

    let machine: MachineKind
    /// Unix milliseconds.
    let now: Int64
    let calendar: ClubCalendar
    /// On this machine, oldest first.
    let pieces: [PieceTraining]
    /// Session starts on all machines, in order.
    let starts: [Int64]
    /// nil without a ranked 2000 m on this machine.
    let zones: PowerZones?
    /// The responses to earlier suggestions.
    let responses: [SuggestionResponse]

    /// Ignores sessions after `now`.
    init(
        _ all: [PieceTraining], on machine: MachineKind, responses: [SuggestionResponse], now: Int64,
        in calendar: ClubCalendar
    ) {
        let known = all.filter { $0.metrics.startedAt <= now }
            .sorted {
                ($0.metrics.startedAt, $0.metrics.name)
                    < ($1.metrics.startedAt, $1.metrics.name)
            }
        (self.machine, self.now, self.responses) = (machine, now, responses)
        self.calendar = calendar
        pieces = known.filter { $0.metrics.machine == machine }
        starts = known.map(\.metrics.startedAt)
        let bests = AthleteBests(known.map(\.metrics)).bests
        zones = try? PowerZones.of(bests, on: machine).get()
    }

    func evidence(of name: PieceName) -> SuggestionEvidence? {
        pieces.first { $0.metrics.name == name }.map {
            SuggestionEvidence(name: name, total: $0.metrics.total)
        }
    }

    /// The sessions of a number of days up to now, or up to another moment.
    func pieces(ofDays days: Int64, until end: Int64? = nil) -> [PieceTraining] {
        let end = end ?? now
        return pieces.filter {
            $0.metrics.startedAt > end - days * Self.day && $0.metrics.startedAt <= end
        }
    }

    /// Whether a break lies within a number of days or still continues. The time before the first session
    /// does not count.
    func hasBreak(inDays days: Int64) -> Bool {
        let from = now - days * Self.day
        let before = starts.last { $0 < from }
        let moments = [before].compactMap(\.self) + starts.filter { $0 >= from } + [now]
        return zip(moments, moments.dropFirst()).contains { $1 - $0 >= Self.breakDays * Self.day }
    }

    /// Days from a moment to now.
    func age(of moment: Int64) -> Double { Double(now - moment) / Double(Self.day) }

    /// Whether heart rate drifted too far from power in a steady piece of the last days.
    func drifts(inDays days: Int64) -> Bool {
        pieces(ofDays: days).contains { piece in
            (try? piece.drift.get()).map { $0.percent > Self.mostDrift } ?? false
        }
    }

    /// Percent. Friel sets 5 as the end of aerobic work. Beyond this value the athlete was overtaxed or
    /// dehydrated, and more work is wrong.
    static let mostDrift = 10.0

    // MARK: Weeks

    /// A week of the club's calendar.
    struct Week {
        let pieces: [PieceTraining]

        var seconds: Double {
            pieces.reduce(0) { $0 + Double($1.metrics.total.centiseconds) / 100 }
        }
    }

    /// The Monday of the current week.
    var monday: CalendarDay { calendar.day(of: now).monday }

    /// The start of the day that is a number of days after the current week's Monday.
    func weekStart(plusDays days: Int64 = 0) -> Int64 {
        calendar.start(of: monday.advanced(by: days))
    }

    /// A number of complete weeks before the current one, oldest first.
    func weeks(_ count: Int64) -> [Week] {
        (1...count).reversed().map { back in
            let first = monday.advanced(by: -7 * back)
            let days = first..<first.advanced(by: 7)
            return Week(pieces: pieces.filter { days.contains($0.metrics.startedOn) })
        }
    }

    // MARK: Easy pieces

    /// Watts of zone UT2; nil without zones.
    var easyWatts: ClosedRange<Int>? {
        guard let bounds = zones?.bounds, bounds.count > 1, bounds[0] < bounds[1] else {
            return nil
        }
        return bounds[0]...(bounds[1] - 1)
    }

    /// Whether the mean power of a piece is below the zone of the anaerobic threshold.
    func isEasy(_ piece: PieceTraining) -> Bool {
        guard let zones else { return false }
        return piece.metrics.total.watts(on: machine) < Double(zones.bounds[2])
    }
}

extension PieceTraining {
    var name: PieceName { metrics.name }

    var seconds: Double { Double(metrics.total.centiseconds) / 100 }

    /// End of the last stroke in Unix milliseconds, without rests.
    var endedAt: Int64 { metrics.startedAt + metrics.total.centiseconds * 10 }
}

extension [Double] {
    /// The median; the lower of the two middle values if their number is even. 0 if empty.
    var median: Double { isEmpty ? 0 : sorted()[(count - 1) / 2] }

    var mean: Double { isEmpty ? 0 : reduce(0, +) / Double(count) }

    /// Population standard deviation of the numbers divided by their mean, in percent; 0 unless the mean is
    /// positive.
    var coefficientOfVariationPercent: Double {
        let mean = mean
        guard mean > 0 else { return 0 }
        let squares = reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return (squares / Double(count)).squareRoot() / mean * 100
    }
}
