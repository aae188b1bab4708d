/// Parses the targets after the @ of a workout.
extension WorkoutNotation {
    /// Unit, quantity and field suffix. A pace has no unit.
    private static let units = [
        ("w", "power", "_w"), ("spm", "stroke_rate", "_spm"), ("bpm", "heart_rate", "_bpm"),
        ("%", "2k_power", "_pct"),
    ]
    private static let examples = "1:50-1:55, 200-220w, 18-20spm, 140-150bpm, 55-65%"

    /// The fields of comma-separated target bands; empty for nil.
    static func targets(
        _ list: Substring?, in text: String
    ) throws(WorkoutNotationError) -> [String: Value] {
        var fields: [String: Value] = [:]
        for target in list?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
            do throws(BandFault) {
                for (name, value) in try band(target) {
                    guard fields.updateValue(value, forKey: name) == nil else {
                        throw BandFault("has the unit of another target")
                    }
                }
            } catch {
                throw WorkoutNotationError(
                    text: text, reason: "the target '\(target)' \(error.reason)")
            }
        }
        return fields
    }

    private struct BandFault: Error {
        /// The end of a sentence that begins with the target.
        let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    /// `1:50-1:55`, `200-220w`, `-150bpm`.
    private static func band(_ text: Substring) throws(BandFault) -> [String: Value] {
        let unit = units.first { text.hasSuffix($0.0) }
        let figures = unit.map { text.dropLast($0.0.count) } ?? text
        guard unit != nil || text.contains(":") else {
            throw BandFault("has no known unit; write it like \(examples)")
        }
        let ends = figures.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else {
            throw BandFault(
                "is not a range; write both limits, \(examples), or one: -150bpm, 200-w")
        }
        let values = try ends.map { end throws(BandFault) -> Int? in
            if end.isEmpty { return nil }
            let value = unit == nil ? centiseconds(end) : Int(end)
            guard let value else { throw BandFault("has '\(end)', which is not a number") }
            return value
        }
        guard values[0] != nil || values[1] != nil else { throw BandFault("has no limit") }
        if let low = values[0], let high = values[1], low > high {
            throw BandFault("begins with the larger number; write the smaller one first")
        }
        let (quantity, suffix) = unit.map { ($0.1, $0.2) } ?? ("pace", "_s_per_500m")
        var fields: [String: Value] = [:]
        for (end, value) in zip(["min", "max"], values) {
            fields["target_\(quantity)_\(end)\(suffix)"] = value.map {
                unit == nil ? .centi($0) : .integer($0)
            }
        }
        return fields
    }

    /// `1:52`, `1:52.5`.
    private static func centiseconds(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = seconds(parts[0]) else { return nil }
        guard parts.count == 2 else { return whole * 100 }
        guard parts[1].count == 1, let tenths = Int(parts[1]), tenths >= 0 else { return nil }
        return whole * 100 + tenths * 10
    }
}
