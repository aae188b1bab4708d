import Contract

/// A stream of one gateway in one epoch, within which a number identifies one record forever.
package struct StoredStream: Hashable, Sendable {
    /// The gateway that assigned the numbers.
    package var gateway: GatewayID
    /// ULID of the ring to which the numbers belong.
    package var epoch: String
    /// Erg and kind.
    package var stream: StreamID

    package init(gateway: GatewayID, epoch: String, stream: StreamID) {
        self.gateway = gateway
        self.epoch = epoch
        self.stream = stream
    }
}

/// A session's identifier: its gateway and its ULID.
package struct SessionName: Hashable, Sendable {
    /// The gateway that recorded it. ULIDs of one gateway never refer to sessions of another.
    package var gateway: GatewayID
    /// Its ULID.
    package var session: String

    package init(gateway: GatewayID, session: String) {
        self.gateway = gateway
        self.session = session
    }
}
