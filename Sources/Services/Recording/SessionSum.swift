import Bytes
import Contract
import HostRuntime

/// The counts and digest of a session's records, as a state stores them.
struct SessionSum: Equatable {
    /// The counted kinds.
    static let kinds: [StreamKind] = [.stroke, .force, .split, .gap]

    var counts = StreamNumbers(repeating: 0)
    /// Numbers of the first and the last stroke.
    var strokes: ClosedRange<UInt64>?
    /// `ts_ms` of the last record.
    var newest: UInt64 = 0
    /// Digest of the strokes, as `SHA256Digest.state`.
    var digest = SHA256Digest().state

    /// Whether the digest holds the id, in its pending last bytes.
    func mentions(_ athlete: String) -> Bool {
        !athlete.isEmpty && digest.range(of: athlete) != nil
    }
}
