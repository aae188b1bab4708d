import MQTTClient

extension Checkup {
    static func broker(_ facts: BrokerFacts) -> [Finding] {
        let others = facts.failedOthers.map { other in
            Finding.warn(
                .broker, "\(other.address): \(other.failure.cause)",
                remedy: other.failure.remedy ?? "start it, or take it out of broker.servers")
        }
        var findings = outcome(facts)
        findings.insert(contentsOf: others, at: min(1, findings.count))
        return findings
    }

    private static func outcome(_ facts: BrokerFacts) -> [Finding] {
        let topic = facts.topic
        switch facts.outcome {
        case .untried(let reason, let remedy):
            return [.warn(.broker, "not tried: \(reason)", remedy: remedy)]
        case .tried(.failed(let failure)) where failure.kind == .encryption:
            return [
                .ok(.broker, "\(facts.address) is there"),
                Finding(
                    .encryption, .broker, failure.cause,
                    remedy: failure.remedy ?? "check the certificates on both sides and the clock"),
            ]
        case .tried(.failed(let failure)):
            return [
                Finding(
                    .broker, .broker, "\(facts.address): \(failure.cause)",
                    remedy: remedy(facts, with: failure.remedy))
            ]
        case .tried(.accepted(let milliseconds, let terms)):
            return answers(facts, milliseconds) + certificates(terms.certificates, facts)
                + limits(terms)
                + [.ok(.accessList, "the broker accepted a message to \(topic)")]
        case .tried(.publishDenied(let milliseconds, let failure)):
            return answers(facts, milliseconds) + [
                .fail(
                    .accessList, "the broker refuses a message to \(topic): \(failure.cause)",
                    remedy: "let the gateway's user write to \(facts.filter); "
                        + "for mosquitto, in its acl_file: topic readwrite \(facts.filter)")
            ]
        case .tried(.publishUncertain(let milliseconds)):
            return answers(facts, milliseconds) + [
                .warn(
                    .accessList, "with MQTT 3.1.1 the broker does not report denied messages",
                    remedy: "set broker.protocol = \"5\" if the broker has it")
            ]
        }
    }

    private static func answers(_ facts: BrokerFacts, _ milliseconds: Int) -> [Finding] {
        [.ok(.broker, "\(facts.address) answers in \(milliseconds) ms"), encryption(facts)]
    }

    /// The remedy; a local broker has more details in its journal.
    private static func remedy(_ facts: BrokerFacts, with remedy: String?) -> String {
        let sentence =
            remedy
            ?? (facts.usesTLS
                ? "ask the administrator of the broker" : "if this port is for TLS, set broker.tls = true")
        return facts.isLocal ? "journalctl -u mosquitto -n 20; \(sentence)" : sentence
    }

    private static func encryption(_ facts: BrokerFacts) -> Finding {
        if facts.usesTLS { return .ok(.encryption, "the connection is encrypted") }
        if facts.isLocal { return .ok(.encryption, "not needed, the broker is on this machine") }
        guard facts.hasPassword else {
            return .ok(.encryption, "none, but no password is sent either")
        }
        return .warn(
            .encryption, "the password is sent unencrypted",
            remedy: "give the broker a certificate, then set broker.tls = true and its port")
    }

    /// Certificates that expire soon; none while the clock is not synchronized.
    private static func certificates(_ ends: CertificateExpiry, _ facts: BrokerFacts) -> [Finding] {
        guard let now = facts.triedAt else { return [] }
        return ends.warnings(at: now).map {
            Finding(.encryption, .certificate, $0.message, remedy: $0.remedy)
        }
    }
}

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
