import Bests
import Bytes
import Contract
import Timeline
import Training

@testable import Suggestions

/// Synthetic sessions of an athlete with known power, k and weeks.
struct SyntheticAthlete {
    /// 2026-11-23T18:00:00Z, a Monday.
    static let evening: Int64 = 1_795_456_800_000
    static let day: Int64 = 86_400_000

    var pieces: [PieceTraining] = []
    var responses: [SuggestionResponse] = []
    /// Multiplies all watts.
    var strength = 1.0
    /// Days by which everything is shifted.
    var later: Int64 = 0
    var calendar = ClubCalendar.utc

    var now: Int64 { Self.evening + later * Self.day }

    static func name(_ number: Int) -> PieceName {
        PieceName(
            gateway: GatewayID("boathouse")!,
            session: "01JD8Z3V5Q" + String(String(number + 10_000_000_000_000_000).dropFirst()))
    }

    static func seconds(over metres: Double, at watts: Double) -> Double {
        var (fast, slow) = (0.01, 3.0)
        for _ in 0..<80 {
            let middle = (fast + slow) / 2
            if 2.80 / (middle * middle * middle) > watts { fast = middle } else { slow = middle }
        }
        return metres * fast
    }

    /// Adds a session at noon of a past day.
    private mutating func add(
        daysAgo: Double, workout: WorkoutResult?, total: WorkPoint,
        _ change: (inout RecordedPiece) -> Void = { _ in }
    ) {
        let started = now - Int64(daysAgo * Double(Self.day)) - 6 * 3_600_000
        var piece = RecordedPiece(name: Self.name(pieces.count + 1), startedAt: started)
        (piece.workout, piece.total) = (workout, total)
        (piece.isComplete, piece.isVerified, piece.agreesWithMonitor) = (true, true, true)
        let count = max(2, Int(total.centiseconds / 250))
        let points = (0...count).map { stroke in
            WorkPoint(
                centiseconds: total.centiseconds * Int64(stroke) / Int64(count),
                decimetres: total.decimetres * Int64(stroke) / Int64(count))
        }
        (piece.runs, piece.strokeCount) = ([points], count)
        let watts = Int(total.watts(on: .rower).rounded())
        piece.strokes = (1...count).map {
            MeasuredStroke(
                centiseconds: points[$0].centiseconds - points[$0 - 1].centiseconds,
                watts: watts, rate: 20)
        }
        change(&piece)
        pieces.append(PieceTraining(piece, in: calendar))
    }

    /// Adds intervals of 500 m with constant power; the pace of the last one is multiplied by `fade`.
    mutating func intervals(
        daysAgo: Double, _ count: Int = 4, of set: Int = 4, watts: Double, fade: Double = 1,
        inTarget: Int? = nil, machine: MachineKind = .rower
    ) {
        let long = Self.seconds(over: 500, at: watts * strength)
        let parts = (0..<count).map { index in
            let seconds = index == count - 1 ? long * fade : long
            return WorkoutResult.Part(
                .metres(500), restSeconds: 60,
                result: WorkPoint(
                    centiseconds: Int64((seconds * 100).rounded()), decimetres: 5000))
        }
        let workout = WorkoutResult(
            parts, isIntervals: true, isComplete: count == set, inTarget: inTarget)
        let total = parts.reduce(WorkPoint(centiseconds: 0, decimetres: 0)) {
            WorkPoint(
                centiseconds: $0.centiseconds + $1.result.centiseconds,
                decimetres: $0.decimetres + $1.result.decimetres)
        }
        add(daysAgo: daysAgo, workout: workout, total: total) { $0.machine = machine }
    }

    /// Adds a steady piece, optionally with heart rate drift in percent.
    mutating func steady(
        daysAgo: Double, minutes: Int, watts: Double, drift: Double? = nil, isComplete: Bool = true
    ) {
        let slow = Self.seconds(over: 1, at: watts * strength)
        let total = WorkPoint(
            centiseconds: Int64(minutes) * 6000,
            decimetres: Int64((Double(minutes) * 600 / slow).rounded()))
        let workout = WorkoutResult(
            [.init(.seconds(minutes * 60), result: total)], isIntervals: false,
            isComplete: isComplete)
        add(daysAgo: daysAgo, workout: workout, total: total) { piece in
            guard let drift else { return }
            for index in piece.strokes.indices {
                let isLate = index >= piece.strokes.count / 2
                piece.strokes[index].heartRate = isLate ? Int(150 / (1 - drift / 100)) : 150
            }
        }
    }

    /// Adds a ranked piece whose second half is slower by a percentage of its pace.
    mutating func ranked(_ metres: Int, daysAgo: Double, pace: Double, slower: Double = 0) {
        let long = pace * Double(metres) / 500 / cubeRoot(strength)
        let total = WorkPoint(
            centiseconds: Int64((long * 100).rounded()), decimetres: Int64(metres) * 10)
        let workout = WorkoutResult([.init(.metres(metres), result: total)], isIntervals: false)
        add(daysAgo: daysAgo, workout: workout, total: total) { piece in
            piece.preset = .metres(metres)
            let count = Double(piece.strokeCount)
            piece.runs = [
                (0...piece.strokeCount).map { stroke in
                    let part = Double(stroke) / count
                    // Half of the distance in less than half of the time.
                    let half = 0.5 - slower / 400
                    let time =
                        part <= 0.5 ? part * 2 * half : half + (part - 0.5) * 2 * (1 - half)
                    return WorkPoint(
                        centiseconds: Int64((time * long * 100).rounded()),
                        decimetres: Int64((part * Double(metres) * 10).rounded()))
                }
            ]
        }
    }

    private func cubeRoot(_ value: Double) -> Double {
        var root = 1.0
        for _ in 0..<60 { root -= (root * root * root - value) / (3 * root * root) }
        return root
    }

    /// Adds a response to an open suggestion, some days ago.
    mutating func respond(
        _ answer: AthleteSuggestions.State, _ suggestion: AthleteSuggestions.Tracked,
        daysAgo: Double = 0,
        untilDays: Double? = nil
    ) {
        let at = now - Int64(daysAgo * Double(Self.day))
        let until = untilDays.map { now + Int64($0 * Double(Self.day)) }
        let response = SuggestionResponse(suggestion.body, answer, at: at, until: until, by: "coach")
        responses.removeAll { $0.id == suggestion.id }
        if let response { responses.append(response) }
    }

    func suggestions(inDays days: Double = 0) -> AthleteSuggestions {
        AthleteSuggestions(pieces, responses, now: now + Int64(days * Double(Self.day)), in: calendar)
    }

    /// Rules of the open suggestions, in order.
    func rules(inDays days: Double = 0) -> [SuggestionRule] {
        suggestions(inDays: days).open.map(\.rule)
    }

    func open(_ rule: SuggestionRule) -> AthleteSuggestions.Tracked? {
        suggestions().open.first { $0.rule == rule }
    }

    func json(inDays days: Double = 0) -> String {
        String(decoding: JSONWriter.object(suggestions(inDays: days).write), as: UTF8.self)
    }
}

extension SyntheticAthlete {
    /// Five times 4 x 500 m in four weeks, about 200 W; the last one yesterday.
    static func repeating(_ watts: [Double] = [198, 201, 200, 199, 202]) -> SyntheticAthlete {
        var athlete = SyntheticAthlete()
        for (index, power) in watts.enumerated() {
            athlete.intervals(daysAgo: Double(1 + 6 * (watts.count - 1 - index)), watts: power)
        }
        return athlete
    }

    /// Complete weeks of sessions with minutes and watts, oldest first, after a ranked 2000 m at 400 W.
    /// Zone UT2 is then 220 to 259 W.
    static func weeks(_ weeks: [[(minutes: Int, watts: Double)]]) -> SyntheticAthlete {
        var athlete = SyntheticAthlete()
        athlete.ranked(2000, daysAgo: 100, pace: seconds(over: 500, at: 400))
        for (back, week) in weeks.reversed().enumerated() {
            for (index, session) in week.enumerated() {
                // Today is a Monday: the last week's days are 7 to 1 days ago.
                athlete.steady(
                    daysAgo: Double(7 * (back + 1) - index * 2), minutes: session.minutes,
                    watts: session.watts)
            }
        }
        return athlete
    }
}
