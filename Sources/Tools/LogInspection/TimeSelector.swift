import Timeline

/// An argument of `--since` and `--until`, in Unix milliseconds.
package struct TimeSelector: Equatable, Sendable {
    /// The moment meant, by the wall clock.
    package let unixMilliseconds: Int64

    /// The syntax of `init(parsing:now:)`, for help texts and errors.
    package static let syntax =
        "2026-09-05, 2026-09-05T17:05:00Z, a ts_ms, or an age such as 90s, 30m, 2h, 7d"

    /// A day begins at midnight UTC; an age counts back from `now`, Unix milliseconds.
    ///
    /// nil for anything but the forms of `syntax`.
    package init?(parsing text: String, now: Int64) {
        if let age = Self.age(text) {
            unixMilliseconds = now - age
        } else if text.utf8.count >= 12, let milliseconds = Self.digits(text[...]) {
            unixMilliseconds = milliseconds
        } else if let moment = Self.moment(text) {
            unixMilliseconds = moment
        } else {
            return nil
        }
    }

    private static func age(_ text: String) -> Int64? {
        guard let unit = text.last, let count = digits(text.dropLast()), count < 1_000_000 else {
            return nil
        }
        switch unit {
        case "s": return count * 1000
        case "m": return count * 60_000
        case "h": return count * 3_600_000
        case "d": return count * 86_400_000
        default: return nil
        }
    }

    private static func moment(_ text: String) -> Int64? {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count <= 2, let day = day(parts[0]) else { return nil }
        guard parts.count == 2 else { return day }
        guard parts[1].hasSuffix("Z"), let time = time(parts[1].dropLast()) else { return nil }
        return day + time
    }

    /// nil before 1970 too.
    private static func day(_ text: Substring) -> Int64? {
        CivilTime.midnight(String(text)).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// `17:05`, `17:05:00` or `17:05:00.120`.
    private static func time(_ text: Substring) -> Int64? {
        let halves = text.split(separator: ".", omittingEmptySubsequences: false)
        let fields = halves[0].split(separator: ":", omittingEmptySubsequences: false)
        let numbers = fields.compactMap { $0.utf8.count == 2 ? digits($0) : nil }
        guard halves.count <= 2, numbers.count == fields.count, (2...3).contains(numbers.count),
            numbers[0] < 24, numbers[1...].allSatisfy({ $0 < 60 })
        else { return nil }
        let seconds = (numbers + [0]).prefix(3).reduce(0) { $0 * 60 + $1 }
        guard halves.count == 2 else { return seconds * 1000 }
        guard (1...3).contains(halves[1].utf8.count), let fraction = digits(halves[1]) else {
            return nil
        }
        let scale: Int64 = [100, 10, 1][halves[1].utf8.count - 1]
        return seconds * 1000 + fraction * scale
    }

    private static func digits(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}
