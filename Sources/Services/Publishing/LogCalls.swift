/// Running calls to the log: at most one of each kind, so that none overtakes another.
struct LogCalls {
    enum Call { case read, readForReplay, report }

    private var underWay: Set<Call> = []
    private var reported: UInt64?

    /// Whether the call may start now.
    mutating func begin(_ call: Call) -> Bool { underWay.insert(call).inserted }

    mutating func end(_ call: Call) { underWay.remove(call) }

    /// Whether the log may be informed now up to which cursor it may drop records; once per cursor.
    mutating func beginReport(of cursor: UInt64) -> Bool {
        guard cursor != reported, begin(.report) else { return false }
        reported = cursor
        return true
    }
}
