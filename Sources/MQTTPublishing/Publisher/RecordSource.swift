import Rowing

/// Where durable records come from: the ring log, behind the daemon.
package protocol RecordSource: Sendable {
    /// The birth of a connection that has just been made, asked for anew each time.
    func birth() async -> BirthNotice

    /// Up to `limit` records after `cursor`, in log order; nil starts with the oldest record that
    /// was never acknowledged.
    ///
    /// Any cursor at or after the acknowledged one may be asked for again.
    func records(after cursor: UInt64?, limit: Int) async -> RecordBatch

    /// Up to `limit` records of a range that somebody wants again, published or not.
    ///
    /// - Parameter cursor: `through` of the batch before; nil for the beginning of the range.
    func records(of request: ReplayRequest, after cursor: UInt64?, limit: Int) async -> ReplayBatch

    /// The broker has taken every record up to `cursor`. It never goes back.
    func acknowledged(through cursor: UInt64) async

    /// How many records wait for an acknowledgement.
    func backlog() async -> Int
}

/// What a connection opens with.
package struct BirthNotice: Equatable, Sendable {
    /// The `birth` message.
    package var payload: [UInt8]
    /// Its `next_seq`: a record below it is historical on this connection.
    package var nextSequences: [StreamID: UInt64]

    package init(payload: [UInt8], nextSequences: [StreamID: UInt64]) {
        self.payload = payload
        self.nextSequences = nextSequences
    }

    package init(_ birth: Birth, gateway: GatewayID, at now: BootInstant, clock: WallClock) {
        self.init(
            payload: birth.payload(gateway: gateway, at: now, clock: clock),
            nextSequences: birth.streams.mapValues(\.next))
    }
}

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

/// The publisher's figures, for `health` and `rowgatectl status`.
package struct PublisherStatistics: Equatable, Sendable {
    /// Whether the broker has accepted us and not gone since.
    package var isConnected: Bool
    /// A 3.1.1 broker: what it denies or nobody gets is trimmed all the same.
    package var usesFallbackProtocol: Bool
    /// Records that wait for an acknowledgement.
    package var backlog: Int
    /// Records taken, since the start.
    package var published: UInt64
    /// Refusals, since the start; each attempt counts.
    package var rejected: UInt64
    /// Records taken for nobody, as far as the broker told.
    package var unsubscribed: UInt64
    /// Streams that wait because the broker refuses one of their records.
    package var refusedStreams: [StreamID]
    /// Live samples that found the publisher busy.
    package var liveDropped: UInt64
    /// Commands and other messages that came faster than they were looked at, or too long.
    package var incomingDropped: UInt64
    /// Connections after the first.
    package var reconnects: Int
    /// nil when nothing has failed since the start.
    package var lastFailure: BrokerFailure?
    /// Publish to acknowledgement, 99th percentile of the newest 512; nil before the first.
    package var latency: Duration?
}
