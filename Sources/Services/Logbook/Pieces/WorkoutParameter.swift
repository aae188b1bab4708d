import Bests

extension GroupWorkout {
    /// The largest number of intervals of a monitor.
    private static let maximumLengths = 50

    /// Whether a text has the form of `notation`: an optional number of intervals, lengths, and an optional rest.
    static func isNotation(_ text: String) -> Bool {
        if text == "intervals" { return true }
        var rest = text[...]
        if let cross = rest.firstIndex(of: "x") {
            let count = rest[..<cross]
            guard count == "*" || isNumber(count, digits: 1...2) else { return false }
            rest = rest[rest.index(after: cross)...]
        }
        if let slash = rest.firstIndex(of: "/") {
            let pause = rest[rest.index(after: slash)...]
            guard pause.last == "r", isClock(pause.dropLast()) else { return false }
            rest = rest[..<slash]
        }
        let lengths = rest.split(separator: "+", omittingEmptySubsequences: false)
        return lengths.count <= maximumLengths && lengths.allSatisfy(isLength)
    }

    private static func isLength(_ text: Substring) -> Bool {
        for unit in ["m", " cal", " watt-minutes"] where text.hasSuffix(unit) {
            return isNumber(text.dropLast(unit.count), digits: 1...7)
        }
        return isClock(text)
    }

    /// Whether a text is such as `1:00` or `1:30:00`.
    private static func isClock(_ text: Substring) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        return (2...3).contains(parts.count) && isNumber(parts[0], digits: 1...3)
            && parts.dropFirst().allSatisfy { isNumber($0, digits: 2...2) }
    }

    private static func isNumber(_ text: Substring, digits: ClosedRange<Int>) -> Bool {
        digits.contains(text.utf8.count)
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
