import Bests
import Training

/// Rule `ranked_test`: an event whose ranked result is old, or missing between two that are fresh, is
/// worth a piece; at the pace that fresh results of other distances let expect by Paul's law.
enum RankedTest {
    /// Days after which a result is old.
    static let oldDays: Int64 = 180
    /// Sessions in four weeks: who rows less is not tested.
    static let leastSessions = 6
    /// Days since a ranked piece, at least.
    static let pauseDays: Int64 = 6
    /// Seconds for 500 m about the pace: by an own k or an old result, and by the rule of thumb.
    static let bands = (own: 1.5, usual: 3.0)
    /// It is offered for four weeks out of eight.
    static let offeredDays: Int64 = 28
    static let everyDays: Int64 = 56
    /// Those that are asked for, the first one first: zones rest on 2000 m.
    static let events = [2000, 5000, 1000, 6000, 500, 10_000]

    static func suggestions(_ past: AthletePast) -> [Suggestion] {
        guard past.machine != .bike, !past.hasBreak(inDays: 28),
            past.pieces(ofDays: 28).count >= leastSessions,
            past.pieces(ofDays: pauseDays).allSatisfy({ $0.figures.rankedEvent == nil })
        else { return [] }
        let fresh = past.pieces(ofDays: oldDays)
        let law = AthleteTraining(fresh, by: .season).machines.first
        for metres in events {
            let event = RankedEvent.metres(metres)
            guard !fresh.contains(where: { $0.figures.rankedEvent == event }) else { continue }
            let expected = law?.predictions.first { $0.event == event }
            let last = past.pieces.last { $0.figures.rankedEvent == event }
            let found =
                last.flatMap { old($0, event, expected, past) }
                ?? (last == nil ? missing(event, expected, fresh, past) : nil)
            if let found { return [found] }
        }
        return []
    }

    /// The newest result of an event is old.
    private static func old(
        _ last: PieceTraining, _ event: RankedEvent, _ expected: Prediction?, _ past: AthletePast
    ) -> Suggestion? {
        let pace = last.figures.total.pace
        let days = past.age(of: last.figures.startedAt)
        let reason = SuggestionReason(
            .oldResult, .measured, days: Int(days), pace: pace, of: [last.name])
        return suggestion(
            event, expected, else: pace, [reason], past, anchor: last,
            due: last.figures.startedAt + oldDays * AthletePast.day)
    }

    /// There is none, and there are fresh ones of a shorter and of a longer distance.
    private static func missing(
        _ event: RankedEvent, _ expected: Prediction?, _ fresh: [PieceTraining],
        _ past: AthletePast
    ) -> Suggestion? {
        let ranked = fresh.filter { $0.figures.rankedEvent?.metres != nil }
        let (shorter, longer) = (
            ranked.last { $0.figures.rankedEvent.isShorter(than: event) },
            ranked.last { event.isShorter(than: $0.figures.rankedEvent) }
        )
        guard let expected, let shorter, let longer else { return nil }
        let anchor = shorter.endedAt > longer.endedAt ? shorter : longer
        let reason = SuggestionReason(.missingResult, .measured, of: [shorter.name, longer.name])
        return suggestion(
            event, expected, else: expected.figure.paceSeconds, [reason], past, anchor: anchor,
            due: anchor.endedAt)
    }

    private static func suggestion(
        _ event: RankedEvent, _ expected: Prediction?, else pace: Double,
        _ first: [SuggestionReason], _ past: AthletePast, anchor: PieceTraining, due: Int64
    ) -> Suggestion? {
        let turn = (past.now - due) / (everyDays * AthletePast.day)
        let madeAt = due + turn * everyDays * AthletePast.day
        let expiresAt = madeAt + offeredDays * AthletePast.day
        guard past.now < expiresAt else { return nil }
        var (reasons, aim, band) = (first, pace, bands.own)
        if let figure = expected?.figure {
            aim = figure.paceSeconds
            if figure.kind == .ruleOfThumb { band = bands.usual }
            reasons.append(
                SuggestionReason(.expectedPace, figure.kind, pace: aim, of: figure.inputs))
        }
        let month = past.pieces(ofDays: 28)
        reasons.append(
            SuggestionReason(.inTraining, times: month.count, days: 28, of: month.map(\.name)))
        guard let workout = SuggestedWorkout(event.word, pace: (aim - band)...(aim + band)) else {
            return nil
        }
        return Suggestion(
            .rankedTest, target: event.word, workout, past, anchor: anchor.name, turn: turn,
            reasons: reasons, confidence(expected, past), madeAt: madeAt, expiresAt: expiresAt)
    }

    /// By the results that let expect a pace; without any there is only what was once.
    private static func confidence(_ expected: Prediction?, _ past: AthletePast) -> Confidence {
        guard let figure = expected?.figure, figure.kind == .estimated else { return .low }
        return Confidence(
            count: figure.inputs.count, ageDays: past.age(of: figure.date) / 3, spreadPercent: 0)
    }
}

extension RankedEvent {
    /// nil of a time.
    var metres: Int? {
        if case .metres(let metres) = self { metres } else { nil }
    }

    func isShorter(than other: RankedEvent?) -> Bool {
        guard let metres, let other = other?.metres else { return false }
        return metres < other
    }
}

extension RankedEvent? {
    func isShorter(than other: RankedEvent) -> Bool { map { $0.isShorter(than: other) } ?? false }
}

extension RowedPoint {
    /// Seconds for 500 m.
    var pace: Double { Double(centiseconds) * 50 / Double(max(1, decimetres)) }
}

extension RowedFigure {
    /// Seconds for 500 m.
    var paceSeconds: Double {
        RowedPoint(centiseconds: centiseconds, decimetres: decimetres).pace
    }
}
