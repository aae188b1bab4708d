import Contract

/// What the broker is to keep, in the order in which the topics were first set, and what of it is to be
/// published.
struct RetainedState {
    private var payloads: [RetainedTopic: [UInt8]] = [:]
    private var order: [RetainedTopic] = []
    private var due: Set<RetainedTopic> = []

    /// Whether something is to be published.
    var isDue: Bool { !due.isEmpty }

    /// Another payload than before is to be published.
    mutating func want(_ payload: [UInt8], on topic: RetainedTopic) {
        let old = payloads.updateValue(payload, forKey: topic)
        if old == nil { order.append(topic) }
        if old != payload { due.insert(topic) }
    }

    /// Everything is to be published once more, as a new connection does it.
    mutating func repeatAll() { due = Set(order) }

    /// One topic is.
    mutating func repeatOne(_ topic: RetainedTopic) {
        if payloads[topic] != nil { due.insert(topic) }
    }

    /// The next to be published, of those that `isLeftOut` does not hold back; it counts as published.
    mutating func next(
        leavingOut isLeftOut: (RetainedTopic) -> Bool
    ) -> (topic: RetainedTopic, payload: [UInt8])? {
        guard !due.isEmpty, let topic = order.first(where: { due.contains($0) && !isLeftOut($0) })
        else { return nil }
        due.remove(topic)
        return payloads[topic].map { (topic, $0) }
    }

    /// How many topics there are.
    var count: Int { order.count }
}
