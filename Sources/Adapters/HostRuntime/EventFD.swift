import CSystemd
import Glibc

/// Wakes the thread that waits for its descriptor: an eventfd(2). Any thread may signal it.
package final class EventFD: Sendable {
    /// Readable from the first `signal` until `clear`.
    package let descriptor: Int32

    package init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        precondition(descriptor >= 0, "no descriptor is left to wait with: errno \(errno)")
    }

    deinit { close(descriptor) }

    package func signal() { eventfd_write(descriptor, 1) }

    /// Clears all signals so far.
    package func clear() {
        var rings: eventfd_t = 0
        eventfd_read(descriptor, &rings)
    }
}
