import TestSupport

@testable import Recording

extension Recorder {
    /// Opens a recorder on a ring that another recorder of this process has just released.
    ///
    /// The lock may outlive that recorder: a delayed queue may still refer to it, and a child process
    /// that another test forks has every descriptor until it executes its program. With a locked ring,
    /// the new recorder would record in memory. Therefore this retries.
    static func reopened(_ open: () throws -> Recorder) async throws -> Recorder {
        var recorder = try open()
        let isOurs = try await eventually {
            guard await recorder.isLockedOut else { return true }
            recorder = try open()
            return false
        }
        guard isOurs else { throw TestSupportError("the ring stays locked") }
        return recorder
    }

    private var isLockedOut: Bool {
        snapshot().failure?.contains("another process is writing to it") == true
    }
}
