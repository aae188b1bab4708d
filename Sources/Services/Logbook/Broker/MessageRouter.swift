import Contract
import MQTTClient

/// Decodes each message from the broker once, and passes it to the handlers of its kind.
///
/// It works on the connection's thread, so that a flood slows its sender down.
struct MessageRouter: Sendable {
    let room: LiveRoom
    let commands: CommandService
    var ingester: RecordIngester?
    var workoutSender: SuggestedWorkoutSender?
    var erasures: ErasureService?
    var roster: RosterService?
    var suggestionCommands: SuggestionCommandHandler?
    /// Whether the thread waits while the ingester's queue is full.
    var waitsForQueueSpace = false

    func route(_ message: IncomingMessage) {
        if let suggestionCommands, message.topic == suggestionCommands.topics.suggestionCommands {
            return suggestionCommands.handle(message)
        }
        if waitsForQueueSpace { ingester?.waitForQueueSpace() }
        if let received = ReceivedMessage(message, below: room.topicPrefix) { route(received) }
    }

    private func route(_ message: ReceivedMessage) {
        switch message.content {
        case .record, .availability:
            ingester?.handle(message)
            room.handle(message)
        case .retained(let topic, let content):
            ingester?.handle(message)
            room.handle(message)
            // After the room, which must have the place of the message.
            if case .state(let station) = topic {
                workoutSender?.handleState(content.value, of: station, at: message.gateway)
            }
        case .live: room.handle(message)
        case .reply(let station, let verb, let content):
            ingester?.handle(message)
            guard let reply = content.value else { return }
            commands.handle(
                reply: reply, message.payload, verb: verb, from: .init(gateway: message.gateway, erg: station)
            )
            guard station == nil else { return }
            switch CommandVerb(rawValue: verb) {
            case .forget: erasures?.handle(reply: reply, from: message.gateway)
            case .roster: roster?.handle(reply: reply, from: message.gateway)
            default: return
            }
        }
    }
}
