import Bytes
import Contract

/// The workout of a session, as far as it decides which sessions are one group piece.
///
/// Two sessions have the same workout if they have the same kind of machine, the same kind of workout and the
/// same set length. Equal intervals also have the same number and the same rest, as far as the gateway knows
/// them. For intervals that differ, one session's list of lengths is the beginning of the other's, so that a
/// session that was stopped early has the workout of the others.
package struct GroupWorkout: Equatable, Sendable {
    /// What limits a piece, an interval or a split.
    package enum Length: Hashable, Sendable {
        case metres(Int)
        case seconds(Int)
        case kilocalories(Int)
        case wattMinutes(Int)

        /// `500m`, `30:00`, `100 cal`, `60 watt-minutes`.
        package var text: String {
            switch self {
            case .metres(let metres): WorkoutResult.Extent.metres(metres).text
            case .seconds(let seconds): WorkoutResult.Extent.seconds(seconds).text
            case .kilocalories(let count): "\(count) cal"
            case .wattMinutes(let count): "\(count) watt-minutes"
            }
        }
    }

    package let machine: MachineKind
    /// The class of the workout as named in the contract: `distance`, `intervals`.
    package let type: String
    /// The set length of the piece or of equal intervals; nil for intervals that differ.
    package let length: Length?
    /// The number of equal intervals; nil if it is unlimited or was set on the monitor itself.
    package let intervalCount: Int?
    /// Seconds of rest between equal intervals; nil if unknown or unlimited.
    package let restSeconds: Int?
    /// The lengths of intervals that differ, as far as they were rowed to their end.
    package internal(set) var lengths: [Length] = []

    /// Reads records; nil for a session without a set workout, such as a just row.
    ///
    /// - Parameters:
    ///   - head: the newest summary, or the session's begin record if there is none.
    ///   - splits: its splits in order. They are read only for intervals that differ.
    ///   - machine: used if the records do not name a machine.
    package init?(_ head: JSONObject, splits: [JSONObject], on machine: MachineKind) {
        guard let type = head.text("session_type"), type != "just_row", type != "unrecognized" else {
            return nil
        }
        self.type = type
        self.machine = MachineKind(recordedIn: [head]) ?? machine
        guard type == "intervals", !Self.hasEqualIntervals(head) else {
            guard let length = Length(target: head) else { return nil }
            self.length = length
            intervalCount = head.number("interval_count").map { Int($0) }
            restSeconds = head.number("interval_rest_s").map { Int($0) }
            return
        }
        (length, intervalCount, restSeconds) = (nil, nil, nil)
        // The last interval of a session that was stopped early is a part of an interval.
        let rowed = RecordedResult(head).isComplete ? splits[...] : splits.dropLast()
        lengths = rowed.compactMap { Length(split: $0) }
        guard lengths.count == rowed.count else { return nil }
    }

    /// Whether the intervals differ, so that the splits are needed.
    package static func needsSplits(_ head: JSONObject) -> Bool {
        head.text("session_type") == "intervals" && !hasEqualIntervals(head)
    }

    private static func hasEqualIntervals(_ head: JSONObject) -> Bool {
        head.text("workout")?.hasPrefix("fixed_") ?? false
    }

    /// Whether both are the same workout.
    package func isSame(as other: GroupWorkout) -> Bool {
        var (own, others) = (self, other)
        (own.lengths, others.lengths) = ([], [])
        return own == others && zip(lengths, other.lengths).allSatisfy { $0 == $1 }
    }

    /// The notation, if all sessions with the same workout have the same one. nil for intervals that differ: a session
    /// that was stopped early has fewer of them.
    package var exactNotation: String? { length == nil ? nil : notation }

    /// The workout in notation, without targets: `2000m`, `8x500m/1:00r`, `*x500m` for equal intervals whose number is
    /// not known, `1000m+750m+500m`.
    package var notation: String {
        guard let length else {
            return lengths.isEmpty ? "intervals" : lengths.map(\.text).joined(separator: "+")
        }
        guard type == "intervals" else { return length.text }
        let rest = restSeconds.map { "/\(WorkoutResult.Extent.clock($0))r" } ?? ""
        return "\(intervalCount.map { "\($0)" } ?? "*")x\(length.text)\(rest)"
    }
}

extension GroupWorkout.Length {
    private static let limits = 1.0...1e6

    /// Reads the set length; nil if there is none.
    init?(target head: JSONObject) {
        func whole(_ name: String) -> Int? { Self.whole(head.decimal(name)) }
        if let metres = whole("target_distance_m") {
            self = .metres(metres)
        } else if let seconds = whole("target_time_s") {
            self = .seconds(seconds)
        } else if let calories = whole("target_calories_kcal") {
            self = .kilocalories(calories)
        } else if let work = whole("target_work_w_min") {
            self = .wattMinutes(work)
        } else {
            return nil
        }
    }

    /// Reads the length that limited a split; nil if nothing did, or if its records do not contain it.
    init?(split: JSONObject) {
        let type = split.text("type") ?? ""
        if type.hasPrefix("distance"), let metres = Self.whole(split.decimal("distance_m")) {
            self = .metres(metres)
        } else if type.hasPrefix("time"), let seconds = Self.whole(split.decimal("duration_s")) {
            self = .seconds(seconds)
        } else if type.hasPrefix("calories"), let calories = Self.whole(split.decimal("calories_kcal")) {
            self = .kilocalories(calories)
        } else {
            return nil
        }
    }

    private static func whole(_ value: Double?) -> Int? {
        value.flatMap { limits.contains($0) ? Int($0.rounded()) : nil }
    }
}
