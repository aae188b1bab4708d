/// What else than the board a reader of the room is told, in events of its own.
protocol LiveSource: AnyObject, Sendable {
    /// What is new since `seen`, 0 for who has seen nothing; then `seen` is what has been told.
    func events(since seen: inout UInt64) -> [UInt8]
}
