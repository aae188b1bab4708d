import PM5Codec
import Testing

@Suite struct WorkoutLimitTests {
    @Test(
        arguments: [
            (
                .single(.meters(99), split: nil),
                .outOfRange(.piece, value: 99, allowed: 100...999_999)
            ),
            (
                .single(.meters(1_000_000), split: nil),
                .outOfRange(.piece, value: 1_000_000, allowed: 100...999_999)
            ),
            (
                .single(.centiseconds(1999), split: nil),
                .outOfRange(.piece, value: 1999, allowed: 2000...3_599_900)
            ),
            (
                .single(.centiseconds(3_599_901), split: nil),
                .outOfRange(.piece, value: 3_599_901, allowed: 2000...3_599_900)
            ),
            (.single(.calories(100), split: nil), .caloriesNeedSplit),
            (
                .single(.calories(4), split: .calories(4)),
                .outOfRange(.piece, value: 4, allowed: 5...65_535)
            ),
            (
                .single(.meters(2000), split: .meters(99)),
                .outOfRange(.split, value: 99, allowed: 100...60_000)
            ),
            (.single(.meters(2000), split: .centiseconds(6000)), .splitUnitDiffers),
            (
                .single(.meters(2000), split: .meters(2001)),
                .splitLongerThanPiece(split: 2001, piece: 2000)
            ),
            (.single(.meters(5001), split: .meters(100)), .tooManySplits(51, limit: 50)),
            (
                .single(.centiseconds(3_599_900), split: .centiseconds(540_001)),
                .outOfRange(.split, value: 540_001, allowed: 2000...540_000)
            ),
            (
                .justRowWithSplits(.meters(60_001)),
                .outOfRange(.split, value: 60_001, allowed: 100...60_000)
            ),
            (
                .repeating(.centiseconds(359_901), restSeconds: 0),
                .outOfRange(.interval(0), value: 359_901, allowed: 2000...359_900)
            ),
            (
                .repeating(.calories(1000), restSeconds: 0),
                .outOfRange(.interval(0), value: 1000, allowed: 5...999)
            ),
            (
                .repeating(.meters(500), restSeconds: 596),
                .outOfRange(.rest(0), value: 596, allowed: 0...595)
            ),
            (.intervals([]), .intervalCount(0, allowed: 1...50)),
            (
                .intervals(Array(repeating: Interval(.meters(500), rest: .undefined), count: 51)),
                .intervalCount(51, allowed: 1...50)
            ),
            (
                .intervals([
                    Interval(.meters(500), rest: .seconds(60)),
                    Interval(.centiseconds(36_000_000), rest: .seconds(60)),
                ]), .outOfRange(.interval(1), value: 36_000_000, allowed: 2000...35_999_900)
            ),
            (
                .intervals([
                    Interval(.meters(500), rest: .seconds(60)),
                    Interval(.meters(500), rest: .seconds(600)),
                ]), .outOfRange(.rest(1), value: 600, allowed: 0...595)
            ),
        ] as [(WorkoutProgram.Plan, WorkoutProgramError)])
    func namesValueOutsideLimit(plan: WorkoutProgram.Plan, error: WorkoutProgramError) {
        // One past each limit. The error names the value, which the monitor does not do.
        #expect(throws: error) { try WorkoutProgram(plan).frames() }
        #expect(error.description.isEmpty == false)
    }

    @Test(
        arguments: [
            .single(.meters(100), split: .meters(100)),
            .single(.meters(999_999), split: .meters(60_000)),
            .single(.meters(5000), split: .meters(100)),
            .single(.centiseconds(2000), split: .centiseconds(2000)),
            .single(.centiseconds(3_599_900), split: .centiseconds(540_000)),
            .single(.calories(65_535), split: .calories(65_535)),
            .repeating(.centiseconds(359_900), restSeconds: 595),
            .repeating(.calories(999), restSeconds: 0),
            .intervals([Interval(.centiseconds(35_999_900), rest: .seconds(595))]),
        ] as [WorkoutProgram.Plan])
    func acceptsValuesAtLimits(plan: WorkoutProgram.Plan) throws {
        // The limits themselves.
        #expect(try WorkoutProgram(plan).frames().isEmpty == false)
    }
}

private typealias Interval = WorkoutProgram.Interval
