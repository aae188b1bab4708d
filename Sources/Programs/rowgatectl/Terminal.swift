import CommandLineText
import Glibc
import HostRuntime
import Synchronization

/// Standard output and error.
enum Terminal {
    /// Whether frames can be drawn over each other: a terminal that is not "dumb".
    static var isLive: Bool {
        isatty(STDOUT_FILENO) == 1 && !["", "dumb"].contains(environment("TERM") ?? "")
    }

    /// Whether output is coloured: on a terminal without NO_COLOR (https://no-color.org).
    static var hasColour: Bool { isLive && (environment("NO_COLOR") ?? "").isEmpty }

    /// Columns and rows at this moment; a window may be resized at any time.
    static var size: (width: Int, height: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Lines for people, or JSON for programs where there is some.
    static func show(_ lines: @autoclosure () -> [StyledLine], orJSON json: String?) {
        write(json.map { $0 + "\n" } ?? lines().rendered(inColour: hasColour))
    }

    static func write(_ text: String) { _ = writeAll(text.utf8, to: STDOUT_FILENO) }

    static func printError(_ text: String) { writeError("rowgatectl: \(text)\n") }

    /// To standard error as it is.
    static func writeError(_ text: String) { _ = writeAll(text.utf8, to: STDERR_FILENO) }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}

/// Whether the user, or the end of the terminal, asked the program to stop.
enum Interruption {
    private static let requested = Atomic(false)

    static var isRequested: Bool { requested.load(ordering: .relaxed) }

    /// From now on SIGINT, SIGTERM and SIGHUP set the flag.
    static func catchSignals() {
        // Initialized here, so that the handler, which may not allocate, finds it ready.
        requested.store(false, ordering: .relaxed)
        handle([SIGINT, SIGTERM, SIGHUP]) { _ in
            Interruption.requested.store(true, ordering: .relaxed)
        }
    }
}

/// From now on these signals run `handler` and end the system call that waits.
private func handle(_ signals: [Int32], _ handler: @escaping @convention(c) (Int32) -> Void) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    // No SA_RESTART: recv(2) and nanosleep(2) are to return at once. Signals are unblocked because
    // children inherit the mask of the parent, such as a thread pool's.
    var caught = sigset_t()
    sigemptyset(&caught)
    for signal in signals {
        sigaction(signal, &action, nil)
        sigaddset(&caught, signal)
    }
    sigprocmask(SIG_UNBLOCK, &caught, nil)
}

/// Ctrl-Z in a program that has drawn on the terminal, which it is to give back first.
enum Suspension {
    private static let requested = Atomic(false)

    /// From now on SIGTSTP sets a flag.
    static func catchSignal() {
        requested.store(false, ordering: .relaxed)
        handle([SIGTSTP]) { _ in Suspension.requested.store(true, ordering: .relaxed) }
    }

    /// Stops the process if Ctrl-Z was typed since, and returns when the shell lets it go on.
    static func stopIfRequested(leaving: () -> Void, returning: () -> Void) {
        guard requested.exchange(false, ordering: .relaxed) else { return }
        leaving()
        // What SIGTSTP would have done, had it not been caught.
        raise(SIGSTOP)
        returning()
    }
}

/// How far long work has come, on standard error where that is a terminal.
struct ProgressLine {
    private let title: String
    private let isShown = isatty(STDERR_FILENO) == 1
    private var percent = -1

    init(_ title: String) { self.title = title }

    /// - Parameter fraction: 0...1.
    mutating func show(_ fraction: Double) {
        let now = Int(max(0, min(1, fraction)) * 100)
        guard isShown, now != percent else { return }
        percent = now
        Terminal.writeError("\r\(title): \(now) %")
    }

    /// Takes the line away.
    mutating func clear() {
        guard percent >= 0 else { return }
        percent = -1
        Terminal.writeError("\r\u{1B}[K")
    }
}
