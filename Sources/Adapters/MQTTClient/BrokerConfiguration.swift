/// Address and settings of the broker.
package struct BrokerConfiguration: Sendable {
    /// The version of MQTT.
    package enum ProtocolVersion: String, CaseIterable, Sendable {
        case v5 = "5"
        /// A fallback with fewer guarantees: such a broker acknowledges messages that its access
        /// list denies, and does not report missing subscribers, so records may be trimmed unseen.
        case v311 = "3.1.1"
    }

    /// TLS with the system's authorities, unless files say otherwise (PEM).
    package struct TLSConfiguration: Sendable {
        /// Authorities to trust instead of the system's.
        package var authorityFile: String?
        /// Our certificate, if the broker requires one; needs `keyFile`.
        package var certificateFile: String?
        /// The private key of `certificateFile`.
        package var keyFile: String?

        package init(
            authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil
        ) {
            self.authorityFile = authorityFile
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// Name or address; a name is resolved again for each attempt.
    package var host: String
    /// 1883 by default.
    package var port: UInt16
    /// Other brokers with the same sessions and messages, tried in this order after a failure.
    package var alternatives: [BrokerAddress] = []
    /// Unique per gateway: a second client with the same id would disconnect the first.
    package var clientID: String
    /// nil for none.
    package var username: String?
    /// nil for none.
    package var password: String?
    /// Keep-alive in seconds; a dead connection is noticed after about 1.5 times as long.
    package var keepAliveSeconds = Self.defaultKeepAliveSeconds
    /// Version 5, unless the broker does not support it.
    package var protocolVersion = ProtocolVersion.v5
    /// nil for an unencrypted connection.
    package var tls: TLSConfiguration?
    /// Maximum number of unacknowledged records; the broker's own limit may lower it.
    package var inFlightWindow = Self.defaultInFlightWindow
    /// Whether records without a subscriber stay pending.
    package var holdsWhenUnsubscribed = false
    /// Delay before the broker publishes `offline` for us, so that a quick reconnect is not
    /// visible.
    package var willDelaySeconds = Self.defaultWillDelaySeconds
    /// How long the broker stores a subscriber's messages while it is away; nil for only while the
    /// connection exists. A 3.1.1 broker decides itself.
    package var sessionExpirySeconds: UInt32?

    /// Average time between two records of a backlog: 1000 a second, for subscribers that are
    /// slower than the broker (`SendingPace`); nil for no limit.
    package var backlogInterval: Duration? = .milliseconds(1)
    /// Maximum number of messages a second, all kinds together; nil for no limit.
    package var maximumPublishRate: Int?
    /// Period after which all retained messages are published again; nil for never.
    package var announcePeriod: Duration?
    /// The first and the longest delay before another attempt to connect.
    package var reconnectDelays = BrokerBackoff.delays

    /// The default.
    package static let defaultKeepAliveSeconds: UInt16 = 30
    /// The default.
    package static let defaultInFlightWindow = 20
    /// The default.
    package static let defaultWillDelaySeconds: UInt32 = 10

    package init(host: String, port: UInt16 = 1883, clientID: String) {
        self.host = host
        self.port = port
        self.clientID = clientID
    }

    /// `host:port`, as log messages name the broker.
    package var address: String { "\(server)" }

    /// The first configured broker.
    package var server: BrokerAddress { BrokerAddress(host: host, port: port) }

    /// One configuration per broker, without alternatives.
    package var configurationPerServer: [BrokerConfiguration] {
        ([server] + alternatives).map { server in
            var one = self
            (one.host, one.port, one.alternatives) = (server.host, server.port, [])
            return one
        }
    }
}

/// The address of a broker.
package struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
    /// Name or address, without brackets.
    package var host: String
    /// 1 to 65535.
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses `host`, `host:port` or `[address]:port`; nil for anything else. An IPv6 address
    /// without a port needs no brackets.
    ///
    /// - Parameter usual: the port if the text has none.
    package init?(_ text: String, port usual: UInt16) {
        var (host, port) = (Substring(text), usual)
        let colons = text.filter { $0 == ":" }.count
        if text.hasPrefix("["), let end = text.lastIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            guard let number = rest.isEmpty ? usual : UInt16(rest.dropFirst()) else { return nil }
            port = number
        } else if colons == 1, let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            guard let number = UInt16(text[text.index(after: colon)...]) else { return nil }
            port = number
        }
        let isBare = !host.contains("[") && !host.contains("]")
        guard !host.isEmpty, port > 0, isBare else { return nil }
        self.init(host: String(host), port: port)
    }

    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
