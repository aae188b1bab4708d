import Synchronization

/// An answer that takes a while: its connection waits until it is given.
final class LateAnswer: Sendable {
    /// Has the server's thread ask again.
    let waker = StreamWaker()
    private let answer = Mutex<WebAnswer?>(nil)

    /// From any thread, once; in vain when the server has stopped.
    func give(_ answer: WebAnswer) {
        self.answer.withLock { $0 = answer }
        waker.wake()
    }

    /// nil before it was given.
    func take() -> WebAnswer? { answer.withLock { $0 } }
}
