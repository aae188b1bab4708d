extension Checkup {
    static func broker(_ facts: BrokerFacts) -> [Finding] {
        switch facts.outcome {
        case .untried(let reason, let remedy):
            return [.warn("broker", "not tried: \(reason)", remedy: remedy)]
        case .refused(let cause, let remedy):
            return [
                .fail(
                    "broker", "\(facts.address): \(cause)",
                    remedy: remedy ?? "systemctl status mosquitto")
            ]
        case .accepted(let milliseconds, let publish):
            return [
                .ok("broker", "\(facts.address) answers in \(milliseconds) ms"),
                encryption(facts), accessList(facts.topic, publish),
            ]
        }
    }

    private static func encryption(_ facts: BrokerFacts) -> Finding {
        if facts.usesTLS { return .ok("TLS", "the connection is encrypted") }
        if facts.isLocal { return .ok("TLS", "not needed, the broker is on this machine") }
        guard facts.hasPassword else {
            return .ok("TLS", "none, and no password that it would hide")
        }
        return .warn(
            "TLS", "the password crosses the network in the clear",
            remedy: "give the broker a certificate, then set broker.tls = true and its port")
    }

    private static func accessList(_ topic: String, _ publish: BrokerFacts.Publish) -> Finding {
        switch publish {
        case .accepted: .ok("access list", "the broker took a message to \(topic)")
        case .refused(let cause):
            .fail(
                "access list", "the broker refuses a message to \(topic): \(cause)",
                remedy: "let the gateway's user write to \(root(of: topic)); "
                    + "for mosquitto, in its acl_file: topic readwrite \(root(of: topic))")
        case .untold:
            .warn(
                "access list", "with MQTT 3.1.1 nobody can tell what the broker drops",
                remedy: "set broker.protocol = \"5\" if the broker has it")
        }
    }

    /// Everything of the gateway, `rowgate/v1/boathouse/#`.
    private static func root(of topic: String) -> String {
        topic.split(separator: "/").prefix(3).joined(separator: "/") + "/#"
    }
}
