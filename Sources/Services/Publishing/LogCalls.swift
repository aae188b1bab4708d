/// The calls to the log that are under way: one of each sort at a time, so that none overtakes
/// another.
struct LogCalls {
    enum Call { case read, readForReplay, report }

    private var underWay: Set<Call> = []
    private var reported: UInt64?

    /// Whether the call may begin now.
    mutating func begin(_ call: Call) -> Bool { underWay.insert(call).inserted }

    mutating func end(_ call: Call) { underWay.remove(call) }

    /// Whether the log may be told now up to where it may let go; it is told once.
    mutating func beginReport(of cursor: UInt64) -> Bool {
        guard cursor != reported, begin(.report) else { return false }
        reported = cursor
        return true
    }
}
