import Bytes
import Rowing

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
        4x2000m/3:00r@2k+12           12 s slower than the athlete's 2k pace (roster)
        30:00@6k+4-8                  4 to 8 s slower than the 6k pace; 6k-2: faster
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
        if Self.splitAtIntervals(text[...]).count > 1 || body.hasSuffix("r") {
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

    /// Splits a list at each +, except for the sign after the distance of a relative pace: `2k+12`.
    private static func splitAtIntervals(_ list: Substring) -> [Substring] {
        let parts = list.split(separator: "+", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: [parts[0]]) { intervals, part in
            let last = intervals[intervals.count - 1]
            if last.contains("@"), TestDistance.allCases.contains(where: { last.hasSuffix($0.rawValue) }) {
                intervals[intervals.count - 1] = list[last.startIndex..<part.endIndex]
            } else {
                intervals.append(part)
            }
        }
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
        for part in splitAtIntervals(list) {
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
    private static let examples = "1:50-1:55, 200-220w, 18-20spm, 140-150bpm, 55-65%, 2k+12"

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
        if let offset = try paceOffset(text) { return offset }
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

    /// `2k+12`, `2k`, `6k-2`, `2k+10-15`, `2k-2-2k+2`; `2k+10-` and `-2k+15` are open on one side. nil for
    /// a target that does not begin with a test distance.
    private static func paceOffset(_ text: Substring) throws(BandFault) -> [String: Value]? {
        var rest = text
        let hasOpenLow = rest.removePrefix("-")
        guard let first = try readOffset(&rest) else { return nil }
        var ends: [Int?] = hasOpenLow ? [nil, first.hundredths] : [first.hundredths, first.hundredths]
        if !hasOpenLow, rest.removePrefix("-") {
            ends[1] = nil
            if !rest.isEmpty {
                var second = first
                if let other = try readOffset(&rest) {
                    second = other
                } else {
                    // The second limit of `2k+10-15` has distance and sign of the first.
                    second.hundredths = first.sign * (try readSeconds(&rest))
                }
                guard second.distance == first.distance else {
                    throw BandFault("has two distances; use the same for both limits")
                }
                // "6k-3-5" and "6k-5-3" mean the same.
                ends = [first.hundredths, second.hundredths].sorted()
            }
        }
        guard rest.isEmpty else {
            throw BandFault("is not a pace like 2k+12, 6k-2, 2k+10-15, 2k+10- or -2k+15")
        }
        var fields: [String: Value] = [:]
        for (end, value) in zip(["min", "max"], ends) {
            let name = "target_\(first.distance.rawValue)_offset_\(end)_s_per_500m"
            fields[name] = value.map { .centi($0) }
        }
        return fields
    }

    private typealias Offset = (distance: TestDistance, sign: Int, hundredths: Int)

    /// Reads a test distance, and a sign with seconds after it; nil if there is no test distance.
    private static func readOffset(_ rest: inout Substring) throws(BandFault) -> Offset? {
        guard let distance = TestDistance.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
            return nil
        }
        rest = rest.dropFirst(distance.rawValue.count)
        if rest.removePrefix("+") { return (distance, 1, try readSeconds(&rest)) }
        // Without a number, or before another distance, the hyphen is that of a range.
        let number = rest.dropFirst()
        let isRange = TestDistance.allCases.contains { number.hasPrefix($0.rawValue) }
        guard !isRange, number.first?.isNumber == true, rest.removePrefix("-") else {
            return (distance, 1, 0)
        }
        return (distance, -1, -(try readSeconds(&rest)))
    }

    /// Reads seconds with at most one decimal, in hundredths.
    private static func readSeconds(_ rest: inout Substring) throws(BandFault) -> Int {
        let text = rest.prefix { $0 != "-" }
        rest = rest.dropFirst(text.count)
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let whole = Int(parts[0]), (0...999).contains(whole),
            parts.count == 1 || parts[1].count == 1, let tenths = parts.count == 1 ? 0 : Int(parts[1]),
            tenths >= 0
        else {
            throw BandFault(
                "has '\(text)', which is not a number of seconds such as 12 or 12.5; before another "
                    + "interval, write 2k+0 instead of 2k")
        }
        return whole * 100 + tenths * 10
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

extension Substring {
    /// Removes a prefix. Returns whether it was there.
    fileprivate mutating func removePrefix(_ prefix: Character) -> Bool {
        guard first == prefix else { return false }
        removeFirst()
        return true
    }
}
