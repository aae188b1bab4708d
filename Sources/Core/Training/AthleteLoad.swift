import Bests
import Bytes
import Timeline

/// An athlete's training load in a day, a week or a season, with the averages at its end.
package struct AthleteLoad: Equatable, Sendable {
    package let span: TrainingSpan
    package let basis: FigureBasis
    /// Tenths; the sum over all sessions that began in it.
    package let tenths: Int64
    /// Hundredths: daily means, up to its last day with a session.
    package let longAverage: Int64
    package let shortAverage: Int64
    /// Whether the first session is less than `longDays` ago: the long average divides by more days than
    /// have data, so it is too low.
    package let isLow: Bool
    /// Sessions whose load is unknown.
    package let unknown: Int

    package static let longDays: Int64 = 42
    package static let shortDays: Int64 = 7
    package static let formula =
        "sum of 100 h (P_n / P_60min)^2; means of the last 42 and 7 days, days without rowing as 0"

    /// The loads of all spans with at least one session, in order.
    ///
    /// - Parameters:
    ///   - hours: hour power on each kind of machine, the reference of the load.
    ///   - season: only sessions of this season; the averages include earlier sessions.
    static func all(
        of pieces: [PieceTraining], by hours: [MachineKind: Result<HourPower, MissingReason>],
        _ length: TrainingSpan.Length, in season: Season? = nil
    ) -> [AthleteLoad] {
        let loads = pieces.map { piece in
            Loaded(
                piece, hours[piece.metrics.machine].map { SessionLoad.of(piece, by: $0) }?.value)
        }
        let days = Dictionary(grouping: loads, by: \.day)
            .mapValues { $0.reduce(0) { $0 + ($1.load?.tenths ?? 0) } }
        guard let first = days.keys.min() else { return [] }
        let wanted = loads.filter { loaded in
            season.map { $0 == Season(of: loaded.day) } ?? true
        }
        return Dictionary(grouping: wanted) { TrainingSpan(length, of: $0.day) }
            .sorted { $0.key < $1.key }
            .map { AthleteLoad($0.key, $0.value, days, since: first) }
    }

    private init(
        _ span: TrainingSpan, _ loads: [Loaded], _ days: [CalendarDay: Int64],
        since first: CalendarDay
    ) {
        let last = loads.map(\.day).max() ?? span.firstDay
        func average(_ count: Int64) -> Int64 {
            let days = (last.advanced(by: 1 - count)...last).map { days[$0] ?? 0 }
            let sum = days.reduce(0, +)
            return (sum * 10 + count / 2) / count
        }
        let known = loads.compactMap(\.load)
        self.span = span
        tenths = known.map(\.tenths).reduce(0, +)
        (longAverage, shortAverage) = (average(Self.longDays), average(Self.shortDays))
        isLow = first.distance(to: last) < Self.longDays - 1
        unknown = loads.count - known.count
        let kinds = Set(known.map(\.basis.kind))
        let weakest: FigureKind =
            kinds.contains(.ruleOfThumb)
            ? .ruleOfThumb : kinds.contains(.estimated) ? .estimated : .computed
        basis = FigureBasis(
            weakest, Self.formula, of: loads.map(\.name),
            on: loads.map(\.startedAt).max() ?? 0)
    }

    /// Writes the members into an open object.
    func write(into json: inout JSONWriter, listsInputs: Bool = true) {
        json.field("from", span.text)
        basis.write(into: &json, listsInputs: listsInputs)
        json.field("load", tenths, places: 1)
        json.field("average_42_d", longAverage, places: 2)
        json.field("average_7_d", shortAverage, places: 2)
        json.field("low", isLow)
        json.field("unknown_sessions", unknown)
    }
}

/// A session with its load.
private struct Loaded {
    let name: PieceName
    let startedAt: Int64
    let day: CalendarDay
    let load: SessionLoad?

    init(_ piece: PieceTraining, _ load: SessionLoad?) {
        (name, startedAt) = (piece.metrics.name, piece.metrics.startedAt)
        day = piece.metrics.startedOn
        self.load = load
    }
}

extension Result {
    fileprivate var value: Success? {
        if case .success(let value) = self { value } else { nil }
    }
}
