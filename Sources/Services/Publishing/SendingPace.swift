import Timeline

/// Limits the rate of old records: an average per second, with short bursts.
///
/// A broker's queue for a subscriber is short (mosquitto silently drops messages beyond 1000), so a
/// subscriber that reads slower than the broker loses a backlog that is sent at full speed: seen
/// with 92,000 records in 22 s, of which a busy subscriber received a fifth.
package struct SendingPace: Equatable, Sendable {
    /// Records that may be sent at once after a pause.
    package static let burst = 10

    /// Average time between two records.
    package let interval: Duration
    /// The next record is not sent earlier.
    package private(set) var earliest = BootInstant(nanoseconds: 0)

    package init(interval: Duration) { self.interval = interval }

    /// Notes a sent record.
    package mutating func spend(at now: BootInstant) {
        let credit = interval * (Self.burst - 1)
        earliest = max(earliest, now.advanced(by: .zero - credit)).advanced(by: interval)
    }
}
