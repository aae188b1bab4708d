import Bytes
import Contract
import PM5Codec
import Rowing
import Testing

@testable import Gateway

/// Workouts in commands.
@Suite struct WorkoutCommandTests {
    private func order(_ fields: String) throws -> ParsedCommand {
        let value = try JSONValue(parsing: Array("{\(fields)}".utf8))
        guard case .object(let object) = value else { throw CommandFault(.notJSON, "") }
        var fields = CommandFields(object)
        return try ParsedCommand(.workout, &fields)
    }

    struct Example: Sendable {
        var fields: String
        var plan: WorkoutProgram.Plan
        var target: UInt32?
        var isForced = false
        var bands: [TargetBands] = []
    }

    private static func bands(
        rate: TargetBand? = nil, pace: TargetBand? = nil, share: TargetBand? = nil,
        offset: PaceOffset? = nil
    ) -> TargetBands {
        var bands = TargetBands()
        bands.paceOffset = offset
        bands.powerShare = share
        (bands.rate, bands.pace) = (rate, pace)
        return bands
    }

    private static let fourBy500 = WorkoutProgram.Interval(.meters(500), rest: .seconds(60))

    static let examples: [Example] = [
        Example(fields: #""type":"just_row""#, plan: .justRow),
        Example(
            fields: #""type":"distance","distance_m":2000,"target_pace_s_per_500m":112.5"#,
            plan: .single(.meters(2000), split: .meters(400)), target: 11_250,
            bands: [bands(pace: TargetBand(low: 11_250, high: 11_250))]),
        // A band has priority over the pace that the monitor shows.
        Example(
            fields: #""type":"distance","distance_m":2000,"target_pace_s_per_500m":112.5,"#
                + #""target_pace_max_s_per_500m":115"#,
            plan: .single(.meters(2000), split: .meters(400)), target: 11_250,
            bands: [bands(pace: TargetBand(low: nil, high: 11_500))]),
        Example(
            fields: #""type":"just_row","target_pace_s_per_500m":130"#, plan: .justRow,
            bands: [bands(pace: TargetBand(low: 13_000, high: 13_000))]),
        Example(
            fields: #""type":"time","duration_s":1801,"split_duration_s":300,"force":true"#,
            plan: .single(.centiseconds(180_100), split: .centiseconds(30_000)), isForced: true),
        Example(
            fields: #""type":"calories","calories_kcal":7"#,
            plan: .single(.calories(7), split: .calories(5))),
        Example(
            fields: #""type":"intervals","repeat":4,"intervals":[{"distance_m":500,"rest_s":60}]"#,
            plan: .intervals([fourBy500, fourBy500, fourBy500, fourBy500])),
        Example(
            fields: #""type":"intervals","endless":true,"intervals":[{"calories_kcal":20}]"#,
            plan: .repeating(.calories(20), restSeconds: 0)),
        Example(
            fields: #""type":"intervals","target_pace_s_per_500m":120,"intervals":["#
                + #"{"duration_s":60,"undefined_rest":true},"#
                + #"{"distance_m":100,"target_pace_s_per_500m":100}]"#,
            plan: .intervals([
                .init(
                    .centiseconds(6_000), rest: .undefined, targetPaceCentisecondsPer500m: 12_000),
                .init(.meters(100), rest: .seconds(0), targetPaceCentisecondsPer500m: 10_000),
            ]),
            bands: [
                bands(pace: TargetBand(low: 12_000, high: 12_000)),
                bands(pace: TargetBand(low: 10_000, high: 10_000)),
            ]),
        Example(
            fields: #""type":"just_row","target_stroke_rate_min_spm":18,"#
                + #""target_stroke_rate_max_spm":20"#,
            plan: .justRow, bands: [bands(rate: TargetBand(low: 18, high: 20))]),
        Example(
            fields: #""type":"intervals","target_stroke_rate_max_spm":24,"intervals":["#
                + #"{"distance_m":500,"rest_s":60,"target_pace_max_s_per_500m":120.5},"#
                + #"{"distance_m":500,"rest_s":60,"target_stroke_rate_min_spm":30}]"#,
            plan: .intervals([fourBy500, fourBy500]),
            bands: [
                bands(
                    rate: TargetBand(low: nil, high: 24), pace: TargetBand(low: nil, high: 12_050)),
                bands(rate: TargetBand(low: 30, high: nil)),
            ]),
        Example(
            fields: #""type":"just_row","target_2k_power_min_pct":55,"#
                + #""target_2k_power_max_pct":65"#,
            plan: .justRow, bands: [bands(share: TargetBand(low: 55, high: 65))]),
        Example(
            fields: #""type":"just_row","target_6k_offset_min_s_per_500m":-2.5"#, plan: .justRow,
            bands: [bands(offset: PaceOffset(.sixK, TargetBand(low: -250, high: nil)))]),
        // An interval with any target pace does not have that of the workout.
        Example(
            fields: #""type":"intervals","target_2k_offset_max_s_per_500m":12,"intervals":["#
                + #"{"distance_m":500,"rest_s":60},"#
                + #"{"distance_m":500,"rest_s":60,"target_6k_offset_max_s_per_500m":0},"#
                + #"{"distance_m":500,"rest_s":60,"target_pace_max_s_per_500m":120}]"#,
            plan: .intervals([fourBy500, fourBy500, fourBy500]),
            bands: [
                bands(offset: PaceOffset(.twoK, TargetBand(low: nil, high: 1_200))),
                bands(offset: PaceOffset(.sixK, TargetBand(low: nil, high: 0))),
                bands(pace: TargetBand(low: nil, high: 12_000)),
            ]),
    ]

    @Test(arguments: examples)
    func readsEachKindOfWorkout(_ example: Example) throws {
        #expect(
            try order(example.fields)
                == .monitor(
                    .program(
                        WorkoutProgram(
                            example.plan, targetPaceCentisecondsPer500m: example.target),
                        isForced: example.isForced), WorkoutTargets(example.bands)))
    }

    static let faults: [(fields: String, code: CommandCode, message: String)] = [
        ("", .missingField, "type is missing"),
        (#""type":"swim""#, .badValue, "just_row, distance"),
        (#""type":"just_row","distance_m":500"#, .unknownField, "unknown field distance_m"),
        (#""type":"distance""#, .missingField, "distance_m is missing"),
        (#""type":"distance","distance_m":99"#, .badValue, "piece is 99 m, must be 100 to 999999"),
        (#""type":"time","duration_s":19"#, .badValue, "piece is 19 s, must be 20 to 35999"),
        (#""type":"time","duration_s":"60""#, .badValue, "duration_s must be a whole number"),
        (
            #""type":"distance","distance_m":20000,"split_distance_m":100"#, .badValue,
            "200 splits, at most 50"
        ),
        (#""type":"intervals","intervals":[]"#, .badValue, "must not be empty"),
        (#""type":"intervals","intervals":[7]"#, .badValue, "intervals[1] must be an object"),
        (
            #""type":"intervals","intervals":[{"distance_m":500,"duration_s":60}]"#, .badValue,
            "exclude each other"
        ),
        (
            #""type":"intervals","intervals":[{"distance_m":500},{"distance_m":500,"rest_sec":60}]"#,
            .unknownField, "unknown field intervals[2].rest_sec; did you mean rest_s?"
        ),
        (
            #""type":"intervals","intervals":[{"distance_m":500},{"duration_s":19}]"#, .badValue,
            "interval 2 is 19 s"
        ),
        (
            #""type":"intervals","intervals":[{"distance_m":500,"rest_s":596}]"#, .badValue,
            "0 to 595"
        ),
        (
            #""type":"intervals","repeat":26,"intervals":[{"distance_m":500},{"distance_m":250}]"#,
            .tooManyIntervals, "52 intervals; a monitor holds at most 50"
        ),
        (
            #""type":"intervals","endless":true,"repeat":2,"intervals":[{"distance_m":500}]"#,
            .badValue, "needs exactly one interval"
        ),
        (
            #""type":"just_row","force":1"#, .badValue, "force must be true or false"
        ),
        (
            #""type":"just_row","target_power_min_w":0"#, .badValue,
            "target_power_min_w must be 1 to 2000"
        ),
        (
            #""type":"intervals","intervals":[{"distance_m":500},{"distance_m":500,"#
                + #""target_heart_rate_min_bpm":160,"target_heart_rate_max_bpm":150}]"#,
            .badValue,
            "intervals[2].target_heart_rate_min_bpm is above target_heart_rate_max_bpm"
        ),
        (
            #""type":"just_row","target_power_min_w":200,"target_2k_power_max_pct":65"#, .badValue,
            "target_2k_power_min_pct and target_power_min_w exclude each other"
        ),
        (
            #""type":"just_row","target_2k_offset_min_s_per_500m":-30.1"#, .badValue,
            "target_2k_offset_min_s_per_500m must be -30 to 60"
        ),
        (
            #""type":"just_row","target_2k_offset_min_s_per_500m":"+12""#, .badValue,
            "target_2k_offset_min_s_per_500m must be a number of seconds"
        ),
        (
            #""type":"just_row","target_2k_offset_min_s_per_500m":5,"target_2k_offset_max_s_per_500m":4"#,
            .badValue, "target_2k_offset_min_s_per_500m is above target_2k_offset_max_s_per_500m"
        ),
        (
            #""type":"just_row","target_2k_offset_min_s_per_500m":5,"target_6k_offset_max_s_per_500m":5"#,
            .badValue,
            "target_2k_offset_min_s_per_500m and target_6k_offset_min_s_per_500m exclude each other"
        ),
        (
            #""type":"just_row","target_6k_offset_min_s_per_500m":5,"target_pace_s_per_500m":120"#, .badValue,
            "target_6k_offset_min_s_per_500m and target_pace_s_per_500m exclude each other"
        ),
        (
            #""type":"just_row","target_2k_offset_min_s_per_500m":5,"target_pace_max_s_per_500m":120"#,
            .badValue, "target_2k_offset_min_s_per_500m and target_pace_min_s_per_500m exclude each other"
        ),
        (
            #""type":"intervals","target_pace_s_per_500m":120,"intervals":[{"distance_m":500},"#
                + #"{"distance_m":500,"target_2k_offset_max_s_per_500m":12}]"#, .badValue,
            "intervals[2].target_2k_offset_min_s_per_500m and target_pace_s_per_500m of the workout exclude "
                + "each other; set the pace in each interval"
        ),
        (
            #""type":"time","duration_s":60,"target_rate_max_spm":20"#, .unknownField,
            "unknown field target_rate_max_spm"
        ),
    ]

    @Test(arguments: faults)
    func namesTheFirstFault(fields: String, code: CommandCode, message: String) {
        #expect {
            try order(fields)
        } throws: { error in
            guard let fault = error as? CommandFault else { return false }
            #expect(fault.message.contains(message), "\(fault.message)")
            return fault.code == code
        }
    }
}
