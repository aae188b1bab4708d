import Contract

@testable import TrainingFiles

/// Records of pieces with known values; `SimulatedSession` has those of a whole session.
enum SyntheticPiece {
    /// 2026-09-05T17:04:00Z.
    static let begin: Int64 = 1_788_627_840_000

    static func stroke(
        at seconds: Double, _ distance: Double, watts: Int? = 200, rate: Int? = 24,
        heartRate: Int? = nil
    ) -> [UInt8] {
        stroke(
            at: seconds, elapsed: seconds, distance, watts: watts, rate: rate,
            heartRate: heartRate)
    }

    /// - Parameter elapsed: seconds of work.
    static func stroke(
        at seconds: Double, elapsed: Double, _ distance: Double, interval: Int? = nil,
        watts: Int? = 200, rate: Int? = 24, heartRate: Int? = nil
    ) -> [UInt8] {
        var text = #"{"v":1,"kind":"stroke","ts_ms":\#(begin + Int64(seconds * 1000)),"#
        text += #""elapsed_s":\#(elapsed),"distance_m":\#(distance),"pace_s_per_500m":120.50"#
        if let interval { text += #","interval":\#(interval)"# }
        if let watts { text += #","power_w":\#(watts)"# }
        if let rate { text += #","stroke_rate_spm":\#(rate)"# }
        if let heartRate { text += #","heart_rate_bpm":\#(heartRate)"# }
        return Array((text + "}").utf8)
    }

    static func split(
        _ number: Int, _ distance: Double, _ duration: Double, rest: Double? = nil
    ) -> [UInt8] {
        let ending = rest.map { #","rest_s":\#($0)"# } ?? ""
        return Array(
            (#"{"v":1,"kind":"split","split":\#(number),"distance_m":\#(distance),"#
                + #""duration_s":\#(duration),"avg_power_w":205,"avg_stroke_rate_spm":25,"#
                + #""calories_kcal":7,"avg_heart_rate_bpm":145,"#
                + #""work_heart_rate_bpm":150\#(ending)}"#).utf8)
    }

    static let summary = Array(
        (#"{"v":1,"kind":"summary","revision":2,"started_ms":\#(begin),"result_time_s":60.0,"#
            + #""session_type":"intervals","distance_m":250.0,"calories_kcal":14,"avg_power_w":204,"#
            + #""max_power_w":230,"#
            + #""avg_stroke_rate_spm":25,"avg_heart_rate_bpm":151,"max_heart_rate_bpm":160,"#
            + #""strokes":4}"#).utf8)

    /// Two intervals of 125 m in 30 s with a rest of 20 s between them, two strokes each; one stroke
    /// without a heart rate.
    static let intervals: [StreamKind: [[UInt8]]] = [
        .stroke: [
            stroke(at: 15, 62.5, heartRate: 140), stroke(at: 29.5, 122.4, watts: 230),
            stroke(at: 65, elapsed: 45, 187.5, interval: 2, watts: nil, rate: nil),
            stroke(at: 79.9, elapsed: 59.9, 249.6, interval: 2, heartRate: 160),
        ],
        .split: [split(1, 125, 30, rest: 20), split(2, 125, 30)],
        .summary: [summary],
    ]
}
