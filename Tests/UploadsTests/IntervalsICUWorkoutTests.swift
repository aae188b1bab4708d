import Bytes
import Contract
import Testing

@testable import Uploads

/// The steps of a workout of intervals.icu as workout notation.
@Suite struct IntervalsICUWorkoutTests {
    private func notation(_ steps: String) -> String? {
        guard let document = try? JSONObject(parsing: Array(#"{"steps":\#(steps)}"#.utf8)) else { return nil }
        return IntervalsICUWorkout.notation(of: document)
    }

    @Test(
        arguments: [
            (#"[{"distance":2000}]"#, "2000m"),
            (#"[{"duration":1800}]"#, "30:00"),
            (#"[{"duration":4500.0}]"#, "1:15:00"),
            (#"[{"duration":3600,"distance":0}]"#, "1:00:00"),
            // The service adds an estimated duration to a distance.
            (#"[{"duration":120,"distance":400}]"#, "400m"),
            (#"[{"reps":4,"steps":[{"distance":500},{"duration":60,"intensity":"rest"}]}]"#, "4x500m/1:00r"),
            (#"[{"reps":4,"steps":[{"distance":500},{"duration":60,"text":"Rest"}]}]"#, "4x500m/1:00r"),
            (#"[{"reps":1,"steps":[{"distance":500},{"duration":60,"intensity":"rest"}]}]"#, "500m/1:00r"),
            // An easy step is rowed.
            (
                #"[{"reps":3,"steps":[{"duration":240},{"duration":60,"intensity":"recovery"}]}]"#,
                "3x4:00+1:00"
            ),
            (
                #"""
                [{"duration":600,"warmup":true,"text":"Warm up"},
                {"reps":2,"steps":[{"distance":1000},{"duration":90,"intensity":"rest"},
                {"duration":30,"intensity":"rest"}]},
                {"text":"only a comment"},{"duration":300,"cooldown":true,"freeride":true}]
                """#, "10:00+1000m/2:00r+1000m/2:00r+5:00"
            ),
            (
                #"[{"reps":2,"steps":[{"reps":3,"steps":[{"duration":30},{"duration":30,"intensity":"rest"}]}]}]"#,
                "6x0:30/0:30r"
            ),
            (#"[{"reps":50,"steps":[{"distance":100}]}]"#, "50x100m"),
            (#"[{"distance":2000,"steps":null,"reps":null,"intensity":null,"power":null}]"#, "2000m"),
        ])
    func convertsLengthsRepetitionsAndRests(_ steps: String, _ expected: String) {
        #expect(notation(steps) == expected)
    }

    @Test(
        arguments: [
            (#""pace":{"value":115,"units":"SECS_500M"}"#, "1:55-1:55"),
            (#""pace":{"start":112.5,"end":110,"units":"SECS_500M"}"#, "1:50-1:52.5"),
            (
                #""pace":{"start":80,"end":85,"units":"%pace"},"_pace":{"start":4,"end":4.1666667}"#,
                "2:00-2:05"
            ),
            (#""pace":{"value":4,"units":"MINS_KM"},"_pace":{"value":4.1666667}"#, "2:00-2:00"),
            (#""power":{"start":200,"end":220,"units":"w"}"#, "200-220w"),
            (#""power":{"value":210,"units":"w"}"#, "210-210w"),
            (
                #""power":{"value":75,"units":"%ftp"},"_power":{"value":150,"start":146.4,"end":153.6}"#,
                "146-154w"
            ),
            (
                #""ramp":true,"power":{"start":55,"end":35,"units":"%ftp"},"_power":{"start":154,"end":98}"#,
                "98-154w"
            ),
            (#""cadence":{"start":18,"end":20,"units":"rpm"}"#, "18-20spm"),
            (#""hr":{"start":70,"end":80,"units":"%hr"},"_hr":{"start":126,"end":144}"#, "126-144bpm"),
            (#""hr":{"value":150,"units":"bpm"}"#, "150-150bpm"),
            (
                #""_hr":{"value":150},"cadence":{"value":20,"units":"rpm"},"_power":{"value":200}"#,
                "200-200w,20-20spm,150-150bpm"
            ),
        ])
    func convertsTargets(_ target: String, _ expected: String) {
        #expect(notation(#"[{"duration":1200,\#(target)}]"#) == "20:00@" + expected)
        let repeated =
            #"[{"reps":2,"steps":[{"distance":500,\#(target)},{"duration":60,"intensity":"rest"}]}]"#
        #expect(notation(repeated) == "2x500m/1:00r@" + expected)
    }

    @Test(
        arguments: [
            #""power":{"value":75,"units":"%ftp"}"#, #""power":{"value":3,"units":"power_zone"}"#,
            #""power":{"value":200}"#, #""power":200"#, #""power":null"#, #""power":[]"#,
            #""_power":{"value":"200"}"#, #""_power":{"value":0}"#, #""_power":{"value":1e999}"#,
            #""_power":{"value":99999999999999999999}"#, #""_power":{"start":200}"#, #""_power":{}"#,
            #""pace":{"value":115}"#, #""pace":{"value":115,"units":5}"#,
            #""pace":{"value":4.3,"units":"SECS_500M"}"#, #""pace":{"value":1e308,"units":"SECS_500M"}"#,
            #""pace":{"value":115,"units":"SECS_100M"}"#, #""_pace":{"value":0}"#, #""_pace":{"value":-4}"#,
            #""_pace":{"value":115,"units":"SECS_100M"}"#, #""cadence":{"value":85,"units":"rpm"}"#,
            #""cadence":{"value":20}"#, #""hr":{"value":2,"units":"hr_zone"}"#, #""_hr":{"value":300}"#,
            #""freeride":true"#, #""maxeffort":true"#,
        ])
    func leavesOutTargetsThatAreNotClear(_ target: String) {
        #expect(notation(#"[{"duration":1200,\#(target)}]"#) == "20:00")
    }

    @Test(
        arguments: [
            "[]", "null", "5", "{}", #""steps""#, "[null]", "[5]", "[[]]", "[{}]", #"[{"text":5}]"#,
            #"[{"text":"only a comment"}]"#, #"[{"power":{"value":200,"units":"w"}}]"#,
            #"[{"duration":"600"}]"#, #"[{"duration":null}]"#, #"[{"duration":0}]"#, #"[{"duration":-600}]"#,
            #"[{"duration":600.5}]"#, #"[{"duration":1e999}]"#, #"[{"duration":99999999999999999999999}]"#,
            #"[{"duration":true}]"#, #"[{"duration":[600]}]"#, #"[{"duration":600,"distance":"x"}]"#,
            // Below and above the limits of a monitor.
            #"[{"duration":19}]"#, #"[{"distance":99}]"#, #"[{"duration":999999}]"#,
            #"[{"reps":51,"steps":[{"distance":100}]}]"#, #"[{"distance":100},{"duration":10}]"#,
            #"[{"distance":500},{"duration":596,"intensity":"rest"}]"#,
            #"[{"distance":500},{"duration":500,"intensity":"rest"},{"duration":500,"intensity":"rest"}]"#,
            // A rest has a time, and comes after an interval.
            #"[{"duration":60,"intensity":"rest"},{"distance":500}]"#,
            #"[{"duration":60,"intensity":"rest"}]"#,
            #"[{"distance":500},{"distance":100,"intensity":"rest"}]"#,
            #"[{"distance":500},{"text":"Rest","power":{}}]"#,
            #"[{"duration":600,"intensity":5}]"#, #"[{"duration":600,"until_lap_press":true}]"#,
            #"[{"duration":600,"until_lap_press":"no"}]"#,
            #"[{"reps":4,"steps":[]}]"#, #"[{"reps":4}]"#, #"[{"reps":4,"duration":60}]"#,
            #"[{"steps":[{"distance":500}]}]"#, #"[{"reps":0,"steps":[{"distance":500}]}]"#,
            #"[{"reps":-1,"steps":[{"distance":500}]}]"#, #"[{"reps":2.5,"steps":[{"distance":500}]}]"#,
            #"[{"reps":"4","steps":[{"distance":500}]}]"#, #"[{"reps":4,"steps":{"distance":500}}]"#,
            #"[{"reps":999999,"steps":[{"reps":999999,"steps":[{"distance":500}]}]}]"#,
            #"[{"distance":500},{"distance":500},null]"#,
        ])
    func refusesWhatAMonitorCannotHave(_ steps: String) {
        #expect(notation(steps) == nil)
    }

    @Test func refusesDeepNestingAndManySteps() {
        let nested = { (depth: Int) in
            String(repeating: #"[{"reps":1,"steps":"#, count: depth) + #"[{"distance":500}]"#
                + String(repeating: "}]", count: depth)
        }
        #expect(notation(nested(4)) == "500m" && notation(nested(5)) == nil && notation(nested(25)) == nil)
        let many = Array(repeating: #"{"distance":500}"#, count: 5000).joined(separator: ",")
        #expect(notation("[\(many)]") == nil)
    }

    @Test func anyDamageGivesAValidWorkoutOrNone() throws {
        let members = [
            #""duration":600"#, #""distance":500"#, #""reps":3"#, #""steps":[{"distance":500}]"#,
            #""intensity":"rest""#, #""text":"Rest""#, #""until_lap_press":false"#,
            #""power":{"value":200,"units":"w"}"#, #""_power":{"start":190,"end":210}"#,
            #""pace":{"value":115,"units":"SECS_500M"}"#, #""cadence":{"value":20,"units":"rpm"}"#,
            #""_hr":{"start":120,"end":140}"#,
        ]
        let values = [
            "null", "true", "-1", "1e400", #""x""#, "[]", "{}", "[{}]", "123456789012345678901234567890",
        ]
        for index in members.indices {
            for value in values {
                let name = members[index].split(separator: ":")[0]
                for first in members.indices where first != index {
                    let step = "[{\(members[first]),\(name):\(value)}]"
                    if let text = notation(step) { _ = try WorkoutRequest(parsing: text) }
                }
            }
        }
    }
}
