import Glibc

/// The output and exit status of a program.
struct ChildOutput: Equatable, Sendable {
    var status: Int32
    /// Standard output.
    var text: String
    /// Standard error.
    var errors: String

    /// Runs a program and waits for it; nil if it could not be started.
    ///
    /// Both output streams go to unnamed files, so that neither can block the program.
    init?(running program: String, _ arguments: [String]) {
        guard let output = tmpfile(), let errors = tmpfile() else { return nil }
        defer {
            fclose(output)
            fclose(errors)
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, fileno(output), STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, fileno(errors), STDERR_FILENO)
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var child = pid_t()
        guard posix_spawn(&child, program, &actions, nil, words, environ) == 0 else { return nil }
        var state: Int32 = 0
        while waitpid(child, &state, 0) < 0, errno == EINTR {}
        // WIFEXITED and WEXITSTATUS of wait(2), which are macros.
        status = state & 0x7F == 0 ? (state >> 8) & 0xFF : 128 + state & 0x7F
        text = Self.contents(of: fileno(output))
        self.errors = Self.contents(of: fileno(errors))
    }

    private static func contents(of descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = pread(descriptor, &chunk, chunk.count, bytes.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}
