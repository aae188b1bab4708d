import Dispatch
import Glibc
import Synchronization

/// Files that are removed when SIGTERM, SIGINT or SIGHUP ends the process before they are finished. The
/// process still ends by that signal.
package final class UnfinishedFiles: Sendable {
    private let paths: Mutex<[String]>
    /// Kept for as long as signals are wanted.
    private nonisolated(unsafe) var sources: [any DispatchSourceSignal] = []  // set by init alone

    /// Returns when signals are caught. Ignored signals stay ignored, as nohup(1) requires.
    package init(_ paths: [String]) {
        self.paths = Mutex(paths)
        for number in [SIGTERM, SIGINT, SIGHUP] where !Self.isIgnored(number) {
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { @Sendable [weak self] in self?.end(by: number) }
            let registered = DispatchSemaphore(value: 0)
            source.setRegistrationHandler { @Sendable in registered.signal() }
            source.activate()
            registered.wait()
            sources.append(source)
        }
    }

    deinit { for source in sources { source.cancel() } }

    /// The files have their names, or were removed: a signal leaves them alone from now on.
    package func finish() { paths.withLock { $0 = [] } }

    private func end(by number: Int32) {
        // Under the lock, so that no file is finished meanwhile.
        paths.withLock { for path in $0 { unlink(path) } }
        signal(number, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        kill(getpid(), number)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
