import Glibc
import Synchronization

/// A notification socket that came with a reply, closed unless somebody takes it.
final class LinkDescriptor: Sendable {
    private let descriptor: Atomic<Int32>

    init(owning descriptor: Int32) { self.descriptor = Atomic(descriptor) }

    deinit {
        let left = descriptor.load(ordering: .relaxed)
        if left >= 0 { close(left) }
    }

    /// Hands the descriptor over, with the duty to close it; -1 the second time.
    func take() -> Int32 { descriptor.exchange(-1, ordering: .relaxed) }
}
