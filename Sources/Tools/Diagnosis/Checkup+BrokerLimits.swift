import MQTTClient

/// Limits that the broker reported in its CONNACK, and their consequences.
extension Checkup {
    /// Length of the longest message of a gateway: a record with raw values of an erg.
    private static let longestMessage: UInt32 = 64 * 1024
    /// Default number of unacknowledged messages of a gateway.
    private static let defaultWindow = UInt16(BrokerConfiguration.defaultInFlightWindow)

    static func limits(_ terms: BrokerLimits) -> [Finding] {
        var findings: [Finding] = []
        if !terms.supportsRetained {
            findings.append(
                .warn(
                    .limits,
                    "the broker keeps no messages for later: who subscribes hears of an erg when "
                        + "something changes",
                    remedy: "enable retained messages, or set broker.announce_min = 1"))
        }
        if let bytes = terms.maximumPacketBytes, bytes < longestMessage {
            findings.append(
                .warn(
                    .limits,
                    "the broker accepts no message longer than \(bytes) bytes: longer records stay in "
                        + "the ring log, and subscribers are told which",
                    remedy: "let it take \(longestMessage) bytes; for mosquitto, max_packet_size"))
        }
        if terms.receiveMaximum < defaultWindow {
            findings.append(
                .ok(
                    .limits,
                    "the broker acknowledges \(terms.receiveMaximum) messages at a time at most: a "
                        + "backlog takes longer"))
        }
        return findings
    }
}
