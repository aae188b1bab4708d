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

    /// Valid as long as this object, unless it was released.
    var number: Int32 { descriptor.load(ordering: .relaxed) }

    /// Returns the next value of a notification socket; empty at its end, nil if there is none yet.
    static func receive(_ descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 512)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { return Array(buffer[..<count]) }
            if count < 0, errno == EINTR { continue }
            return count < 0 && errno == EAGAIN ? nil : []
        }
    }
}
