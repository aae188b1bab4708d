/// A time zone rule in POSIX format, `EST5EDT,M3.2.0,M11.1.0`, with the extensions of RFC 9636. It is the
/// footer of a TZif file, for all instants after the last change of its table.
struct PosixTimeZone: Equatable, Sendable {
    typealias Offset = TimeZoneRules.Offset
    typealias Change = TimeZoneRules.Change

    private let standard: Offset
    private let daylight: Daylight?

    private struct Daylight: Equatable, Sendable {
        let offset: Offset
        let begin: Date
        let end: Date
    }

    /// A local time in each year.
    fileprivate struct Date: Equatable, Sendable {
        enum Day: Equatable, Sendable {
            /// 1 to 365; 29 February is never counted.
            case julian(Int64)
            /// 0 to 365; 29 February is counted.
            case ofYear(Int64)
            /// The weekday (0 for Sunday) of a week of a month; week 5 is the month's last.
            case weekday(month: Int64, week: Int64, weekday: Int64)
        }

        let day: Day
        /// Seconds after midnight of the day; -167 to 167 hours.
        let time: Int64
    }

    /// Parses a footer; returns nil if the text is not a rule.
    init?(_ text: some StringProtocol) {
        var reader = Reader(Array(text.utf8))
        guard let name = reader.name(), let west = reader.time(hours: 24) else { return nil }
        standard = Offset(seconds: -west, isDaylight: false, abbreviation: name)
        if reader.isAtEnd {
            daylight = nil
            return
        }
        guard let other = reader.name() else { return nil }
        var seconds = -west + 3600
        if !reader.isAtEnd, !reader.isAt(",") {
            guard let west = reader.time(hours: 24) else { return nil }
            seconds = -west
        }
        guard let begin = reader.date(), let end = reader.date(), reader.isAtEnd else { return nil }
        daylight = Daylight(
            offset: Offset(seconds: seconds, isDaylight: true, abbreviation: other),
            begin: begin, end: end)
    }

    /// The offset at an instant, in Unix seconds.
    func offset(at seconds: Int64) -> Offset {
        guard daylight != nil else { return standard }
        let year = Self.year(of: seconds)
        let last = (year - 1...year + 1).flatMap(changes(of:)).last { $0.at <= seconds }
        return last?.offset ?? standard
    }

    /// The changes in a range of Unix seconds, in order.
    func changes(in range: Range<Int64>) -> [Change] {
        guard daylight != nil, !range.isEmpty else { return [] }
        let (first, last) = (Self.year(of: range.lowerBound), Self.year(of: range.upperBound))
        return (first - 1...last + 1).flatMap(changes(of:)).filter { range.contains($0.at) }
    }

    /// Both changes of a year, in order. If daylight-saving time ends and begins at the same instant, as it
    /// does if it lasts all year, the beginning comes last.
    private func changes(of year: Int64) -> [Change] {
        guard let daylight else { return [] }
        let begin = Change(
            at: daylight.begin.seconds(in: year) - standard.seconds, offset: daylight.offset)
        let end = Change(
            at: daylight.end.seconds(in: year) - daylight.offset.seconds, offset: standard)
        return begin.at < end.at ? [begin, end] : [end, begin]
    }

    private static func year(of seconds: Int64) -> Int64 {
        CivilTime(unixMilliseconds: seconds * 1000).year
    }
}

extension PosixTimeZone.Date {
    /// Unix seconds as if local time were UTC.
    fileprivate func seconds(in year: Int64) -> Int64 {
        let first = CivilTime.days(year: year, month: 1, day: 1)
        let number: Int64
        switch day {
        case .ofYear(let day): number = first + day
        case .julian(let day):
            let isLeap = CivilTime.days(year: year, month: 3, day: 1) - first == 60
            number = first + day - 1 + (isLeap && day >= 60 ? 1 : 0)
        case .weekday(let month, let week, let weekday):
            let begin = CivilTime.days(year: year, month: month, day: 1)
            let end = CivilTime.days(
                year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1)
            // Monday is 0 in a `CalendarDay`, but 1 here.
            let wait = (weekday - CalendarDay(number: begin).weekday + 6) % 7
            let found = begin + wait + 7 * (week - 1)
            number = found < end ? found : found - 7
        }
        return number * 86_400 + time
    }
}

/// Reads the parts of a rule, from its beginning.
private struct Reader {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { at == bytes.count }

    func isAt(_ character: Unicode.Scalar) -> Bool {
        at < bytes.count && bytes[at] == UInt8(ascii: character)
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard isAt(character) else { return false }
        at += 1
        return true
    }

    /// `CET`, or `<-03>`.
    mutating func name() -> String? {
        let isQuoted = skip("<")
        let start = at
        while at < bytes.count, Self.isOfName(bytes[at], isQuoted) { at += 1 }
        let name = String(decoding: bytes[start..<at], as: UTF8.self)
        guard name.utf8.count >= 3, !isQuoted || skip(">") else { return nil }
        return name
    }

    private static func isOfName(_ byte: UInt8, _ isQuoted: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"): isQuoted
        default: false
        }
    }

    private mutating func number(_ range: ClosedRange<Int64>) -> Int64? {
        let start = at
        var value: Int64 = 0
        while at < bytes.count, at - start < 4, (0x30...0x39).contains(bytes[at]) {
            value = value * 10 + Int64(bytes[at] - 0x30)
            at += 1
        }
        return at > start && range.contains(value) ? value : nil
    }

    /// `5`, `-3:30` or `+1:00:00`, in seconds.
    mutating func time(hours limit: Int64) -> Int64? {
        let isNegative = skip("-")
        if !isNegative { _ = skip("+") }
        guard let hours = number(0...limit) else { return nil }
        var seconds = hours * 3600
        for unit in [Int64(60), 1] where skip(":") {
            guard let part = number(0...59) else { return nil }
            seconds += part * unit
        }
        return isNegative ? -seconds : seconds
    }

    /// `,M3.2.0/2`, `,J60` or `,59`.
    mutating func date() -> PosixTimeZone.Date? {
        guard skip(",") else { return nil }
        let day: PosixTimeZone.Date.Day
        if skip("M") {
            guard let month = number(1...12), skip("."), let week = number(1...5), skip("."),
                let weekday = number(0...6)
            else { return nil }
            day = .weekday(month: month, week: week, weekday: weekday)
        } else if skip("J") {
            guard let number = number(1...365) else { return nil }
            day = .julian(number)
        } else {
            guard let number = number(0...365) else { return nil }
            day = .ofYear(number)
        }
        guard skip("/") else { return PosixTimeZone.Date(day: day, time: 2 * 3600) }
        return time(hours: 167).map { PosixTimeZone.Date(day: day, time: $0) }
    }
}
