import Bytes

/// The name of a session's file: `2026-11-26_anna-meyer_8x500m`.
package enum SessionFileName {
    /// Returns the name without extension.
    ///
    /// - Parameters:
    ///   - date: the local day, `2026-11-26`.
    ///   - person: the athlete's name or id in letters that each file system allows, or the erg.
    ///   - summaries: the session's stored summaries; the last counts.
    ///   - splits: its stored splits.
    package static func name(
        on date: String, of person: String, summaries: [[UInt8]], splits: [[UInt8]]
    ) -> String {
        let workout = summaries.last.flatMap { try? JSONObject(parsing: $0) }.flatMap { summary in
            Concept2Table.workout(summary, splits.compactMap { try? JSONObject(parsing: $0) })
        }
        return ([date, person] + [workout.map(Self.short)].compactMap(\.self)).joined(separator: "_")
    }

    /// Returns the name for a group piece without extension: `2026-11-26_group_8x500m`.
    ///
    /// - Parameters:
    ///   - date: the local day.
    ///   - workout: in notation, as `GroupWorkout.notation`; nil for a session without a set workout.
    package static func group(on date: String, workout: String?) -> String {
        guard let workout else { return "\(date)_group" }
        let lengths = workout.split(separator: "+")
        if lengths.count > 1 { return "\(date)_group_\(lengths.count)-intervals" }
        return "\(date)_group_" + short(workout.hasPrefix("*x") ? String(workout.dropFirst(2)) : workout)
    }

    /// Returns a workout in Concept2's notation without its rest and without characters that file systems refuse:
    /// `8x500m/1:00r` as `8x500m`, `30:00` as `30min`, `v500m/1:00r...3` as `3-intervals`.
    static func short(_ workout: String) -> String {
        if workout.hasPrefix("v") {
            return "\(workout.split(separator: ".").last ?? "")-intervals"
        }
        let work = workout.split(separator: "/").first ?? ""
        let parts = work.split(separator: "x")
        let length = parts.last ?? ""
        let count = parts.count == 2 ? "\(parts[0])x" : ""
        if length.contains(":") { return count + clock(length) }
        return count + length.split(separator: " ").joined(separator: "-")
    }

    /// `1:00:00` as `1h`, `5:00` as `5min`, `7:22` as `7min22s`.
    private static func clock(_ text: Substring) -> String {
        let numbers = text.split(separator: ":").map { Int($0) ?? 0 }
        let units = ["h", "min", "s"].suffix(numbers.count)
        let parts = zip(numbers, units).filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }
        return parts.isEmpty ? "0s" : parts.joined()
    }
}
