import Bests
import Bytes
import Contract

/// A session as training programs need it: laps in time and totals, from its records, in the contract's
/// units. A value that no record contains is nil.
package struct ExportedSession: Equatable, Sendable {
    /// Heart rates in beats per minute that the files contain; a belt that was lost sends others.
    static let heartRates = 1...254

    /// The end of a stroke.
    package struct Stroke: Equatable, Sendable {
        /// 1, 2, 3, ... within the session; nil if the record has none.
        package var number: Int?
        /// Unix milliseconds, up to 6 s late: a stroke is published after it is complete.
        package var at: Int64
        /// Seconds of work since the session began, by the monitor's clock.
        package var elapsed: Double
        /// Metres of work since the session began.
        package var distance: Double
        /// Number of the split or interval, from 1.
        package var interval: Int?
        package var strokesPerMinute: Int?
        package var watts: Int?
        package var heartRate: Int?
        /// Pace in seconds per 500 m.
        package var pace: Double?
    }

    /// A split, or the work of an interval; the whole session if it has neither.
    package struct Lap: Equatable, Sendable {
        /// Unix milliseconds.
        package internal(set) var startedAt: Int64 = 0
        /// Unix milliseconds: the end of the work.
        package internal(set) var endedAt: Int64 = 0
        /// Seconds of work.
        package var duration: Double
        /// Metres of work.
        package var distance: Double
        package var calories: Int?
        package var watts: Int?
        package var greatestWatts: Int?
        package var strokesPerMinute: Int?
        package var averageHeartRate: Int?
        package var greatestHeartRate: Int?
        /// Seconds of rest after it.
        package var rest = 0.0
        /// Its parts; more than one if the clock stopped within it.
        package internal(set) var segments: [TrackSegment] = []

        package init(duration: Double, distance: Double) {
            (self.duration, self.distance) = (duration, distance)
        }
    }

    /// Unix milliseconds by the gateway's clock.
    package private(set) var startedAt: Int64 = 0
    /// In order; neither time nor distance decreases.
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
    /// Number of strokes according to the summary, otherwise of the stored ones.
    package private(set) var strokeCount = 0
    /// The machine it was rowed on.
    package private(set) var machine: MachineKind

    /// Returns nil for records without any rowing.
    ///
    /// - Parameters:
    ///   - records: stored records of one session by kind, ordered by their numbers.
    ///   - machine: used if the records do not name the machine.
    package init?(_ records: [StreamKind: [[UInt8]]], on machine: MachineKind = .rower) {
        func fields(_ kind: StreamKind) -> [JSONObject] {
            (records[kind] ?? []).compactMap { try? JSONObject(parsing: $0) }
        }
        let edges = fields(.session)
        // The last revision of a summary is valid.
        let summary = fields(.summary).last
        self.machine = MachineKind(recordedIn: [summary].compactMap(\.self) + edges) ?? machine
        let start = summary?.moment("started_ms") ?? edges.first?.moment("started_ms")
        setStrokes(fields(.stroke), startedAt: start)
        startedAt = start ?? strokes.first?.at ?? 0
        setTotals(summary ?? .empty)
        guard startedAt > 0, duration > 0 || !strokes.isEmpty else { return nil }
        let type = (summary ?? edges.first ?? .empty).text("session_type")
        var layout = LapLayout(
            fields(.split), isIntervals: type == "intervals", isTruncated: type.isTruncated,
            duration: duration, distance: distance, isOver: summary != nil)
        layout.place(strokes, startedAt: startedAt)
        laps = layout.laps
        if laps.count == 1, layout.isWhole { copyTotalsToOnlyLap() }
    }

    private mutating func setStrokes(_ records: [JSONObject], startedAt: Int64?) {
        for record in records {
            guard let stroke = Stroke(record, startedAt: startedAt) else { continue }
            if let last = strokes.last {
                guard stroke.elapsed >= last.elapsed, stroke.distance >= last.distance else {
                    continue
                }
            }
            strokes.append(stroke)
        }
    }

    private mutating func setTotals(_ summary: JSONObject) {
        let result = RecordedResult(summary)
        duration = summary.length(result.timeField) ?? strokes.last?.elapsed ?? 0
        distance = summary.length(result.distanceField) ?? strokes.last?.distance ?? 0
        calories = summary.whole("calories_kcal")
        averageWatts = summary.whole("avg_power_w")
        greatestWatts = summary.whole("max_power_w") ?? strokes.compactMap(\.watts).max()
        strokesPerMinute = summary.whole("avg_stroke_rate_spm")
        averageHeartRate = summary.whole("avg_heart_rate_bpm")
        greatestHeartRate =
            summary.whole("max_heart_rate_bpm") ?? strokes.compactMap(\.heartRate).max()
        strokeCount = summary.whole("strokes") ?? strokes.count
    }

    /// A session without splits is one lap.
    private mutating func copyTotalsToOnlyLap() {
        laps[0].calories = calories
        laps[0].watts = averageWatts
        laps[0].greatestWatts = greatestWatts
        laps[0].strokesPerMinute = strokesPerMinute
        laps[0].averageHeartRate = averageHeartRate ?? laps[0].averageHeartRate
        laps[0].greatestHeartRate = greatestHeartRate
    }

    /// Unix milliseconds: the end of the last lap's work.
    package var endedAt: Int64 { laps.last?.endedAt ?? startedAt }
}

extension ExportedSession.Stroke {
    fileprivate init?(_ fields: JSONObject, startedAt: Int64?) {
        guard let at = fields.moment("ts_ms"), let distance = fields.length("distance_m") else {
            return nil
        }
        let passed = startedAt.map { Double(at - $0) / 1000 } ?? 0
        guard let elapsed = fields.length("elapsed_s") ?? (passed >= 0 ? passed : nil) else {
            return nil
        }
        self.init(
            number: fields.whole("stroke"), at: at, elapsed: elapsed, distance: distance,
            interval: fields.whole("interval"), strokesPerMinute: fields.whole("stroke_rate_spm"),
            watts: fields.whole("power_w"), heartRate: fields.whole("heart_rate_bpm"),
            pace: fields.decimal("pace_s_per_500m"))
    }
}

extension String? {
    /// Whether splits of this `session_type` end at a time or an amount of work; their distance is then
    /// truncated to a metre. Other splits end at a whole metre, and their time is truncated to a tenth.
    fileprivate var isTruncated: Bool {
        ["time", "calories", "watt_minutes"].contains(self)
    }
}

extension JSONObject {
    func whole(_ name: String) -> Int? { number(name).map { Int($0) } }

    /// Unix milliseconds; nil outside the years 1970 to 9999.
    func moment(_ name: String) -> Int64? {
        number(name).flatMap { $0 < 253_402_300_800_000 ? Int64($0) : nil }
    }

    /// Seconds or metres; nil if out of range.
    func length(_ name: String) -> Double? {
        decimal(name).flatMap { (0...1e7).contains($0) ? $0 : nil }
    }
}

extension Double {
    /// Rounded to a whole number of 0 to 1e15, far above any real value: a record may contain any number.
    var whole: Int64 { self.isNaN ? 0 : Int64(Swift.min(Swift.max(self, 0), 1e15).rounded()) }
}
