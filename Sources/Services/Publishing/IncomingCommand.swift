import Contract
import MQTTClient
import Timeline

/// A command as it came in; nothing in it is checked but the topic.
package struct IncomingCommand: Equatable, Sendable {
    /// Whom it is for, by its topic.
    package var target: CommandTarget
    /// By its topic, known or not.
    package var verb: String
    /// The payload and where the reply is wanted.
    package var message: IncomingMessage
    /// When it came off the connection.
    package var receivedAt: BootInstant
}
