import PM5Codec
import PM5Simulator
import Testing

@testable import Rowing

/// A monitor that is too busy to send its timed values, and sends its strokes.
@Suite struct StarvedStatusTests {
    static let timed: Set<CharacteristicID> = [
        .generalStatus, .additionalStatus1, .additionalStatus2, .additionalStatus3,
    ]

    @Test(arguments: PropertyTests.workouts, [false, true])
    func everyStrokeIsToldAsItComes(_ workout: String, _ isMultiplexed: Bool) throws {
        // Goal: strokes need no status, on either carrier. Method: 20 s and two minutes without the
        // timed values from moments all over the piece; the same strokes, splits and result as with
        // them, no gap, no pause.
        var air = try Airwaves(workout, seed: 21)
        let expected = air.folded()
        if isMultiplexed {
            air = try air.carried(multiplexing: Set(Airwaves.characteristics))
        }
        let over = air.truth.last { $0.kind == .session }?["at_s"] ?? 0
        for length in [20_000, 120_000] {
            for start in stride(from: 3_000, through: Int(over * 1000), by: 18_250) {
                let name = "\(workout), starved from \(start) ms for \(length)"
                let end = min(start + length, Int(over * 1000) + 20_000)
                let told = air.starved(start..<end).folded()
                check(told, against: expected, name)
            }
        }
    }

    private func check(_ told: Fold, against expected: Fold, _ name: String) {
        #expect(told.strokes.map(\.number) == expected.strokes.map(\.number), "\(name)")
        for (stroke, rowed) in zip(told.strokes, expected.strokes) {
            let place = "\(name), stroke \(stroke.number)"
            #expect(stroke.powerWatts == rowed.powerWatts, "\(place)")
            // Of intervals whose last status did not come, 0x0037 tells whole metres and 0.1 s.
            let before = stroke.isWithinIntervals(name) ? (rowed.interval ?? 1) - 1 : 0
            let way = abs(stroke.distance.millimeters - rowed.distance.millimeters)
            #expect(way <= 1000 * Int64(before), "\(place)")
            let time = abs(stroke.elapsed.seconds - rowed.elapsed.seconds)
            #expect(time <= 0.101 * Double(before), "\(place)")
        }
        #expect(told.splits.map(\.duration) == expected.splits.map(\.duration), "\(name)")
        #expect(told.gaps.isEmpty && told.splitGaps.isEmpty, "\(name)")
        #expect(told.edges.map(\.kind) == [.started, .ended], "\(name)")
        for (summary, result) in zip(told.summaries, expected.summaries) {
            #expect(summary.result == result.result, "\(name)")
            #expect(summary.distance == result.distance, "\(name)")
            #expect(summary.calories == result.calories, "\(name)")
            #expect(summary.averageStrokeRate == result.averageStrokeRate, "\(name)")
        }
        #expect(told.summaries.count == expected.summaries.count, "\(name)")
        #expect(told.machine.counters.implausible == 0, "\(name)")
    }

    @Test func aStrokeIsToldAtOnce() {
        // Goal: the minutes without a status delay nothing and freeze nothing as if it were of now.
        // Method: fifty strokes, two minutes, and the piece goes on.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(4)
        let last = pm5.fold.strokes.count
        pm5.filter = { Self.timed.contains(type(of: $0.payload).characteristic) ? nil : $0 }
        for number in 1...50 {
            pm5.row(1)
            pm5.pass(100)
            #expect(pm5.fold.strokes.count == last + number)
        }
        #expect(pm5.fold.live?.isStale == true)
        #expect(pm5.fold.strokes.last?.heartRate == nil && pm5.fold.strokes.last?.pace == nil)
        #expect(pm5.fold.states.last?.activity == .rowing)
        pm5.filter = { $0 }
        pm5.row(4)
        pm5.end(.terminate, lap: false)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended])
        #expect(pm5.fold.strokes.map(\.number) == Array(1...58))
        #expect(pm5.fold.gaps.isEmpty)
        #expect(pm5.fold.summaries.map(\.isVerifiedAgainstMonitor) == [true])
    }

    @Test func aPieceThatBeganBehindAnotherIsHeard() {
        // Goal: strokes of the next piece wait for its first status. Method: starved from the last
        // strokes of one piece to the sixth of the next.
        var pm5 = ScriptedMonitor(.justRowWithoutSplits)
        pm5.arm()
        pm5.row(10)
        pm5.filter = { Self.timed.contains(type(of: $0.payload).characteristic) ? nil : $0 }
        pm5.row(4)
        pm5.end(.terminate, lap: false)
        pm5.arm()
        pm5.row(6)
        pm5.filter = { $0 }
        pm5.row(4)
        pm5.end(.terminate, lap: false)
        #expect(pm5.fold.edges.map(\.kind) == [.started, .ended, .started, .ended])
        #expect(pm5.fold.strokes.map(\.number) == Array(1...14) + Array(1...10))
        #expect(pm5.fold.strokes.allSatisfy { $0.powerWatts != nil && $0.recoveryTime != nil })
        #expect(pm5.fold.gaps.isEmpty)
    }

    @Test(arguments: ["100m", "0:40"])
    func piecesWhollyUnseenAreToldAsTheyWereRowed(_ workout: String) throws {
        // Goal: a piece without any status has its session, and its strokes are in no other one.
        // Method: pieces rowed one behind the other, starved for a minute and for two from moments
        // all over; the strokes and results of each piece as they are with all statuses, no gap.
        let air = try Airwaves(workout, seed: 5, repeatingFor: 240_000)
        let expected = Self.pieces(air.folded())
        #expect(expected.count >= 3)
        for length in [60_000, 115_000] {
            for start in stride(from: 1000, through: 110_000, by: 7300) {
                let name = "\(workout), starved from \(start) ms for \(length)"
                let told = air.starved(start..<start + length).folded()
                #expect(Self.pieces(told) == expected, "\(name)")
                #expect(told.gaps.isEmpty && told.splitGaps.isEmpty, "\(name)")
            }
        }
    }

    /// What each session is, in their order.
    private static func pieces(_ fold: Fold) -> [String] {
        fold.edges.filter { $0.kind == .started }.map { edge in
            let strokes = fold.strokes.filter { $0.session == edge.session }.map(\.number)
            let splits = fold.splits.filter { $0.session == edge.session }.map(\.number)
            let summary = fold.summaries.last { $0.session == edge.session }
            let result = summary.map { "\($0.result) \($0.distance) \($0.workout)" } ?? "none"
            return "\(strokes) \(splits) \(result)"
        }
    }

    /// How the end of a piece is hidden.
    enum Hiding: CaseIterable {
        case finished, armedAgain, withoutSummary, linkLost, another
    }

    @Test(arguments: Hiding.allCases, [false, true])
    func aPieceWithoutAnyStatusIsRecorded(_ hiding: Hiding, isFirst: Bool) {
        // Goal: a piece that lies wholly inside a time without a status is a session like any other.
        // Method: one in which nothing is timed, as the first of a link and behind another one; the
        // status comes back while its end shows, or when it is gone; and with the link lost behind.
        var pm5 = ScriptedMonitor(.fixedDistanceWithoutSplits, 100)
        pm5.arm()
        if !isFirst {
            pm5.row(10)
            pm5.end()
            pm5.arm()
        }
        pm5.filter = { Self.timed.contains(type(of: $0.payload).characteristic) ? nil : $0 }
        pm5.row(10)
        pm5.end(summary: hiding != .withoutSummary)
        if hiding == .another {
            pm5.arm()
            pm5.row(10)
            pm5.end()
        }
        if hiding != .finished { pm5.arm() }
        if hiding == .linkLost {
            pm5.loseLink(20_000)
            pm5.regainLink()
        }
        pm5.filter = { $0 }
        pm5.pass(8000)
        let pieces = (isFirst ? 1 : 2) + (hiding == .another ? 1 : 0)
        let kinds = Array(repeating: [SessionEdge.Kind.started, .ended], count: pieces)
        #expect(pm5.fold.edges.map(\.kind) == Array(kinds.joined()))
        let numbers = Array(repeating: Array(1...10), count: pieces)
        #expect(pm5.fold.strokes.map(\.number) == Array(numbers.joined()))
        #expect(Set(pm5.fold.strokes.map(\.session)).count == pieces)
        #expect(pm5.fold.summaries.allSatisfy { $0.distance == Meters(100) })
        #expect(pm5.fold.summaries.last?.workout.target == .distance(Meters(100)))
        #expect(hiding == .linkLost || pm5.fold.gaps.isEmpty)
    }

    @Test func aPieceThatBeganAndEndedUnseenIsOne() {
        // Goal: a session whose first status comes late has its strokes from the first on, and one
        // whose last status comes late ended when it ended. Method: starved from before the first
        // stroke; and from the middle until long after the end.
        var early = ScriptedMonitor(.fixedDistanceWithSplits, 400)
        early.arm()
        early.filter = { Self.timed.contains(type(of: $0.payload).characteristic) ? nil : $0 }
        early.row(30)
        early.filter = { $0 }
        early.row(10)
        early.end()
        #expect(early.fold.strokes.map(\.number) == Array(1...40))
        #expect(early.fold.gaps.isEmpty)
        #expect(early.fold.summaries.map(\.isVerifiedAgainstMonitor) == [true])
        var late = ScriptedMonitor(.fixedDistanceWithSplits, 400)
        late.arm()
        late.row(10)
        late.filter = { Self.timed.contains(type(of: $0.payload).characteristic) ? nil : $0 }
        late.row(30)
        let end = late.fold.instant
        late.end()
        late.pass(60_000)
        late.filter = { $0 }
        late.pass(3000)
        #expect(late.fold.strokes.map(\.number) == Array(1...40))
        #expect(late.fold.edges.map(\.kind) == [.started, .ended])
        #expect(late.fold.summaries.map(\.isVerifiedAgainstMonitor) == [true])
        #expect(late.fold.summaries.first?.endedAt.duration(to: end) ?? .seconds(9) < .seconds(3))
    }
}
