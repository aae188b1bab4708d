/// Where the broker is, and how to talk to it.
package struct BrokerConfiguration: Sendable {
    /// What is spoken with the broker.
    package enum ProtocolVersion: String, CaseIterable, Sendable {
        case v5 = "5"
        /// A fall-back that costs guarantees: such a broker acknowledges what its access list
        /// denies and does not say when nobody subscribes, so records may be trimmed unseen.
        case v311 = "3.1.1"
    }

    /// TLS with the system's authorities, unless files say otherwise (PEM).
    package struct TLSConfiguration: Sendable {
        /// Authorities to trust instead of the system's.
        package var authorityFile: String?
        /// Our own certificate, for a broker that asks for one; needs `keyFile`.
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

    /// Name or address; a name is looked up anew for each attempt.
    package var host: String
    /// 1883 unless told otherwise.
    package var port: UInt16
    /// Others that know the same sessions and messages, to be tried in this order when it fails.
    package var alternatives: [BrokerAddress] = []
    /// One per gateway: a second client of the same name would push the first one out.
    package var clientID: String
    /// nil to say none.
    package var username: String?
    /// nil to say none.
    package var password: String?
    /// Seconds between signs of life; a dead connection is noticed after about 1.5 of them.
    package var keepAliveSeconds = Self.usualKeepAliveSeconds
    /// Version 5 unless the broker has none.
    package var protocolVersion = ProtocolVersion.v5
    /// nil for a connection in the clear.
    package var tls: TLSConfiguration?
    /// Records that the broker may owe an answer for; the broker's own limit may lower it.
    package var inFlightWindow = Self.usualInFlightWindow
    /// Whether records that nobody subscribes to stay pending.
    package var holdsWhenUnsubscribed = false
    /// How long the broker waits before it publishes `offline` for us: a quick reconnect goes
    /// unnoticed.
    package var willDelaySeconds = Self.usualWillDelaySeconds
    /// How long the broker keeps a subscriber's messages while it is away; nil for no longer than the
    /// connection stands. A 3.1.1 broker keeps them for as long as it likes.
    package var sessionExpirySeconds: UInt32?

    /// Between two records of a backlog on the average, 1000 a second, for the sake of subscribers
    /// that are slower than the broker (`SendingPace`); nil for as fast as the broker takes them.
    package var backlogInterval: Duration? = .milliseconds(1)
    /// How many messages a second may go out, all kinds together; nil for as many as there are.
    package var maximumPublishRate: Int?
    /// After which time everything that the broker is to keep is published once more; nil for never.
    package var announcePeriod: Duration?
    /// The first pause before another attempt to connect, and the longest.
    package var reconnectDelays = BrokerBackoff.delays

    /// Where a configuration says nothing else.
    package static let usualKeepAliveSeconds: UInt16 = 30
    /// Where a configuration says nothing else.
    package static let usualInFlightWindow = 20
    /// Where a configuration says nothing else.
    package static let usualWillDelaySeconds: UInt32 = 10

    package init(host: String, port: UInt16 = 1883, clientID: String) {
        self.host = host
        self.port = port
        self.clientID = clientID
    }

    /// `host:port`, as messages name the broker.
    package var address: String { "\(server)" }

    /// The first broker that it names.
    package var server: BrokerAddress { BrokerAddress(host: host, port: port) }

    /// A configuration for each broker that it names, without others beside it.
    package var eachServer: [BrokerConfiguration] {
        ([server] + alternatives).map { server in
            var one = self
            (one.host, one.port, one.alternatives) = (server.host, server.port, [])
            return one
        }
    }
}

/// A broker among several.
package struct BrokerAddress: Hashable, Sendable, CustomStringConvertible {
    /// Name or address, without brackets.
    package var host: String
    /// 1 to 65535.
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// From `host`, `host:port` or `[address]:port`; nil for anything else. An IPv6 address without a
    /// port may do without brackets.
    ///
    /// - Parameter usual: the port where the text has none.
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
