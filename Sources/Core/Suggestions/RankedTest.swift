import Bests
import Training

/// Rule `ranked_test`: suggests an event whose ranked result is old, or missing between two fresh ones. The
/// pace follows from fresh results over other distances by Paul's law.
enum RankedTest {
    /// Age in days from which a result is old.
    static let oldDays: Int64 = 180
    /// Minimum number of sessions in four weeks; athletes who train less are not tested.
    static let leastSessions = 6
    /// Minimum days since the last ranked piece.
    static let pauseDays: Int64 = 6
    /// Seconds per 500 m about the pace: with a fitted k or an old result, and with the rule of thumb.
    static let bands = (own: 1.5, usual: 3.0)
    /// The test is offered for 28 days in every 56.
    static let offeredDays: Int64 = 28
    static let everyDays: Int64 = 56
    /// Distances in order of priority; zones derive from 2000 m.
    static let events = [2000, 5000, 1000, 6000, 500, 10_000]

    static func suggestions(_ past: SessionHistory) -> [Suggestion] {
        guard past.machine != .bike, !past.hasBreak(inDays: 28),
            past.pieces(ofDays: 28).count >= leastSessions,
            past.pieces(ofDays: pauseDays).allSatisfy({ $0.metrics.rankedEvent == nil })
        else { return [] }
        let fresh = past.pieces(ofDays: oldDays)
        let law = AthleteTraining(fresh, by: .season).machines.first
        for metres in events {
            let event = RankedEvent.metres(metres)
            guard !fresh.contains(where: { $0.metrics.rankedEvent == event }) else { continue }
            let expected = law?.predictions.first { $0.event == event }
            let last = past.pieces.last { $0.metrics.rankedEvent == event }
            let found =
                last.flatMap { old($0, event, expected, past) }
                ?? (last == nil ? missing(event, expected, fresh, past) : nil)
            if let found { return [found] }
        }
        return []
    }

    /// Suggests an event whose newest result is old.
    private static func old(
        _ last: PieceTraining, _ event: RankedEvent, _ expected: Prediction?, _ past: SessionHistory
    ) -> Suggestion? {
        let pace = last.metrics.total.pace
        let days = past.age(of: last.metrics.startedAt)
        let reason = SuggestionReason(
            .oldResult, .measured, days: Int(days), pace: pace, of: [last.name])
        return suggestion(
            event, expected, else: pace, [reason], past, anchor: last,
            due: last.metrics.startedAt + oldDays * SessionHistory.day)
    }

    /// Suggests an event without a result, between fresh results over a shorter and a longer distance.
    private static func missing(
        _ event: RankedEvent, _ expected: Prediction?, _ fresh: [PieceTraining],
        _ past: SessionHistory
    ) -> Suggestion? {
        let ranked = fresh.filter { $0.metrics.rankedEvent?.metres != nil }
        let (shorter, longer) = (
            ranked.last { $0.metrics.rankedEvent.isShorter(than: event) },
            ranked.last { event.isShorter(than: $0.metrics.rankedEvent) }
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
        _ first: [SuggestionReason], _ past: SessionHistory, anchor: PieceTraining, due: Int64
    ) -> Suggestion? {
        let turn = (past.now - due) / (everyDays * SessionHistory.day)
        let madeAt = due + turn * everyDays * SessionHistory.day
        let expiresAt = madeAt + offeredDays * SessionHistory.day
        guard past.now < expiresAt else { return nil }
        var (reasons, targetPace, band) = (first, pace, bands.own)
        if let figure = expected?.figure {
            targetPace = figure.paceSeconds
            if figure.kind == .ruleOfThumb { band = bands.usual }
            reasons.append(
                SuggestionReason(.expectedPace, figure.kind, pace: targetPace, of: figure.inputs))
        }
        let month = past.pieces(ofDays: 28)
        reasons.append(
            SuggestionReason(.inTraining, times: month.count, days: 28, of: month.map(\.name)))
        let paces = (targetPace - band)...(targetPace + band)
        guard let workout = SuggestedWorkout(event.wireName, pace: paces) else { return nil }
        return Suggestion(
            .rankedTest, target: event.wireName, workout, past, anchor: anchor.name, turn: turn,
            reasons: reasons, confidence(expected, past), madeAt: madeAt, expiresAt: expiresAt)
    }

    /// From the results behind the expected pace; low without them.
    private static func confidence(_ expected: Prediction?, _ past: SessionHistory) -> Confidence {
        guard let figure = expected?.figure, figure.kind == .estimated else { return .low }
        return Confidence(
            count: figure.inputs.count, ageDays: past.age(of: figure.date) / 3, spreadPercent: 0)
    }
}

extension RankedEvent {
    /// nil for a timed event.
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

extension WorkPoint {
    /// Pace in seconds per 500 m.
    var pace: Double { Double(centiseconds) * 50 / Double(max(1, decimetres)) }
}

extension EventResult {
    /// Pace in seconds per 500 m.
    var paceSeconds: Double {
        WorkPoint(centiseconds: centiseconds, decimetres: decimetres).pace
    }
}
