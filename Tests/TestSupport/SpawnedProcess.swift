import Glibc
import Synchronization

/// A program in a separate process group, which is waited for once.
///
/// It replaces Foundation's `Process`, which iterates over the open files of the tests and copies
/// each name with more bytes than its entry has: at the end of the heap, that ends the tests
/// (AddressSanitizer shows it in `findMaximumOpenFromProcSelfFD`, Swift 6.1).
package final class SpawnedProcess: Sendable {
    private typealias CloseFrom =
        @convention(c) (
            UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32
        ) -> Int32
    /// Of glibc 2.34, among the extensions that its module does not show to Swift.
    private static let closeFrom = unsafeBitCast(
        dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"), to: CloseFrom.self)

    package let identifier: pid_t
    private let ending = Mutex<Int32?>(nil)

    /// Starts a program, looked up in PATH, with these as its three streams; `nil` is /dev/null. It
    /// inherits no other file.
    package init(
        _ command: [String], environment: [String: String], input: Int32? = nil,
        output: Int32? = nil
    ) throws {
        try InstalledPrograms.check(command)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (stream, file) in [(0, input), (1, output), (2, output)] as [(Int32, Int32?)] {
            if let file {
                posix_spawn_file_actions_adddup2(&actions, file, stream)
            } else {
                posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
            }
        }
        _ = Self.closeFrom(&actions, 3)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Signals as a shell leaves them, whatever the tests block or ignore.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var identifier: pid_t = 0
        let fault = posix_spawnp(
            &identifier, command[0], &actions, &attributes, &arguments, &variables)
        guard fault == 0 else { throw Failure(command: command[0], number: fault) }
        self.identifier = identifier
    }

    deinit {
        guard status() == nil else { return }
        kill(identifier, SIGKILL)
        _ = status(waits: true)
    }

    package func signal(_ number: Int32) {
        ending.withLock { ended in
            // Its number may be another's once it was waited for.
            if ended == nil { kill(identifier, number) }
        }
    }

    /// Its exit status, or the signal that ended it; nil while it runs.
    package func status(waits: Bool = false) -> Int32? {
        ending.withLock { ended in
            var word: Int32 = 0
            while ended == nil {
                let found = waitpid(identifier, &word, waits ? 0 : WNOHANG)
                if found < 0, errno == EINTR { continue }
                guard found != 0 else { return nil }
                let signal = word & 0x7f
                ended = signal != 0 ? signal : word >> 8 & 0xff
            }
            return ended
        }
    }

    /// Runs a program without output and returns its exit status; nil if it is missing.
    package static func status(of command: [String], environment: [String: String]) -> Int32? {
        try? SpawnedProcess(command, environment: environment).status(waits: true)
    }

    /// Why a program was not started.
    struct Failure: Error, CustomStringConvertible {
        let command: String
        let number: Int32
        var description: String { "\(command): \(String(cString: strerror(number)))" }
    }
}
