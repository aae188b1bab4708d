import Contract
import RingLog

/// Records that are gone before a broker had them: which numbers, and why.
///
/// Damaged bytes do not say which numbers they held. That shows when the stream's next record is
/// read, or the end of the log: the numbers in between are lost.
struct UndeclaredLosses {
    struct Loss: Hashable {
        var stream: StreamID
        var reason: GatewayEvent.DropReason
    }

    /// What no event has declared yet. Numbers of one stream that are lost are declared as one
    /// range; between erased ones stand others' records, so that theirs are several.
    private var undeclared: [Loss: [ClosedRange<UInt64>]]
    /// Records lost against anybody's wish.
    private(set) var total: UInt64 = 0
    /// Streams that may have lost records to damage, with the last number before it.
    private var suspects: [StreamID: UInt64] = [:]
    /// Where damage was met: a second reading finds it again.
    private var known: Set<LogPosition> = []

    init(undeclared: [Loss: ClosedRange<UInt64>] = [:]) {
        self.undeclared = undeclared.mapValues { [$0] }
    }

    /// What must be kept so that a death of the process does not silence it. Erased records are not
    /// among it: they are still in the ring, where each is met and declared again.
    var storable: [Loss: ClosedRange<UInt64>] {
        undeclared.filter { $0.key.reason != .erased }.compactMapValues(\.first)
    }

    mutating func add(_ sequences: ClosedRange<UInt64>, _ loss: Loss) {
        if loss.reason != .erased { total += sequences.upperBound - sequences.lowerBound + 1 }
        var ranges = undeclared[loss] ?? []
        if let last = ranges.last,
            loss.reason != .erased || last.upperBound + 1 == sequences.lowerBound
        {
            ranges[ranges.count - 1] =
                min(
                    last.lowerBound, sequences.lowerBound)...max(
                    last.upperBound, sequences.upperBound)
        } else {
            ranges.append(sequences)
        }
        undeclared[loss] = ranges
    }

    /// Takes over what another value has not declared.
    mutating func add(_ other: UndeclaredLosses) {
        for (loss, ranges) in other.undeclared { for range in ranges { add(range, loss) } }
    }

    /// Remembers a record that is lost, if it was one to be published.
    mutating func add(
        kind: UInt8, _ bytes: [UInt8], reason: GatewayEvent.DropReason
    ) {
        guard let lost = DurableMessage(stored: kind, bytes) else { return }
        let reason = lost.isErased ? .erased : reason
        add(lost.sequence...lost.sequence, Loss(stream: lost.stream, reason: reason))
    }

    /// Remembers the records at `positions`, which are about to be overwritten.
    mutating func addMessages(
        in positions: Range<LogPosition>, of ring: LogView
    ) throws(RingLogError) {
        var reader = try ring.reader(from: positions.lowerBound)
        while let item = try reader.next() {
            guard case .record(let record) = item else { continue }
            guard record.position < positions.upperBound else { break }
            add(kind: record.kind, record.bytes, reason: .overwritten)
        }
    }

    /// The same, of records that were looked up before.
    mutating func addMessages(in positions: Range<LogPosition>, of doomed: DoomedMessages) {
        for message in doomed.messages where positions.contains(message.position) {
            add(message.sequence...message.sequence, message.loss)
        }
    }

    /// Everything that is to be declared now.
    mutating func take() -> [(loss: Loss, sequences: ClosedRange<UInt64>)] {
        defer { undeclared = [:] }
        return undeclared.sorted { $0.key.stream.path < $1.key.stream.path }
            .flatMap { loss, ranges in ranges.map { (loss, $0) } }
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

/// What a full ring overwrites next, looked up while there is time.
struct DoomedMessages: @unchecked Sendable {  // the device is compared, and not used
    let range: Range<LogPosition>
    let device: any BlockDevice
    private(set) var messages:
        [(position: LogPosition, sequence: UInt64, loss: UndeclaredLosses.Loss)] = []

    init(_ range: Range<LogPosition>, of device: any BlockDevice) {
        (self.range, self.device) = (range, device)
    }

    mutating func take(_ message: DurableMessage, at position: LogPosition) {
        let reason: GatewayEvent.DropReason = message.isErased ? .erased : .overwritten
        messages.append(
            (position, message.sequence, .init(stream: message.stream, reason: reason)))
    }

    func covers(_ positions: Range<LogPosition>, of device: any BlockDevice) -> Bool {
        device === self.device && range.lowerBound <= positions.lowerBound
            && positions.upperBound <= range.upperBound
    }
}
