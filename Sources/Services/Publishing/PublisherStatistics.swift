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
