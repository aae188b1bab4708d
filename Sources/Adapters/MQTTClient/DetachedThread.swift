import Glibc

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
