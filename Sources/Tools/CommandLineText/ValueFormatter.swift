import Contract

/// Formats values for rowers and administrators, independent of the locale.
package enum ValueFormatter {
    /// `2:03.4`, `1:02:03.4`: a running clock, cut to tenths as a monitor shows it.
    package static func clock(_ seconds: Double) -> String {
        clock(tenths: whole(seconds * 10, rounding: .down))
    }

    /// `2:03.5`: the time of a result or a split, rounded to tenths.
    package static func time(_ seconds: Double) -> String {
        clock(tenths: Int(DisplayRounding.tenths(ofTime: seconds)))
    }

    /// `2:03.4`: a pace, truncated to tenths.
    package static func pace(_ seconds: Double) -> String {
        clock(tenths: Int(DisplayRounding.tenths(ofPace: seconds)))
    }

    private static func clock(tenths: Int) -> String {
        let (minutes, rest) = (tenths / 600, tenths % 600)
        let tail = "\(twoDigits(rest / 10)).\(rest % 10)"
        if minutes < 60 { return "\(minutes):\(tail)" }
        return "\(minutes / 60):\(twoDigits(minutes % 60)):\(tail)"
    }

    /// `12 s`, `3 min`, `3 h 12 min`, `2 d 4 h`: an age, in its two largest units.
    package static func span(_ seconds: Double) -> String {
        let seconds = whole(seconds, rounding: .down)
        let minutes = seconds / 60
        switch minutes {
        case ..<1: return "\(seconds) s"
        case ..<60: return "\(minutes) min"
        case ..<(24 * 60): return "\(minutes / 60) h \(minutes % 60) min"
        default: return "\(minutes / (24 * 60)) d \(minutes / 60 % 24) h"
        }
    }

    /// `512 B`, `3.1 kB`, `12.5 MB`: decimal units, as disks and networks count.
    package static func bytes(_ count: Int) -> String {
        guard count >= 1000 else { return "\(max(0, count)) B" }
        let names = ["kB", "MB", "GB", "TB"]
        var (value, name) = (Double(count) / 1000, 0)
        while value >= 999.95, name < names.count - 1 { (value, name) = (value / 1000, name + 1) }
        return "\(tenths(value)) \(names[name])"
    }

    /// `264 KiB`, `64 MiB`: whole binary units, as the ring's size is configured.
    package static func storage(_ bytes: some BinaryInteger) -> String {
        bytes < 1 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
    }

    /// `3.1`: rounded to tenths.
    package static func tenths(_ value: Double) -> String {
        let tenths = whole(value.magnitude * 10, rounding: .toNearestOrAwayFromZero)
        let sign = value < 0 && tenths > 0 ? "-" : ""
        return "\(sign)\(tenths / 10).\(tenths % 10)"
    }

    /// Whole units, rounded down as metres are.
    package static func units(_ value: Double, _ unit: String) -> String {
        "\(DisplayRounding.metres(value)) \(unit)"
    }

    /// A number of any size and kind as an integer: negative ones and NaN are 0, huge ones clamp.
    private static func whole(_ value: Double, rounding: FloatingPointRoundingRule) -> Int {
        guard value > 0 else { return 0 }
        return Int(exactly: value.rounded(rounding)) ?? .max
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

extension BinaryInteger {
    /// `1 segment`, `2 segments`.
    package func counted(_ noun: String, _ plural: String = "s") -> String {
        "\(self) \(noun)\(self == 1 ? "" : plural)"
    }
}

extension String {
    /// At most so many characters: whole words and an ellipsis where there are more.
    package func shortened(to limit: Int) -> String {
        guard count > limit else { return self }
        let head = prefix(limit - 1)
        let words = head.lastIndex(of: " ").map { head[..<$0] } ?? head
        return String(words) + "\u{2026}"
    }
}
