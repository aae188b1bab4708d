/// A source of further events in the live stream, besides the board.
protocol LiveEventSource: AnyObject, Sendable {
    /// Returns the events after version `seen` and sets `seen` to the newest version. A new reader passes 0.
    func events(since seen: inout UInt64) -> [UInt8]
}
