import Contract

/// How often records of a gateway were refused for one reason.
package struct RefusalCount: Equatable, Sendable {
    package var gateway: GatewayID
    /// As the end of a sentence that begins with "refused, because".
    package var reason: String
    package var times: UInt64
    /// Unix milliseconds: the last time.
    package var lastAt: Int64

    package init(gateway: GatewayID, reason: String, times: UInt64, lastAt: Int64) {
        (self.gateway, self.reason) = (gateway, reason)
        (self.times, self.lastAt) = (times, lastAt)
    }

    /// The reason of all others, where a gateway has too many.
    package static let otherReason = "of other reasons"
    /// Reasons of one gateway that are counted apart: a publisher can cause any number.
    package static let mostReasons = 50
}
