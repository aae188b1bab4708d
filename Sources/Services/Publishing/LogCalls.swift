/// Running calls to the log: at most one of each kind, so that none overtakes another.
struct LogCalls {
    enum Call { case read, readForReplay, report }

    private var running: Set<Call> = []
    private var reported: UInt64?

    /// Whether the call may start now.
    mutating func begin(_ call: Call) -> Bool { running.insert(call).inserted }

    mutating func end(_ call: Call) { running.remove(call) }

    /// Whether the log may be informed now up to which cursor it may drop records; once per cursor.
    mutating func beginReport(of cursor: UInt64) -> Bool {
        guard cursor != reported, begin(.report) else { return false }
        reported = cursor
        return true
    }
}
