/// A recording that cannot be replayed.
package struct RecordingError: Error, Equatable, CustomStringConvertible {
    /// 1-based; nil if the whole recording has nothing to replay.
    package let line: Int?

    package var description: String {
        line.map { "line \($0) is no record of a connection" } ?? "nothing to play"
    }
}
