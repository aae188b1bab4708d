import MQTTClient

/// What a broker does not do, as it said when it took the connection, and what that costs.
extension Checkup {
    /// As long as the longest message that a gateway publishes: a record with raw values of an erg.
    private static let longestMessage: UInt32 = 64 * 1024
    /// Acknowledgements that a gateway waits for at a time, unless it is told otherwise.
    private static let usualWindow = UInt16(BrokerConfiguration.usualInFlightWindow)

    static func limits(_ terms: BrokerTerms) -> [Finding] {
        var findings: [Finding] = []
        if !terms.keepsRetained {
            findings.append(
                .warn(
                    .limits,
                    "the broker keeps no messages for later: who subscribes hears of an erg when "
                        + "something changes",
                    remedy: "let it keep retained messages, or set broker.announce_min = 1"))
        }
        if let bytes = terms.maximumPacketBytes, bytes < longestMessage {
            findings.append(
                .warn(
                    .limits,
                    "the broker takes no message longer than \(bytes) bytes: longer records stay in "
                        + "the ring log, and subscribers are told which",
                    remedy: "let it take \(longestMessage) bytes; for mosquitto, max_packet_size"))
        }
        if terms.receiveMaximum < usualWindow {
            findings.append(
                .ok(
                    .limits,
                    "the broker acknowledges \(terms.receiveMaximum) messages at a time at most: a "
                        + "backlog takes longer"))
        }
        return findings
    }
}
