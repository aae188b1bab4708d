import PM5Codec
import Timeline

/// Finds the result that the monitor's message about its log (0x003F) belongs to.
///
/// The message does not name its piece. The monitor sends it when it has logged a result, so it belongs to the result
/// that arrived just before. The two are read from different sockets: a late reader may see the message first.
struct LogEntryMatcher {
    /// The longest time between a result and the message that follows it. A next piece takes longer.
    static let limit = Duration.seconds(10)
    /// The longest time by which the message may be read before its result.
    static let lead = Duration.seconds(2)

    private var result: (logged: LogTimestamp, at: BootInstant)?
    private var early: (packet: LoggedWorkout, at: BootInstant)?

    /// Notes that a packet of a result arrived, valid or spoiled.
    mutating func note(_ logged: LogTimestamp, at now: BootInstant) { result = (logged, now) }

    /// When the monitor logged the result that a message of this moment belongs to; nil if none just arrived.
    func result(at now: BootInstant) -> LogTimestamp? {
        result.flatMap { $0.at.duration(to: now) <= Self.limit ? $0.logged : nil }
    }

    /// Keeps a message that belongs to no result yet.
    mutating func keep(_ packet: LoggedWorkout, at now: BootInstant) { early = (packet, now) }

    /// Removes and returns the message that was read just before the result of this moment.
    mutating func takeEarly(at now: BootInstant) -> LoggedWorkout? {
        defer { early = nil }
        return early.flatMap { $0.at.duration(to: now) <= Self.lead ? $0.packet : nil }
    }
}
