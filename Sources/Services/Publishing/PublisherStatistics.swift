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
    /// Records that were longer than the broker takes.
    package var tooLong: UInt64
    /// Topics on which the broker ends the connection, with when they are tried again.
    package var parked: [Parked]
    /// Commands and other messages that came faster than they were looked at or answered, or too
    /// long.
    package var incomingDropped: UInt64
    /// nil when nothing has failed since the start.
    package var lastFailure: BrokerFailure?
    /// Publish to acknowledgement, 99th percentile of the newest 512; nil before the first.
    package var latency: Duration?
    /// When it was last connected, or ceased to be; nil before the first connection.
    package var connectionChanged: BootInstant?
    /// The broker that serves us, or that is tried.
    package var server: BrokerAddress
    /// Of the connection that stands, or that stood last.
    package var certificates = CertificateEnds()

    /// What is left out for a while.
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
