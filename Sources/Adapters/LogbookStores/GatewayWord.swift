import Contract

/// Something that a gateway said of itself and that the broker forgets: no record holds it.
package struct GatewayWord: Equatable, Sendable {
    /// Which retained topic, by its last level.
    package enum Kind: String, CaseIterable, Sendable {
        /// A word in quotes, so that it is JSON as the others are.
        case availability
        case birth
        case health
    }

    package var gateway: GatewayID
    package var kind: Kind
    /// Unix milliseconds: when it was said, as far as that is known.
    package var heardAt: Int64
    /// As published, JSON.
    package var payload: [UInt8]

    package init(gateway: GatewayID, kind: Kind, heardAt: Int64, payload: [UInt8]) {
        (self.gateway, self.kind) = (gateway, kind)
        (self.heardAt, self.payload) = (heardAt, payload)
    }
}
