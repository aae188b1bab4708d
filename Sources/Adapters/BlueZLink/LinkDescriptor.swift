import Glibc
import Synchronization

/// A notification socket that came with a reply. Closes it on deinit unless `release` was called.
final class LinkDescriptor: Sendable {
    private let descriptor: Atomic<Int32>

    init(owning descriptor: Int32) { self.descriptor = Atomic(descriptor) }

    deinit {
        let left = descriptor.load(ordering: .relaxed)
        if left >= 0 { close(left) }
    }

    /// Returns the descriptor, which the caller must close; -1 the second time.
    func release() -> Int32 { descriptor.exchange(-1, ordering: .relaxed) }
}
