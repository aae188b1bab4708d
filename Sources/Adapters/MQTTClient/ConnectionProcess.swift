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

/// A program started with one end of a socket as its standard input; its standard error is
/// captured.
struct SpawnedProcess: Sendable {
    /// Why it could not be started.
    struct Failure: Error {
        var code: Int32
        var reason: String { String(cString: strerror(code)) }
        var isForbidden: Bool { code == EACCES || code == EPERM }
    }

    /// How it ended.
    struct End {
        /// Signals that a program causes itself, not others.
        static let crashSignals = [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP]
        /// A status from here on is a signal, which left no core dump.
        static let ofSignal: Int32 = 128

        /// As of wait(2); nil if another caller has waited for it.
        var status: Int32?
        /// The last line that it wrote to standard error.
        var lastLine: String

        private var exitStatus: Int32? { status.map { ($0 >> 8) & 0xFF } }
        private var signal: Int32? {
            guard let status, let exitStatus else { return nil }
            return status & 0x7F != 0 ? status & 0x7F : max(0, exitStatus - Self.ofSignal)
        }

        var isCrash: Bool { signal.map(Self.crashSignals.contains) ?? false }

        var message: String {
            guard let signal, let exitStatus else { return "nobody knows how" }
            let cause =
                signal == 0 ? "status \(exitStatus)" : String(cString: strsignal(signal))
            return lastLine.isEmpty ? cause : "\(cause), \(lastLine)"
        }
    }

    let identifier: pid_t
    /// Our end.
    let socket: FrameSocket
    private let errors: Int32

    init(_ program: String, _ arguments: [String]) throws(Failure) {
        let input = try Self.pair()
        let output: (ours: Int32, theirs: Int32)
        do throws(Failure) { output = try Self.pair(Int32(SOCK_NONBLOCK.rawValue)) } catch {
            close(input.ours)
            close(input.theirs)
            throw error
        }
        defer {
            close(input.theirs)
            close(output.theirs)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.theirs, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output.theirs, STDERR_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var words: [UnsafeMutablePointer<CChar>?] =
            ([CommandLine.arguments.first ?? program] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var identifier = pid_t()
        let code = posix_spawn(&identifier, program, &actions, nil, words, environ)
        self.identifier = identifier
        socket = FrameSocket(descriptor: input.ours)
        errors = output.ours
        socket.limitSendTime()
        guard code == 0 else {
            release()
            throw Failure(code: code)
        }
    }

    /// Creates a pair of connected sockets that other started programs do not inherit.
    private static func pair(
        _ flags: Int32 = 0
    ) throws(Failure) -> (ours: Int32, theirs: Int32) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue) | flags
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Failure(code: errno) }
        return (ends[0], ends[1])
    }

    /// Waits for its end, and closes the socket.
    func waitForEnd() -> End {
        var status: Int32 = 0
        var known = waitpid(identifier, &status, 0)
        while known < 0, errno == EINTR { known = waitpid(identifier, &status, 0) }
        defer { release() }
        return End(status: known == identifier ? status : nil, lastLine: lastLine())
    }

    private func release() {
        close(socket.descriptor)
        close(errors)
    }

    private func lastLine() -> String {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(errors, &bytes, bytes.count)
        guard count > 0 else { return "" }
        let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
        let last = String(lines.last ?? "")
        return last.hasSuffix(".") ? String(last.dropLast()) : last
    }
}

/// Runs in the child process of `ConnectionProcess`: holds the connection to the MQTT broker for the parent
/// process.
package enum ConnectionHolder {
    /// Memory limit in bytes. libmosquitto allocates up to 256 MB if a broker announces as much,
    /// and systemd would throttle or end the service.
    static let memoryLimit: rlim_t = 48 << 20

    /// Holds the connection to the broker and never returns, if the program was started for that.
    package static func runIfRequested() {
        guard CommandLine.arguments.dropFirst() == [ConnectionProcess.argument] else { return }
        confine()
        let parent = ParentChannel(FrameSocket(descriptor: STDIN_FILENO))
        guard case .connect(let configuration, let will) = parent.firstRequest() else {
            _exit(64)
        }
        do throws(BrokerFailure) {
            let connection = try MQTTConnection(configuration, will: will, report: parent.report)
            connection.start(serving: parent)
        } catch {
            parent.report(.ended(error))
        }
        waitForHangup()
        // The parent is gone; the broker publishes the will.
        _exit(0)
    }

    /// Also while the connection's thread resolves a name, or connects.
    private static func waitForHangup() {
        var input = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
        while poll(&input, 1, -1) <= 0 {}
    }

    /// Makes the process end with its socket and not by signals meant for the service, without
    /// output or core dump.
    private static func confine() {
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGPIPE] { Glibc.signal(signal, SIG_IGN) }
        for signal in SpawnedProcess.End.crashSignals {
            Glibc.signal(signal) { _exit(SpawnedProcess.End.ofSignal + $0) }
        }
        var limit = rlimit(rlim_cur: memoryLimit, rlim_max: memoryLimit)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }
}

/// Blocking work on a separate thread that is not joined.
///
/// Other threads handle signals: here all are blocked, and a broken pipe is an error.
enum DetachedThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    static func run(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Work(body)).toOpaque()
        let code = pthread_create(
            &thread, nil,
            { @Sendable context in
                var every = sigset_t()
                sigfillset(&every)
                pthread_sigmask(SIG_BLOCK, &every, nil)
                Unmanaged<Work>.fromOpaque(context!).takeRetainedValue().body()
                return nil
            }, context)
        precondition(code == 0, "no thread for the broker: \(String(cString: strerror(code)))")
        pthread_detach(thread)
    }
}
