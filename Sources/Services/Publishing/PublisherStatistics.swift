import MQTTClient
import Timeline

/// The publisher's figures, for `health` and `rowgatectl status`.
package struct PublisherStatistics: Equatable, Sendable {
    /// Whether the broker has accepted us and not gone since.
    package var isConnected: Bool
    /// Records taken, since the start.
    package var published: UInt64
    /// Refusals, since the start; each attempt counts.
    package var rejected: UInt64
    /// Records taken for nobody, as far as the broker told.
    package var unsubscribed: UInt64
    /// Commands and other messages that came faster than they were looked at or answered, or too
    /// long.
    package var incomingDropped: UInt64
    /// nil when nothing has failed since the start.
    package var lastFailure: BrokerFailure?
    /// Publish to acknowledgement, 99th percentile of the newest 512; nil before the first.
    package var latency: Duration?
    /// When it was last connected, or ceased to be; nil before the first connection.
    package var connectionChanged: BootInstant?
}
