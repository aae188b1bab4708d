import Bytes

/// Date of a log entry: bits 0-3 month, 4-8 day, 9-15 year since 2000.
///
/// The documents give no layout; captures of 2016, 2021 and 2025 decode to their known dates. Local
/// calendar of the monitor, which may be wrong.
package struct LogDate: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    package internal(set) var rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// `year` 2000 to 2127, `month` 1 to 12, `day` 1 to 31.
    package init(year: Int, month: Int, day: Int) {
        precondition(
            (2000...2127).contains(year) && (1...12).contains(month) && (1...31).contains(day),
            "no such date in a log entry: \(year)-\(month)-\(day)")
        rawValue = UInt16(year - 2000) << 9 | UInt16(day) << 4 | UInt16(month)
    }

    /// 2000 to 2127.
    package var year: Int { 2000 + Int(rawValue >> 9) }
    /// 1 to 12 in a valid date; 0 to 15 are possible.
    package var month: Int { Int(rawValue & 0xF) }
    /// 1 to 31 in a valid date; 0 is possible.
    package var day: Int { Int(rawValue >> 4 & 0x1F) }

    /// False for a day that is not in the calendar. A monitor has sent 30 February.
    package var isValid: Bool { CalendarDay.exists(year: year, month: month, day: day) }

    /// `2016-03-06`.
    package var text: String { "\(year)-\(twoDigits(month))-\(twoDigits(day))" }
}

/// Time of a log entry: low byte minute, high byte hour 0-23, without seconds and time zone.
package struct LogTime: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    package internal(set) var rawValue: UInt16

    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// `hour` 0 to 23, `minute` 0 to 59.
    package init(hour: Int, minute: Int) {
        precondition(
            (0...23).contains(hour) && (0...59).contains(minute),
            "no such time in a log entry: \(hour):\(minute)")
        rawValue = UInt16(hour) << 8 | UInt16(minute)
    }

    /// 0 to 23 in a valid time; up to 255 are possible.
    package var hour: Int { Int(rawValue >> 8) }
    /// 0 to 59 in a valid time; up to 255 are possible.
    package var minute: Int { Int(rawValue & 0xFF) }
    /// False for an impossible hour or minute.
    package var isValid: Bool { hour < 24 && minute < 60 }

    /// `11:36`.
    package var text: String { "\(twoDigits(hour)):\(twoDigits(minute))" }
}

/// The Gregorian calendar, for every date that a monitor sends.
enum CalendarDay {
    static func exists(year: Int, month: Int, day: Int) -> Bool {
        guard (1...12).contains(month) else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...lengths[month - 1]).contains(day)
    }
}

/// When a workout was logged: the join key of 0x0039, 0x003A and 0x003C.
package struct LogTimestamp: Hashable, Sendable, BitwiseCopyable {
    /// In the calendar of the monitor.
    package var date: LogDate
    /// By the clock of the monitor, to the minute, in an unknown time zone.
    package var time: LogTime

    /// Creates a timestamp; the default values are invalid.
    package init(date: LogDate = LogDate(rawValue: 0), time: LogTime = LogTime(rawValue: 0)) {
        self.date = date
        self.time = time
    }

    /// `2016-03-06T11:36`; nil for an invalid date or time.
    package var text: String? {
        date.isValid && time.isValid ? date.text + "T" + time.text : nil
    }

    @inline(__always)
    mutating func code(with coder: inout some PayloadCoder) {
        coder.field(&date.rawValue, "log_date_raw")
        coder.field(&time.rawValue, "log_time_raw")
        coder.meaning(Field("log_date", date.isValid ? .text(date.text) : .null))
        coder.meaning(Field("log_time", time.isValid ? .text(time.text) : .null))
    }
}

private func twoDigits(_ value: Int) -> String {
    (value < 10 ? "0" : "") + String(value)
}
