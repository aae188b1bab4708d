import MQTTClient
import Timeline

/// The publisher's statistics, for `health` and `rowgatectl status`.
package struct PublisherStatistics: Equatable, Sendable {
    /// Whether there is an accepted connection.
    package var isConnected: Bool
    /// Accepted records since the start.
    package var published: UInt64
    /// Rejections since the start; counts each attempt.
    package var rejected: UInt64
    /// Records accepted without a subscriber, as far as reported.
    package var unsubscribed: UInt64
    /// Records that were longer than the broker accepts.
    package var tooLong: UInt64
    /// Topics over which the broker ends the connection, and when they are retried.
    package var parked: [Parked]
    /// Commands and other messages that were dropped because they arrived too fast or were too
    /// long.
    package var incomingDropped: UInt64
    /// nil if nothing has failed since the start.
    package var lastFailure: BrokerFailure?
    /// From publish to acknowledgement, 99th percentile of the newest 512; nil before the first.
    package var latency: Duration?
    /// When it was last connected or disconnected; nil before the first connection.
    package var connectionChanged: BootInstant?
    /// The connected broker, or the one being tried.
    package var server: BrokerAddress
    /// Of the current connection, or the last one.
    package var certificates = CertificateExpiry()

    /// A subject that is not published for a while.
    package struct Parked: Equatable, Sendable {
        /// A topic, or a filter of several.
        package var topic: String
        package var until: BootInstant

        package init(topic: String, until: BootInstant) {
            self.topic = topic
            self.until = until
        }
    }
}

/// The newest latencies, for a percentile.
package struct LatencyWindow: Sendable {
    /// Number of latencies stored; older ones are dropped.
    package static let capacity = 512

    private var values: [Duration] = []
    private var oldest = 0

    package init() {}

    /// Replaces the oldest if the window is full.
    package mutating func add(_ value: Duration) {
        if values.count < Self.capacity {
            values.append(value)
        } else {
            values[oldest] = value
            oldest = (oldest + 1) % Self.capacity
        }
    }

    /// Returns the smallest value that `percent` of the values do not exceed; nil if there are
    /// none.
    package func percentile(_ percent: Int) -> Duration? {
        guard !values.isEmpty else { return nil }
        let rank = (values.count * percent + 99) / 100
        return values.sorted()[max(rank, 1) - 1]
    }
}
