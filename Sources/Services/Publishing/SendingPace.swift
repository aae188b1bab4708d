import Timeline

/// How fast old records follow each other: so many a second on the average, a few at once.
///
/// A broker's queue for a subscriber is short (mosquitto drops beyond 1000 messages, and tells
/// nobody), so a backlog that is sent as fast as the broker takes it is lost to whoever reads more
/// slowly: seen with 92,000 records in 22 s, of which a busy subscriber got a fifth.
package struct SendingPace: Equatable, Sendable {
    /// Records that may follow each other at once after a pause.
    package static let burst = 10

    /// Between two records on the average.
    package let interval: Duration
    /// Not before this is the next record sent.
    package private(set) var earliest = BootInstant(nanoseconds: 0)

    package init(interval: Duration) { self.interval = interval }

    /// A record was sent.
    package mutating func spend(at now: BootInstant) {
        let credit = interval * (Self.burst - 1)
        earliest = max(earliest, now.advanced(by: .zero - credit)).advanced(by: interval)
    }
}
