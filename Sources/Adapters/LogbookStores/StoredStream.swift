import Contract

/// A stream of one gateway in one epoch: within it a number names one record for ever.
package struct StoredStream: Hashable, Sendable {
    /// Who numbered it.
    package var gateway: GatewayID
    /// ULID of the ring that the numbers belong to.
    package var epoch: String
    /// Erg and kind.
    package var stream: StreamID

    package init(gateway: GatewayID, epoch: String, stream: StreamID) {
        self.gateway = gateway
        self.epoch = epoch
        self.stream = stream
    }
}

/// A session, as the gateway that recorded it names it.
package struct SessionName: Hashable, Sendable {
    /// Who recorded it: nobody's ULIDs are to touch another gateway's sessions.
    package var gateway: GatewayID
    /// Its ULID.
    package var session: String

    package init(gateway: GatewayID, session: String) {
        self.gateway = gateway
        self.session = session
    }
}
