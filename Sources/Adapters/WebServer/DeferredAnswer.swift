import Synchronization

/// An answer that another thread computes while the connection is suspended.
final class DeferredAnswer: Sendable {
    /// Resumes the connection.
    let waker = StreamWaker()
    private let answer = Mutex<WebAnswer?>(nil)

    /// Sets the answer and resumes the connection. Call once, from any thread; has no effect after the
    /// server stopped.
    func complete(_ answer: WebAnswer) {
        self.answer.withLock { $0 = answer }
        waker.wake()
    }

    /// The answer; nil before `complete`.
    var value: WebAnswer? { answer.withLock { $0 } }
}
