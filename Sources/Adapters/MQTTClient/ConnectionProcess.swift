import CMosquitto
import Glibc
import HostRuntime
import Synchronization

/// One connection to the broker in a separate process, so that invalid data from the broker can end
/// only that process.
///
/// libmosquitto 2.0.11 of Debian 12 aborts the whole program on a packet with an unknown property.
/// The process runs the same program; its first argument selects that mode
/// (`ConnectionHolder`). All its data, including passwords, goes through a private socket; the end
/// of the socket ends it.
package final class ConnectionProcess: BrokerConnection {
    /// The argument that starts a program to hold a connection.
    static let argument = "--hold-broker-connection"

    private struct State {
        var socket: FrameSocket?
        /// Frames to send together, after the current work.
        var waiting: [UInt8] = []
        /// Whether a thread sends them, because the socket did not accept them at once.
        var isSending = false
        /// nil before the start, and when it must not be used any more.
        var process: pid_t?
        var lastMessage: Int32 = 0
        /// Whether we have closed or abandoned the connection.
        var isClosing = false
    }

    private let program: String
    private let configuration: BrokerConfiguration
    private let will: LastWill?
    private let report: @Sendable (MQTTEvent) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - program: calls `ConnectionHolder.runIfRequested` before anything else.
    ///   - report: called on a thread of the connection, `.ended` last; it delays the next event, and
    ///     finally the process.
    package init(
        program: String = "/proc/self/exe", _ configuration: BrokerConfiguration, will: LastWill?,
        report: @escaping @Sendable (MQTTEvent) -> Void
    ) {
        self.program = program
        self.configuration = configuration
        self.will = will
        self.report = report
    }

    /// Creates connections in processes of this program.
    package static let connector: BrokerConnector = { configuration, will, report in
        ConnectionProcess(configuration, will: will, report: report)
    }

    // MARK: Requests

    package func start() {
        let child: SpawnedProcess
        do throws(SpawnedProcess.Failure) {
            child = try SpawnedProcess(program, [Self.argument])
        } catch {
            let failure = notStarted(error)
            return DetachedThread.run { [report] in report(.ended(failure)) }
        }
        state.withLock { state in
            state.socket = child.socket
            state.process = child.identifier
        }
        send(.connect(configuration, will))
        DetachedThread.run { [self] in follow(child) }
    }

    package func publish(
        _ payload: [UInt8], to topic: String, qos: Int32, retain: Bool,
        properties: MessageProperties
    ) -> Int32 {
        send(.publish(payload, topic: topic, qos: qos, retain: retain, properties), isMessage: true)
    }

    package func subscribe(_ filter: String, _ options: SubscriptionOptions) -> Int32 {
        send(.subscribe(filter, options), isMessage: true)
    }

    package func close() {
        state.withLock { $0.isClosing = true }
        send(.close)
    }

    package func abandon() {
        state.withLock { state in
            state.isClosing = true
            Self.end(&state)
        }
    }

    /// Returns the number of the message, if it is one: both sides count them in the same order.
    @discardableResult
    private func send(_ request: ConnectionRequest, isMessage: Bool = false) -> Int32 {
        let (number, isFirst) = state.withLock { state in
            if isMessage { state.lastMessage = MessageNumbers.next(state.lastMessage) }
            guard state.socket != nil else { return (state.lastMessage, false) }
            let isFirst = state.waiting.isEmpty
            state.waiting += FrameSocket.packed(request.frame)
            return (state.lastMessage, isFirst)
        }
        // More messages may follow: sending each separately would wake the other side each time.
        if isFirst { FollowUp.atEnd { [self] in offer() } }
        return number
    }

    /// Callers never wait for the other side, which may be waiting for them.
    private func offer() {
        state.withLock { state in
            guard let socket = state.socket, !state.isSending else { return }
            guard let count = socket.offer(state.waiting[...]) else { return Self.end(&state) }
            state.waiting.removeFirst(count)
            guard !state.waiting.isEmpty else { return }
            state.isSending = true
            // A duplicate, which is not closed during use.
            let own = FrameSocket(descriptor: dup(socket.descriptor))
            DetachedThread.run { [self] in
                sendAll(to: own)
                Glibc.close(own.descriptor)
            }
        }
    }

    /// Sends until nothing waits. A side that accepts nothing for seconds is given up.
    private func sendAll(to socket: FrameSocket) {
        var count = 0
        while true {
            let rest = state.withLock { state in
                state.waiting.removeFirst(count)
                state.isSending = !state.waiting.isEmpty
                return state.waiting
            }
            if rest.isEmpty { return }
            guard socket.write(rest) else { return state.withLock { Self.end(&$0) } }
            count = rest.count
        }
    }

    private static func end(_ state: inout State) {
        if let process = state.process { kill(process, SIGKILL) }
        state.socket = nil
    }

    // MARK: Events

    /// Reports events until there are no more.
    private func follow(_ child: SpawnedProcess) {
        var wasAccepted = false
        var last: BrokerFailure??
        var reader = FrameReader()
        while last == nil, let event = nextEvent(child.socket, &reader) {
            switch event {
            case .ended(let failure): last = .some(failure)
            case .connected:
                wasAccepted = true
                report(event)
            default: report(event)
            }
        }
        let isClosing = state.withLock { state in
            Self.end(&state)
            state.process = nil
            return state.isClosing
        }
        let end = child.waitForEnd()
        let failure = last ?? diedOf(end, wasAccepted: wasAccepted)
        report(.ended(isClosing ? nil : failure))
    }

    /// Waits for the next event; nil at the end, and if it is invalid.
    private func nextEvent(_ socket: FrameSocket, _ reader: inout FrameReader) -> MQTTEvent? {
        while true {
            if let frame = reader.next() { return MQTTEvent(frame: frame) }
            guard reader.receive(from: socket) else { return nil }
        }
    }

    private func notStarted(_ failure: SpawnedProcess.Failure) -> BrokerFailure {
        BrokerFailure(
            operation: "connect", broker: configuration.address,
            cause: "the process for the connection cannot be started: \(failure.reason)",
            remedy: failure.isForbidden
                ? "let the program start itself once more; AppArmor: \(programPath) mrix," : nil)
    }

    private var programPath: String { SmallFile.resolved(program) ?? program }

    private func diedOf(_ end: SpawnedProcess.End, wasAccepted: Bool) -> BrokerFailure {
        var failure = BrokerFailure(
            operation: wasAccepted ? "stay connected" : "connect", broker: configuration.address,
            cause: "the process that held the connection has ended: \(end.message)")
        guard end.isCrash else { return failure }
        failure.cause =
            "what the broker sent ended libmosquitto \(Self.libraryVersion): \(end.message)"
        failure.remedy =
            "update libmosquitto1 (Debian 13's no longer ends on properties that it does not know), "
            + "and " + BrokerFailure.remedyForInvalidData(configuration)
        return failure
    }

    private static var libraryVersion: String {
        var (major, minor, revision): (Int32, Int32, Int32) = (0, 0, 0)
        mosquitto_lib_version(&major, &minor, &revision)
        return "\(major).\(minor).\(revision)"
    }
}
