import Bytes
import Contract

/// A session as files for training programs tell it: strokes and laps out of its records, in the units
/// of the contract. What no record told is nil, and nothing is made up in its place.
package struct RowedSession: Equatable, Sendable {
    /// Where somebody was at the end of a stroke.
    package struct Stroke: Equatable, Sendable {
        /// Unix milliseconds.
        package var at: Int64
        /// Metres of work since the session began.
        package var distance: Double
        package var strokesPerMinute: Int?
        package var watts: Int?
        package var heartRate: Int?
        /// Seconds for 500 m.
        package var pace: Double?
    }

    /// A split, or an interval's work; the whole of a session that has none.
    package struct Lap: Equatable, Sendable {
        /// Unix milliseconds.
        package var startedAt: Int64
        /// Seconds of work.
        package var duration: Double
        /// Metres of work.
        package var distance: Double
        package var calories: Int?
        package var watts: Int?
        package var strokesPerMinute: Int?
        package var heartRate: Int?
        /// Seconds of rest behind it.
        package var rest = 0.0

        /// Unix milliseconds: where its work ends.
        package var endedAt: Int64 { startedAt + (duration * 1000).whole }
    }

    /// Unix milliseconds, by the gateway's clock.
    package private(set) var startedAt: Int64 = 0
    /// In the order in which they were rowed.
    package private(set) var strokes: [Stroke] = []
    /// In order; at least one.
    package private(set) var laps: [Lap] = []
    /// Seconds of work.
    package private(set) var duration = 0.0
    /// Metres of work.
    package private(set) var distance = 0.0
    package private(set) var calories: Int?
    package private(set) var averageWatts: Int?
    package private(set) var greatestWatts: Int?
    package private(set) var strokesPerMinute: Int?
    package private(set) var averageHeartRate: Int?
    package private(set) var greatestHeartRate: Int?
    /// How many strokes the summary counts, or how many there are.
    package private(set) var strokeCount = 0

    /// nil of records that tell of no rowing.
    ///
    /// - Parameter records: of one session, in their stored form, by kind and in order of their numbers.
    package init?(_ records: [StreamKind: [[UInt8]]]) {
        func fields(_ kind: StreamKind) -> [JSONObject] {
            (records[kind] ?? []).compactMap { try? JSONObject(parsing: $0) }
        }
        strokes = fields(.stroke).compactMap(Stroke.init)
        // Of a summary that was told again the last one is right.
        let summary = fields(.summary).last
        take(summary, begun: fields(.session).first, elapsed: fields(.stroke).last)
        guard startedAt > 0, duration > 0 || !strokes.isEmpty else { return nil }
        takeLaps(fields(.split))
    }

    private mutating func take(_ summary: JSONObject?, begun: JSONObject?, elapsed: JSONObject?) {
        let told = summary ?? .empty
        let start = told.moment("started_ms") ?? begun?.moment("started_ms") ?? strokes.first?.at
        startedAt = start ?? 0
        duration = told.decimal("result_time_s") ?? elapsed?.decimal("elapsed_s") ?? 0
        distance = told.decimal("distance_m") ?? strokes.last?.distance ?? 0
        calories = told.whole("calories_kcal")
        averageWatts = told.whole("avg_power_w")
        greatestWatts = told.whole("max_power_w") ?? strokes.compactMap(\.watts).max()
        strokesPerMinute = told.whole("avg_stroke_rate_spm")
        averageHeartRate = told.whole("avg_heart_rate_bpm")
        greatestHeartRate =
            told.whole("max_heart_rate_bpm") ?? strokes.compactMap(\.heartRate).max()
        strokeCount = told.whole("strokes") ?? strokes.count
    }

    private mutating func takeLaps(_ splits: [JSONObject]) {
        var start = startedAt
        for split in splits {
            var lap = Lap(
                startedAt: start, duration: split.decimal("duration_s") ?? 0,
                distance: split.decimal("distance_m") ?? 0)
            lap.calories = split.whole("calories_kcal")
            lap.watts = split.whole("avg_power_w")
            lap.strokesPerMinute = split.whole("avg_stroke_rate_spm")
            lap.heartRate =
                split.whole("work_heart_rate_bpm") ?? split.whole("avg_heart_rate_bpm")
            lap.rest = split.decimal("rest_s") ?? 0
            laps.append(lap)
            start = lap.endedAt + (lap.rest * 1000).whole
        }
        guard laps.isEmpty else { return }
        laps = [
            Lap(
                startedAt: startedAt, duration: duration, distance: distance, calories: calories,
                watts: averageWatts, strokesPerMinute: strokesPerMinute, heartRate: averageHeartRate
            )
        ]
    }

    /// Unix milliseconds: the end of the last stroke, or of the last lap's work if that is later.
    package var endedAt: Int64 {
        max(strokes.last?.at ?? startedAt, laps.last?.endedAt ?? startedAt)
    }
}

extension RowedSession.Stroke {
    fileprivate init?(_ fields: JSONObject) {
        guard let at = fields.moment("ts_ms"), let distance = fields.decimal("distance_m") else {
            return nil
        }
        self.init(
            at: at, distance: distance, strokesPerMinute: fields.whole("stroke_rate_spm"),
            watts: fields.whole("power_w"), heartRate: fields.whole("heart_rate_bpm"),
            pace: fields.decimal("pace_s_per_500m"))
    }
}

extension JSONObject {
    fileprivate func whole(_ name: String) -> Int? { number(name).map { Int($0) } }

    fileprivate func moment(_ name: String) -> Int64? { number(name).map { Int64($0) } }
}
