import TestSupport

@testable import Recording

extension Recorder {
    /// A recorder on a ring that another one of this process had until a moment ago.
    ///
    /// Its lock may outlive it: a queue that has been held up still knows the recorder, and a child
    /// that another test forks has every descriptor until it runs its program. One that finds the
    /// ring locked would go on in memory, which is not what is tested here.
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
