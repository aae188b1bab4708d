import ControlSocket

/// A workout as a coach writes it on a whiteboard, turned into the fields of the command `workout`.
package struct WorkoutNotation: Equatable, Sendable {
    package let fields: [String: ForeignValue]

    /// What `init(parsing:)` understands, for a help text.
    package static let syntax = """
        just-row                      for as long as one likes
        2000m   30:00   100cal        a piece; splits of a fifth
        2000m/500m                    with splits of 500 m
        4x500m/1:00r                  four intervals, a minute of rest behind each
        500m/1:00r+2:00/1:30r+100cal  intervals that differ; /r: rest without end
        """

    /// Throws a text that says what is wrong; limits of the monitor are the daemon's to check.
    package init(parsing text: String) throws(WorkoutNotationError) {
        if text == "just-row" {
            fields = ["type": .text("just_row")]
            return
        }
        let factors = text.split(separator: "x", maxSplits: 1, omittingEmptySubsequences: false)
        if factors.count == 2 {
            guard let count = Int(factors[0]), count > 0 else {
                throw WorkoutNotationError(text: text)
            }
            var fields = try Self.intervals(factors[1], in: text)
            fields["repeat"] = .integer(count)
            self.fields = fields
        } else if text.contains("+") || text.hasSuffix("r") {
            fields = try Self.intervals(text[...], in: text)
        } else {
            fields = try Self.piece(text)
        }
    }

    private static func piece(_ text: String) throws(WorkoutNotationError) -> [String: ForeignValue]
    {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let (name, amount) = extent(parts[0]) else {
            throw WorkoutNotationError(text: text)
        }
        let types = ["distance_m": "distance", "duration_s": "time", "calories_kcal": "calories"]
        var fields: [String: ForeignValue] = [
            "type": .text(types[name] ?? ""), name: .integer(amount),
        ]
        if parts.count == 2 {
            guard let (splitName, split) = extent(parts[1]), splitName == name else {
                throw WorkoutNotationError(text: text)
            }
            fields["split_" + splitName] = .integer(split)
        }
        return fields
    }

    private static func intervals(
        _ list: Substring, in text: String
    ) throws(WorkoutNotationError) -> [String: ForeignValue] {
        var intervals: [ForeignValue] = []
        for part in list.split(separator: "+", omittingEmptySubsequences: false) {
            let halves = part.split(separator: "/", omittingEmptySubsequences: false)
            guard halves.count <= 2, let (name, amount) = extent(halves[0]) else {
                throw WorkoutNotationError(text: text)
            }
            var interval: [String: ForeignValue] = [name: .integer(amount)]
            if halves.count == 2 {
                guard halves[1].hasSuffix("r") else { throw WorkoutNotationError(text: text) }
                let rest = halves[1].dropLast()
                if rest.isEmpty {
                    interval["undefined_rest"] = .flag(true)
                } else {
                    guard let seconds = seconds(rest) else {
                        throw WorkoutNotationError(text: text)
                    }
                    interval["rest_s"] = .integer(seconds)
                }
            }
            intervals.append(.object(interval))
        }
        return ["type": .text("intervals"), "intervals": .list(intervals)]
    }

    /// `2000m`, `100cal`, `30:00`.
    private static func extent(_ text: Substring) -> (name: String, amount: Int)? {
        if text.hasSuffix("cal") { return positive(text.dropLast(3)).map { ("calories_kcal", $0) } }
        if text.hasSuffix("m") { return positive(text.dropLast()).map { ("distance_m", $0) } }
        return seconds(text).map { ("duration_s", $0) }
    }

    private static func positive(_ text: Substring) -> Int? {
        Int(text).flatMap { (1...10_000_000).contains($0) ? $0 : nil }
    }

    /// `2:00`, `1:30:00`.
    package static func seconds(_ text: Substring) -> Int? {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard (2...3).contains(fields.count), fields.allSatisfy({ (0...59).contains($0 ?? -1) })
        else { return nil }
        return fields.reduce(0) { $0 * 60 + ($1 ?? 0) }
    }
}

/// A text that `WorkoutNotation.syntax` does not describe.
package struct WorkoutNotationError: Error, Equatable, CustomStringConvertible {
    package let text: String

    package var description: String {
        "'\(text)' is no workout; these are:\n\(WorkoutNotation.syntax)"
    }
}
