import PM5Codec
import Rowing
import Timeline

/// Decides when to read the clock of a monitor, and when to set it.
///
/// In CSAFE the monitor's clock has no seconds. It is read in the middle of a minute: then a clock that is off by more
/// than half a minute shows another minute. It is set at the beginning of a minute, because no document says whether
/// the monitor's seconds restart.
struct MonitorClockWatch {
    /// A monitor loses seconds in a day; a change between summer and winter time takes effect within this time.
    static let interval = Duration.seconds(3600)
    /// How far the monitor's clock may be off: as far as can be measured.
    static let toleranceMilliseconds: Int64 = 30_000
    /// How long nobody must have used the monitor.
    static let calm = Duration.seconds(60)
    /// How often the clock is set before the monitor is left alone, until its next link.
    static let maximumAttempts = 3
    /// How long after the beginning or the middle of a minute a request may still be sent. The station asks the
    /// watch more often than that.
    static let windowMilliseconds: Int64 = 5000
    private static let minute: Int64 = 60_000

    /// How far the monitor's clock was ahead at the last reading, to half a minute; negative if it was behind. Nil
    /// before, and if its date does not exist.
    private(set) var offsetMilliseconds: Int64?
    /// How often the monitor's clock was set since the daemon started.
    private(set) var settings = 0
    /// Whether the monitor does not keep the time that was set.
    private(set) var hasGivenUp = false
    private var nextReading: BootInstant?
    /// Since when nobody uses the monitor; nil if somebody does.
    private var unusedSince: BootInstant?
    private var mustSet = false
    private var attempts = 0

    /// The offset in words: `was 61 min behind`.
    var offsetText: String {
        guard let offsetMilliseconds else { return "showed no valid date" }
        let seconds = abs(offsetMilliseconds) / 1000
        let amount =
            switch seconds {
            case ..<120: "\(seconds) s"
            case ..<7200: "\(seconds / 60) min"
            case ..<172_800: "\(seconds / 3600) h"
            default: "\(seconds / 86_400) days"
            }
        return "was \(amount) \(offsetMilliseconds < 0 ? "behind" : "ahead")"
    }

    /// Reads the clock soon: another monitor may have come.
    mutating func linkOpened() {
        (nextReading, unusedSince, mustSet, attempts, hasGivenUp) = (nil, nil, false, 0, false)
    }

    /// Notes whether somebody uses the monitor.
    mutating func note(isUsed: Bool, at now: BootInstant) { unusedSince = isUsed ? nil : unusedSince ?? now }

    /// Whether `request` may have something to send.
    func isDue(at now: BootInstant) -> Bool {
        guard let unusedSince, unusedSince.duration(to: now) >= Self.calm else { return false }
        return mustSet || nextReading.map { $0 <= now } ?? true
    }

    /// What to ask the monitor at this moment; nil for nothing.
    ///
    /// - Parameter local: the local time in milliseconds since 1970, as if it were UTC.
    mutating func request(at now: BootInstant, local: Int64) -> MonitorQuestion? {
        guard isDue(at: now) else { return nil }
        let position = local % Self.minute
        if mustSet {
            guard position < Self.windowMilliseconds else { return nil }
            (mustSet, attempts) = (false, attempts + 1)
            return .setClock(MonitorClock(CivilTime(unixMilliseconds: local)))
        }
        let middle = Self.minute / 2..<Self.minute / 2 + Self.windowMilliseconds
        guard middle.contains(position) else { return nil }
        nextReading = now.advanced(by: Self.interval)
        return .clock
    }

    /// Compares the monitor's clock with the local time.
    mutating func note(_ clock: MonitorClock, local: Int64) {
        offsetMilliseconds = clock.localMilliseconds.map { $0 + Self.minute / 2 - local }
        if let offsetMilliseconds, abs(offsetMilliseconds) <= Self.toleranceMilliseconds {
            (attempts, hasGivenUp) = (0, false)
        } else if attempts < Self.maximumAttempts {
            mustSet = true
        } else {
            hasGivenUp = true
        }
    }

    /// The monitor accepted a new time. It is read at the next opportunity.
    mutating func noteSetting() {
        settings += 1
        nextReading = nil
    }
}

extension MonitorClock {
    /// `2026-09-05 17:04`.
    var text: String {
        let time = CivilTime(unixMilliseconds: localMilliseconds ?? 0)
        return "\(time.date) \(time.timeOfDay.prefix(5))"
    }

    fileprivate init(_ time: CivilTime) {
        self.init(
            year: UInt16(clamping: time.year), month: UInt8(time.month), day: UInt8(time.day),
            hour: UInt8(time.hour), minute: UInt8(time.minute))
    }

    /// The beginning of its minute, in milliseconds since 1970 as if it were UTC; nil if its date does not exist.
    fileprivate var localMilliseconds: Int64? {
        guard isValid else { return nil }
        let day = CalendarDay(year: Int64(year), month: Int64(month), day: Int64(day))
        return (day.number * 1440 + Int64(hour) * 60 + Int64(minute)) * 60_000
    }
}
