import MQTTPublishing
import RingLog
import Rowing

/// Records that the ring lost before a broker had them: which numbers, and why.
///
/// Damage names no numbers, only bytes. What they held shows when the stream's next record is read,
/// or the end of the log, without the numbers between.
struct LossLedger {
    struct Loss: Hashable {
        var stream: StreamID
        var reason: GatewayEvent.DropReason
    }

    /// What no event has declared yet. Ranges of one stream and reason are declared as one.
    private(set) var undeclared: [Loss: ClosedRange<UInt64>] = [:]
    private(set) var total: UInt64 = 0
    /// Streams that may have lost records to damage, with the last number before it.
    private var suspects: [StreamID: UInt64] = [:]
    /// Where damage was met: a second reading finds it again.
    private var known: Set<LogPosition> = []

    mutating func add(_ sequences: ClosedRange<UInt64>, _ loss: Loss) {
        total += sequences.upperBound - sequences.lowerBound + 1
        let range = undeclared[loss] ?? sequences
        undeclared[loss] =
            min(
                range.lowerBound, sequences.lowerBound)...max(
                range.upperBound, sequences.upperBound)
    }

    /// Remembers a record that is lost, if it was one to be published.
    mutating func add(
        kind: UInt8, _ bytes: [UInt8], reason: GatewayEvent.DropReason
    ) {
        guard let lost = Journal.message(kind: kind, bytes) else { return }
        let stream = StreamID(station: lost.station, kind: lost.kind)
        add(lost.sequence...lost.sequence, Loss(stream: stream, reason: reason))
    }

    /// Everything that is to be declared now.
    mutating func take() -> [(loss: Loss, sequences: ClosedRange<UInt64>)] {
        defer { undeclared = [:] }
        return undeclared.sorted { $0.key.stream.path < $1.key.stream.path }
            .map { ($0.key, $0.value) }
    }

    // MARK: - Damage

    /// The reader met bytes that do not verify.
    ///
    /// - Parameter last: of each stream, its last number before them.
    mutating func metDamage(_ range: Range<LogPosition>, last: [StreamID: UInt64]) {
        guard known.insert(range.lowerBound).inserted else { return }
        suspects.merge(last) { min($0, $1) }
    }

    mutating func read(_ stream: StreamID, _ sequence: UInt64) {
        guard let last = suspects.removeValue(forKey: stream) else { return }
        lose(stream, after: last, before: sequence)
    }

    /// - Parameter next: of each stream, the number that it gives out next.
    mutating func reachedEnd(next: (StreamID) -> UInt64) {
        for (stream, last) in suspects { lose(stream, after: last, before: next(stream)) }
        suspects = [:]
    }

    private mutating func lose(_ stream: StreamID, after last: UInt64, before next: UInt64) {
        guard last + 1 < next else { return }
        add(last + 1...next - 1, Loss(stream: stream, reason: .unreadable))
    }
}
