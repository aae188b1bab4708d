import Contract

/// What the broker is to keep, in the order in which the topics were first set.
struct RetainedState {
    private var payloads: [RetainedTopic: [UInt8]] = [:]
    private var order: [RetainedTopic] = []

    /// Whether the payload is another than before.
    mutating func want(_ payload: [UInt8], on topic: RetainedTopic) -> Bool {
        let old = payloads.updateValue(payload, forKey: topic)
        if old == nil { order.append(topic) }
        return old != payload
    }

    /// Everything, as a new connection publishes it.
    var messages: [(topic: RetainedTopic, payload: [UInt8])] {
        order.compactMap { topic in payloads[topic].map { (topic, $0) } }
    }
}
