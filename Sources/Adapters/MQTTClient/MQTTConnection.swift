import CCrypto
import CMosquitto
import Glibc
import HostRuntime
import Synchronization

/// One connection to the broker, from the first packet to the last, with libmosquitto.
///
/// It runs on its own thread, because name resolution and connecting block. It never reconnects:
/// libmosquitto would first resend its unacknowledged messages, before our birth message. A new connection
/// therefore gets a new handle, and unacknowledged records come from the ring log.
package final class MQTTConnection: BrokerConnection, @unchecked Sendable {
    // Any thread may use `handle` between init and deinit: libmosquitto locks what its calls share
    // once it knows of our thread (mosquitto_threaded_set). All other fields are immutable, atomic,
    // or used only on the connection's thread.

    /// More than any command needs; the broker is informed (Maximum Packet Size).
    package static let maximumPayload = 64 * 1024
    /// Messages that a broker with a stored session may send before we acknowledge the first
    /// (Receive Maximum). libmosquitto's 20 would be 20 per round trip, which is slow with a busy
    /// broker.
    private static let receiveMaximum: Int32 = 200

    private let handle: OpaquePointer
    private let configuration: BrokerConfiguration
    private let report: @Sendable (MQTTEvent) -> Void
    /// Whether the broker stores the session for a while, so that a quick reconnect cancels the
    /// will.
    private let outlivesConnection: Bool
    /// Whether we have closed the connection, or are about to.
    private let isClosing = Atomic(false)
    /// Whether the broker supports retained messages, as far as known; if not, none are sent.
    private let supportsRetained = Atomic(true)
    /// Whether the thread must stop running the connection.
    private let isAbandoned = Atomic(false)
    private let numbers = Mutex(MessageNumbers())
    /// Wakes the connection's thread when another thread has something to send.
    private let wakeUp = EventFD()
    /// The connection's thread, once it runs.
    private let thread = Atomic<UInt>(0)
    /// Whether the broker accepted the connection; used on the connection's thread.
    private nonisolated(unsafe) var wasAccepted = false
    /// Why the broker refused or ended the connection; used on the connection's thread.
    private nonisolated(unsafe) var refusal: BrokerFailure?
    /// The library's last error line, which is more precise than its code; used on the same thread.
    private nonisolated(unsafe) var lastErrorLine: String?
    /// Why the handshake failed, from the first line about it; used on the same thread.
    private nonisolated(unsafe) var diagnosis: TLSDiagnosis?

    private static let library: Void = {
        // OpenSSL would clean up at exit while a thread is still in a handshake.
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
        mosquitto_lib_init()
    }()

    /// - Parameters:
    ///   - will: published by the broker if the connection is lost; without a will, no session is
    ///     stored.
    ///   - report: called on the connection's thread, `.ended` last.
    package init(
        _ configuration: BrokerConfiguration, will: LastWill?,
        report: @escaping @Sendable (MQTTEvent) -> Void
    ) throws(BrokerFailure) {
        Self.library
        self.configuration = configuration
        self.report = report
        // A session that outlives the connection: with a clean start the broker would publish the
        // will of a connection that was just replaced. A will without delay is published in any
        // case, and a session would bind us to its node: a cluster may store it on one node, and
        // reject us on the others while that one is away.
        let hasWaitingWill = will.map { $0.delaySeconds > 0 } ?? false
        let isClean =
            configuration.sessionExpirySeconds == nil
            && (configuration.protocolVersion == .v311 || !hasWaitingWill)
        outlivesConnection = !isClean
        guard let handle = mosquitto_new(configuration.clientID, isClean, nil) else {
            throw BrokerFailure.library(
                "set up", broker: configuration.address, code: Int32(MOSQ_ERR_ERRNO.rawValue),
                systemError: errno)
        }
        self.handle = handle
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        setCallbacks()
        try setOptions()
        if let will { try set(will) }
    }

    deinit { mosquitto_destroy(handle) }

    private var isVersion5: Bool { configuration.protocolVersion == .v5 }

    // MARK: Start and end

    package func start() { start(serving: nil) }

    /// - Parameter errand: served on the connection's thread; nil if other threads use the connection.
    func start(serving parent: ParentChannel?) {
        DetachedThread.run { self.report(.ended(self.run(serving: parent))) }
    }

    package func close() {
        isClosing.store(true, ordering: .releasing)
        mosquitto_disconnect(handle)
        wake()
    }

    /// Ends the connection without DISCONNECT, within a second or when a blocking call returns.
    package func abandon() {
        isClosing.store(true, ordering: .releasing)
        isAbandoned.store(true, ordering: .releasing)
    }

    /// Runs the connection; returns why it ended, nil if we ended it.
    private func run(serving parent: ParentChannel?) -> BrokerFailure? {
        thread.store(pthread_self(), ordering: .releasing)
        var code = connect()
        var systemError = errno
        let hasBegun = code == 0
        parent?.executeBufferedRequests(on: self)
        while code == 0, !isAbandoned.load(ordering: .acquiring) {
            code = runOnce(serving: parent)
            systemError = errno
        }
        if isClosing.load(ordering: .acquiring) { return nil }
        let operation = wasAccepted ? "stay connected" : "connect"
        if let diagnosis {
            return BrokerFailure(
                operation: operation, broker: configuration.address, cause: diagnosis.cause,
                remedy: diagnosis.remedy, kind: .encryption)
        }
        if let refusal { return refusal }
        if hasBegun, BrokerFailure.isInvalidPacket(code) {
            return .unreadable(operation, configuration, code: code, detail: lastErrorLine)
        }
        return .library(
            operation, broker: configuration.address, code: code, systemError: systemError,
            detail: lastErrorLine)
    }

    /// Does the work of `mosquitto_loop` for both sockets at once.
    ///
    /// That function waits with select(2), which supports no descriptor above 1023: the library
    /// then fails with "Invalid function arguments provided".
    private func runOnce(serving parent: ParentChannel?) -> Int32 {
        defer { parent?.sendEvents() }
        let wanted = POLLIN | (mosquitto_want_write(handle) ? POLLOUT : 0)
        var ready = [
            pollfd(fd: mosquitto_socket(handle), events: Int16(wanted), revents: 0),
            pollfd(fd: parent?.descriptor ?? wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        poll(&ready, 2, 1000)
        if Int32(ready[0].revents) & ~POLLOUT != 0 {
            // Continues reading while TLS holds bytes that it has already read from the socket.
            let code = mosquitto_loop_read(handle, 1)
            guard code == 0 else { return code }
        }
        if ready[1].revents != 0 {
            if let parent { parent.executeRequests(on: self) } else { wakeUp.clear() }
        }
        // Until the broker has accepted the connection, writes only when the socket is writable, after reading.
        // A broker that rejects our certificate reports that first; an earlier packet would end the connection
        // without the reason.
        let mayWrite = wasAccepted || Int32(ready[0].revents) & POLLOUT != 0
        if mayWrite, mosquitto_want_write(handle) {
            let code = mosquitto_loop_write(handle, 1)
            guard code == 0 else { return code }
        }
        return mosquitto_loop_misc(handle)
    }

    /// Makes the connection's thread send now what another thread enqueued.
    private func wake() {
        if thread.load(ordering: .acquiring) != pthread_self() { wakeUp.signal() }
    }

    private func connect() -> Int32 {
        var properties = PropertyList()
        if isVersion5 {
            // Longer than the will's delay: the end of the session would publish the will at once.
            if outlivesConnection {
                properties.add(
                    MQTT_PROP_SESSION_EXPIRY_INTERVAL,
                    number: configuration.sessionExpirySeconds
                        ?? configuration.willDelaySeconds + 5)
            }
            properties.add(
                MQTT_PROP_MAXIMUM_PACKET_SIZE, number: UInt32(Self.maximumPayload + 4096))
        }
        return mosquitto_connect_bind_v5(
            handle, configuration.host, Int32(configuration.port),
            Int32(configuration.keepAliveSeconds), nil, properties.head)
    }

    // MARK: Messages

    /// Passes a message to the connection's thread.
    package func publish(
        _ payload: [UInt8], to topic: String, qos: Int32, retain: Bool,
        properties: MessageProperties
    ) -> Int32 {
        var list = PropertyList()
        if isVersion5 { list.add(properties) }
        let head = list.head
        let isRetained = retain && supportsRetained.load(ordering: .acquiring)
        let (number, code, systemError) = numbers.withLock { numbers in
            var identifier: Int32 = 0
            let code = mosquitto_publish_v5(
                handle, &identifier, topic, Int32(payload.count), payload, qos, isRetained, head)
            let systemError = errno
            return (numbers.add(qos > 0 ? identifier : nil), code, systemError)
        }
        wake()
        // Without a connection libmosquitto stores a QoS 1 message for later; ours is dropped with
        // the handle, and `.ended` follows.
        if code != 0, code != Int32(MOSQ_ERR_NO_CONN.rawValue) {
            report(
                .rejected(
                    message: number,
                    .library(
                        "publish \(payload.count) bytes to \(topic)",
                        broker: configuration.address, code: code, systemError: systemError)))
        }
        return number
    }

    package func subscribe(_ filter: String, _ options: SubscriptionOptions = []) -> Int32 {
        defer { wake() }
        let qos: Int32 = options.contains(.atMostOnce) ? 0 : 1
        let flags = MQTT_SUB_OPT_NO_LOCAL.rawValue | options.subtracting(.atMostOnce).rawValue
        return numbers.withLock { numbers in
            var identifier: Int32 = 0
            mosquitto_subscribe_v5(
                handle, &identifier, filter, qos, isVersion5 ? Int32(flags) : 0, nil)
            return numbers.add(identifier)
        }
    }

    // MARK: Set-up

    private func setOptions() throws(BrokerFailure) {
        mosquitto_threaded_set(handle, true)
        mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
        mosquitto_int_option(
            handle, MOSQ_OPT_PROTOCOL_VERSION, isVersion5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311)
        // Our own window limits; this only disables libmosquitto's window of 20.
        mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, 65_535)
        if configuration.sessionExpirySeconds != nil {
            mosquitto_int_option(handle, MOSQ_OPT_RECEIVE_MAXIMUM, Self.receiveMaximum)
        }
        if configuration.username != nil || configuration.password != nil {
            try check(
                mosquitto_username_pw_set(handle, configuration.username, configuration.password),
                "use the user name and password")
        }
        guard let tls = configuration.tls else { return }
        if tls.authorityFile == nil {
            mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1)
        }
        let hasFiles = tls.authorityFile != nil || tls.certificateFile != nil
        guard hasFiles else { return }
        try check(
            mosquitto_tls_set(
                handle, tls.authorityFile, nil, tls.certificateFile, tls.keyFile,
                // OpenSSL would ask for the key's passphrase on the terminal.
                { _, _, _, _ in 0 }),
            "read the TLS files")
    }

    private func set(_ will: LastWill) throws(BrokerFailure) {
        var properties = PropertyList()
        // Omitted if zero: RabbitMQ 4.0 would store a 0 with the message, and disconnect later
        // subscribers to it.
        if isVersion5, will.delaySeconds > 0 {
            properties.add(MQTT_PROP_WILL_DELAY_INTERVAL, number: will.delaySeconds)
        }
        try check(
            mosquitto_will_set_v5(
                handle, will.topic, Int32(will.payload.count), will.payload, 1,
                will.isRetained,
                properties.release()),
            "set the last will")
    }

    private func check(_ code: Int32, _ operation: String) throws(BrokerFailure) {
        if code == 0 { return }
        throw BrokerFailure.library(
            operation, broker: configuration.address, code: code, systemError: errno)
    }

    // MARK: Callbacks, all on the connection's thread

    private func setCallbacks() {
        mosquitto_connect_v5_callback_set(handle) { _, context, reason, _, properties in
            MQTTConnection.of(context).didConnect(reason: reason, properties)
        }
        mosquitto_disconnect_v5_callback_set(handle) { _, context, reason, _ in
            MQTTConnection.of(context).didDisconnect(reason: reason)
        }
        mosquitto_publish_v5_callback_set(handle) { _, context, identifier, reason, _ in
            MQTTConnection.of(context).didAnswer(identifier) {
                .acknowledged(message: $0, reason: UInt8(clamping: reason))
            }
        }
        mosquitto_subscribe_v5_callback_set(handle) { _, context, identifier, count, granted, _ in
            guard count > 0, let reason = granted?.pointee else { return }
            MQTTConnection.of(context).didAnswer(identifier) {
                reason < 0x80
                    ? .subscribed(message: $0)
                    : .subscriptionRefused(message: $0, reason: UInt8(clamping: reason))
            }
        }
        mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
            guard let message else { return }
            MQTTConnection.of(context).didReceive(message, properties)
        }
        mosquitto_log_callback_set(handle) { _, context, level, text in
            guard level == MOSQ_LOG_ERR, let text else { return }
            MQTTConnection.of(context).didFail(String(cString: text))
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> MQTTConnection {
        Unmanaged<MQTTConnection>.fromOpaque(context!).takeUnretainedValue()
    }

    /// The TLS session; nil for an unencrypted connection.
    private var session: OpaquePointer? { mosquitto_ssl_get(handle).map { OpaquePointer($0) } }

    /// The session of a TLS line is gone when the failed call returns.
    private func didFail(_ line: String) {
        lastErrorLine = line
        guard diagnosis == nil, !wasAccepted, configuration.tls != nil else { return }
        diagnosis = TLSDiagnosis(
            line: line, verification: session.map { Int32(SSL_get_verify_result($0)) } ?? X509_V_OK,
            host: configuration.host)
    }

    private func didConnect(reason: Int32, _ properties: OpaquePointer?) {
        guard reason == 0 else {
            refusal = .refusal("connect", broker: configuration.address, reason: reason)
            return
        }
        wasAccepted = true
        lastErrorLine = nil
        var terms = BrokerLimits(properties)
        if let session { terms.certificates = CertificateExpiry(of: session) }
        supportsRetained.store(terms.supportsRetained, ordering: .releasing)
        report(.connected(terms))
    }

    private func didDisconnect(reason: Int32) {
        guard reason >= 0x80, refusal == nil else { return }
        var refusal = BrokerFailure.refusal(
            "stay connected", broker: configuration.address, reason: reason)
        if BrokerFailure.mayConcernMessage(reason) { refusal.kind = .disconnectedForMessage }
        self.refusal = refusal
    }

    /// Reports the broker's answer; ignores answers without a request, or repeated ones.
    private func didAnswer(_ identifier: Int32, _ event: (Int32) -> MQTTEvent) {
        guard let number = numbers.withLock({ $0.remove(identifier) }) else { return }
        report(event(number))
    }

    private func didReceive(
        _ message: UnsafePointer<mosquitto_message>, _ properties: OpaquePointer?
    ) {
        let bytes = Int(message.pointee.payloadlen)
        guard bytes <= Self.maximumPayload else { return report(.oversized(bytes: bytes)) }
        report(.received(IncomingMessage(message, properties: properties)))
    }
}
