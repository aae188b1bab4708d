import Contract

/// The last message of a gateway on one retained topic. No record contains it, and the broker may lose it.
package struct GatewayStatusMessage: Equatable, Sendable {
    /// The retained topic, by its last level.
    package enum Kind: String, CaseIterable, Sendable {
        /// A quoted word, so that the payload is JSON as in the other topics.
        case availability
        case birth
        case health
    }

    package var gateway: GatewayID
    package var kind: Kind
    /// Unix milliseconds: the time of the message, as far as known.
    package var reportedAt: Int64
    /// The published JSON.
    package var payload: [UInt8]

    package init(gateway: GatewayID, kind: Kind, reportedAt: Int64, payload: [UInt8]) {
        (self.gateway, self.kind) = (gateway, kind)
        (self.reportedAt, self.payload) = (reportedAt, payload)
    }
}
