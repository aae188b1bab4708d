import Glibc

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
