import Contract

/// Messages that the broker must retain, in the order in which their topics were first set, and the topics
/// with changed messages.
struct RetainedState {
    private var payloads: [RetainedTopic: [UInt8]] = [:]
    private var order: [RetainedTopic] = []
    private var due: Set<RetainedTopic> = []

    /// Whether something must be published.
    var isDue: Bool { !due.isEmpty }

    /// Sets the payload of a topic; a changed one must be published.
    mutating func set(_ payload: [UInt8], on topic: RetainedTopic) {
        let old = payloads.updateValue(payload, forKey: topic)
        if old == nil { order.append(topic) }
        if old != payload { due.insert(topic) }
    }

    /// Marks everything to be published again, after a new connection.
    mutating func repeatAll() { due = Set(order) }

    /// Marks one topic to be published again.
    mutating func repeatOne(_ topic: RetainedTopic) {
        if payloads[topic] != nil { due.insert(topic) }
    }

    /// Returns the next message to publish whose topic is not excluded; it counts as published.
    mutating func next(
        excluding isExcluded: (RetainedTopic) -> Bool
    ) -> (topic: RetainedTopic, payload: [UInt8])? {
        guard !due.isEmpty, let topic = order.first(where: { due.contains($0) && !isExcluded($0) })
        else { return nil }
        due.remove(topic)
        return payloads[topic].map { (topic, $0) }
    }

    /// Number of topics.
    var count: Int { order.count }
}
