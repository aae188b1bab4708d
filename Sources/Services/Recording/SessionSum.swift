import Bytes
import Contract
import HostRuntime

/// What the records of a session add up to, as a state keeps it.
struct SessionSum: Equatable {
    /// Those that are counted.
    static let kinds: [StreamKind] = [.stroke, .force, .split, .gap]

    var counts = StreamNumbers(repeating: 0)
    /// Numbers of the first and the last stroke.
    var strokes: ClosedRange<UInt64>?
    /// `ts_ms` of the last record.
    var newest: UInt64 = 0
    /// Of the strokes, as `SHA256Digest.state`.
    var digest = SHA256Digest().state

    /// Whether the digest holds the id, as a part of the last bytes that came.
    func mentions(_ athlete: String) -> Bool {
        !athlete.isEmpty && digest.range(of: athlete) != nil
    }
}
