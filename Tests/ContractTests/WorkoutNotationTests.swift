import Bytes
import Testing

@testable import Contract

@Suite struct WorkoutNotationTests {
    static let workouts: [(text: String, fields: String)] = [
        (
            "2000m@1:50-1:55.5",
            #"{"distance_m":2000,"target_pace_max_s_per_500m":115.50,"#
                + #""target_pace_min_s_per_500m":110.00,"type":"distance"}"#
        ),
        (
            "30:00@18-20spm,-150bpm",
            #"{"duration_s":1800,"target_heart_rate_max_bpm":150,"target_stroke_rate_max_spm":20,"#
                + #""target_stroke_rate_min_spm":18,"type":"time"}"#
        ),
        (
            "40:00@55-65%",
            #"{"duration_s":2400,"target_2k_power_max_pct":65,"target_2k_power_min_pct":55,"#
                + #""type":"time"}"#
        ),
        (
            "2000m@2k+12.5",
            #"{"distance_m":2000,"target_2k_offset_max_s_per_500m":12.50,"#
                + #""target_2k_offset_min_s_per_500m":12.50,"type":"distance"}"#
        ),
        (
            "4x2000m/3:00r@2k+12",
            #"{"intervals":[{"distance_m":2000,"rest_s":180,"target_2k_offset_max_s_per_500m":12.00,"#
                + #""target_2k_offset_min_s_per_500m":12.00}],"repeat":4,"type":"intervals"}"#
        ),
        (
            "500m/1:00r@6k-2+1:00@18-20spm,2k+0+500m@2k",
            #"{"intervals":[{"distance_m":500,"rest_s":60,"target_6k_offset_max_s_per_500m":-2.00,"#
                + #""target_6k_offset_min_s_per_500m":-2.00},{"duration_s":60,"#
                + #""target_2k_offset_max_s_per_500m":0.00,"target_2k_offset_min_s_per_500m":0.00,"#
                + #""target_stroke_rate_max_spm":20,"target_stroke_rate_min_spm":18},"#
                + #"{"distance_m":500,"target_2k_offset_max_s_per_500m":0.00,"#
                + #""target_2k_offset_min_s_per_500m":0.00}],"type":"intervals"}"#
        ),
        ("just-row@200-w", #"{"target_power_min_w":200,"type":"just_row"}"#),
        (
            "3x500m/1:00r@200-220w",
            #"{"intervals":[{"distance_m":500,"rest_s":60,"target_power_max_w":220,"#
                + #""target_power_min_w":200}],"repeat":3,"type":"intervals"}"#
        ),
        (
            "500m/r@24-26spm+2:00",
            #"{"intervals":[{"distance_m":500,"target_stroke_rate_max_spm":26,"#
                + #""target_stroke_rate_min_spm":24,"undefined_rest":true},{"duration_s":120}],"#
                + #""type":"intervals"}"#
        ),
    ]

    @Test(arguments: workouts)
    func parsesNotation(text: String, fields: String) throws {
        let notation = try WorkoutNotation(parsing: text)
        #expect(String(decoding: notation.json, as: UTF8.self) == fields)
        guard case .object(let object) = try JSONValue(parsing: notation.json) else { return }
        var command = CommandFields(object)
        _ = try ParsedCommand(.workout, &command)
    }

    @Test(
        arguments: [
            ("2k+10-15", "10.00", "15.00"), ("2k-5-3", "-5.00", "-3.00"), ("2k-3-5", "-5.00", "-3.00"),
            ("2k-2-2k+2", "-2.00", "2.00"), ("2k-2k+5", "0.00", "5.00"), ("2k+10-2k+5", "5.00", "10.00"),
            ("2k+10-", "10.00", nil), ("2k-", "0.00", nil), ("2k-5-", "-5.00", nil), ("-2k+15", nil, "15.00"),
            ("-2k-0.5", nil, "-0.50"), ("-2k", nil, "0.00"),
        ] as [(String, String?, String?)])
    func parsesOffsetRanges(text: String, low: String?, high: String?) throws {
        let json = try WorkoutNotation(parsing: "2000m@" + text).json
        let fields = try #require(try JSONObject(parsing: json))
        #expect(fields["target_2k_offset_min_s_per_500m"] == low.map { .number($0) })
        #expect(fields["target_2k_offset_max_s_per_500m"] == high.map { .number($0) })
        _ = try WorkoutRequest(parsing: "2000m@" + text)
    }

    @Test(arguments: [
        ("2000m@", "the target '' has no known unit"),
        ("2000m@200-220", "'200-220' has no known unit; write it like 1:50-1:55, 200-220w"),
        ("2000m@1:50", "'1:50' is not a range; write both limits"),
        ("2000m@220-200w", "'220-200w' begins with the larger number; write the smaller one first"),
        ("2000m@1:60-1:70", "'1:60-1:70' has '1:60', which is not a number"),
        ("2000m@-w", "'-w' has no limit"),
        ("2000m@18-20spm,22-24spm", "'22-24spm' has the unit of another target"),
        ("500m/1:00r@18-xspm+500m", "has 'x', which is not a number"),
        ("2000m@2k+", "'2k+' has '', which is not a number of seconds such as 12"),
        ("2000m@2k+1:12", "'2k+1:12' has '1:12', which is not a number of seconds"),
        ("500m@2k+500m", "has '500m', which is not a number of seconds such as 12 or 12.5; before another"),
        ("2000m@2k12", "is not a pace like 2k+12"), ("2000m@-2k+5-9", "is not a pace like 2k+12"),
        ("2000m@2k+5-9-12", "is not a pace like 2k+12"), ("2000m@2k+1.25", "has '1.25'"),
        ("2000m@2k-2-6k+2", "has two distances; use the same for both limits"),
        ("2000m@2k+5,2k+8", "has the unit of another target"),
    ])
    func rejectsInvalidTargets(text: String, words: String) {
        #expect {
            try WorkoutNotation(parsing: text)
        } throws: { error in
            #expect("\(error)".contains(words), "\(error)")
            return "\(error)".hasPrefix("'\(text)': ")
        }
    }
}
