import Bytes

/// Parses a coach's workout notation into the fields of the command `workout`.
package struct WorkoutNotation: Equatable, Sendable {
    /// A value of the command.
    package indirect enum Value: Equatable, Sendable {
        case flag(Bool)
        case integer(Int)
        case centi(Int)
        case text(String)
        case list([Value])
        case object([String: Value])
    }

    package let fields: [String: Value]

    /// Examples of the notation, for help texts.
    package static let syntax = """
        just-row                      no goal
        2000m   30:00   100cal        a single piece; five equal splits
        2000m/500m                    with splits of 500 m
        4x500m/1:00r                  four intervals, a minute of rest after each
        500m/1:00r+2:00/1:30r+100cal  different intervals; /r: unlimited rest
        2000m@1:50-1:55               with a target; also after an interval
        30:00@18-20spm,-150bpm        several targets; 200-220w; 200-w: at least 200 W
        40:00@55-65%                  percent of the athlete's 2000 m power (roster)
        """

    /// Throws an error that describes the mistake. Does not check the limits of the monitor.
    package init(parsing text: String) throws(WorkoutNotationError) {
        if let cross = text.firstIndex(of: "x"), let count = Int(text[..<cross]) {
            guard count > 0 else { throw WorkoutNotationError(text: text) }
            var fields = try Self.intervals(text[text.index(after: cross)...], in: text)
            fields["repeat"] = .integer(count)
            self.fields = fields
            return
        }
        let (body, targets) = Self.splitAtTargets(text[...])
        if text.contains("+") || body.hasSuffix("r") {
            fields = try Self.intervals(text[...], in: text)
        } else {
            let piece = try body == "just-row" ? Self.justRow : Self.piece(body, in: text)
            fields = piece.merging(try WorkoutNotation.targets(targets, in: text)) { $1 }
        }
    }

    /// Splits a workout at the @.
    private static func splitAtTargets(_ text: Substring) -> (body: Substring, targets: Substring?) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts[0], parts.count == 2 ? parts[1] : nil)
    }

    private static let justRow: [String: Value] = ["type": .text("just_row")]

    private static func piece(
        _ body: Substring, in text: String
    ) throws(WorkoutNotationError) -> [String: Value] {
        let parts = body.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let (name, amount) = extent(parts[0]) else {
            throw WorkoutNotationError(text: text)
        }
        let types = ["distance_m": "distance", "duration_s": "time", "calories_kcal": "calories"]
        var fields: [String: Value] = ["type": .text(types[name] ?? ""), name: .integer(amount)]
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
    ) throws(WorkoutNotationError) -> [String: Value] {
        var intervals: [Value] = []
        for part in list.split(separator: "+", omittingEmptySubsequences: false) {
            let (body, targets) = splitAtTargets(part)
            let halves = body.split(separator: "/", omittingEmptySubsequences: false)
            guard halves.count <= 2, let (name, amount) = extent(halves[0]) else {
                throw WorkoutNotationError(text: text)
            }
            var interval: [String: Value] = [name: .integer(amount)]
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
            interval.merge(try WorkoutNotation.targets(targets, in: text)) { $1 }
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

extension WorkoutNotation {
    /// The payload of the command.
    package var json: [UInt8] { JSONWriter.object { Self.write(fields, into: &$0) } }

    private static func write(_ fields: [String: Value], into json: inout JSONWriter) {
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            json.key(name)
            write(value, into: &json)
        }
    }

    private static func write(_ value: Value, into json: inout JSONWriter) {
        switch value {
        case .flag(let flag): json.value(flag)
        case .integer(let number): json.value(number)
        case .centi(let hundredths): json.value(Int64(hundredths), places: 2)
        case .text(let text): json.value(text)
        case .list(let values):
            json.beginArray()
            for value in values { write(value, into: &json) }
            json.endArray()
        case .object(let fields): json.object { write(fields, into: &$0) }
        }
    }
}

/// A text that is not valid workout notation.
package struct WorkoutNotationError: Error, Equatable, CustomStringConvertible {
    package let text: String
    /// The mistake; nil if the text as a whole is not a workout.
    package var reason: String?

    package init(text: String, reason: String? = nil) {
        (self.text, self.reason) = (text, reason)
    }

    package var description: String {
        if let reason { return "'\(text)': \(reason)" }
        return "'\(text)' is not a valid workout. Examples:\n\(WorkoutNotation.syntax)"
    }
}

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
