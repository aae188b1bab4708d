import Contract
import MQTTClient
import Timeline

/// A command as it arrived; only its topic is checked.
package struct IncomingCommand: Equatable, Sendable {
    /// The addressee, from its topic.
    package var target: CommandTarget
    /// From its topic, known or not.
    package var verb: String
    /// The payload and the topic for the reply.
    package var message: IncomingMessage
    /// When it was received.
    package var receivedAt: BootInstant
}
