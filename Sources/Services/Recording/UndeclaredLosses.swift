import Contract
import RingLog

/// Records that were lost before a broker received them, by number and reason.
///
/// Damaged bytes do not show which numbers they held. The numbers become known when the stream's
/// next record, or the end of the log, is read.
struct UndeclaredLosses {
    struct Loss: Hashable {
        var stream: StreamID
        var reason: GatewayEvent.DropReason
    }

    /// Losses that no event has declared yet. Lost numbers of one stream are declared as one range;
    /// between erased ones there are records of other athletes, so those need several ranges.
    private var undeclared: [Loss: [ClosedRange<UInt64>]]
    /// Number of records lost unintentionally.
    private(set) var total: UInt64 = 0
    /// Streams that may have lost records to damage, with the last number before it.
    private var suspects: [StreamID: UInt64] = [:]
    /// Positions of known damage, which a second read finds again.
    private var known: Set<LogPosition> = []

    init(undeclared: [Loss: ClosedRange<UInt64>] = [:]) {
        self.undeclared = undeclared.mapValues { [$0] }
    }

    /// The losses to store, so that they are declared even if the process dies. Erased records are
    /// not included: they are still in the ring, where each is found and declared again.
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

    /// Adds the undeclared losses of another value.
    mutating func add(_ other: UndeclaredLosses) {
        for (loss, ranges) in other.undeclared { for range in ranges { add(range, loss) } }
    }

    /// Notes a lost record, if it was to be published.
    mutating func add(
        kind: UInt8, _ bytes: [UInt8], reason: GatewayEvent.DropReason
    ) {
        guard let lost = DurableMessage(stored: kind, bytes) else { return }
        let reason = lost.isErased ? .erased : reason
        add(lost.sequence...lost.sequence, Loss(stream: lost.stream, reason: reason))
    }

    /// Notes the records at `positions`, which are about to be overwritten.
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

    /// Adds records that were read before they were overwritten.
    mutating func addMessages(in positions: Range<LogPosition>, of upcomingOverwrites: UpcomingOverwrites) {
        for message in upcomingOverwrites.messages where positions.contains(message.position) {
            add(message.sequence...message.sequence, message.loss)
        }
    }

    /// Returns everything that must be declared now.
    mutating func drain() -> [(loss: Loss, sequences: ClosedRange<UInt64>)] {
        defer { undeclared = [:] }
        return undeclared.sorted { $0.key.stream.path < $1.key.stream.path }
            .flatMap { loss, ranges in ranges.map { (loss, $0) } }
    }

    // MARK: - Damage

    /// Notes bytes that do not verify.
    ///
    /// - Parameter last: the last number of each stream before them.
    mutating func noteDamage(_ range: Range<LogPosition>, last: [StreamID: UInt64]) {
        guard known.insert(range.lowerBound).inserted else { return }
        suspects.merge(last) { min($0, $1) }
    }

    mutating func read(_ stream: StreamID, _ sequence: UInt64) {
        guard let last = suspects.removeValue(forKey: stream) else { return }
        addLoss(stream, after: last, before: sequence)
    }

    /// - Parameter next: the next number of each stream.
    mutating func reachedEnd(next: (StreamID) -> UInt64) {
        for (stream, last) in suspects { addLoss(stream, after: last, before: next(stream)) }
        suspects = [:]
    }

    private mutating func addLoss(_ stream: StreamID, after last: UInt64, before next: UInt64) {
        guard last + 1 < next else { return }
        add(last + 1...next - 1, Loss(stream: stream, reason: .unreadable))
    }
}

/// The records that a full ring overwrites next, looked up in advance.
struct UpcomingOverwrites: @unchecked Sendable {  // the device is compared, and not used
    let range: Range<LogPosition>
    let device: any BlockDevice
    private(set) var messages: [(position: LogPosition, sequence: UInt64, loss: UndeclaredLosses.Loss)] = []

    init(_ range: Range<LogPosition>, of device: any BlockDevice) {
        (self.range, self.device) = (range, device)
    }

    mutating func append(_ message: DurableMessage, at position: LogPosition) {
        let reason: GatewayEvent.DropReason = message.isErased ? .erased : .overwritten
        messages.append(
            (position, message.sequence, .init(stream: message.stream, reason: reason)))
    }

    func covers(_ positions: Range<LogPosition>, of device: any BlockDevice) -> Bool {
        device === self.device && range.lowerBound <= positions.lowerBound
            && positions.upperBound <= range.upperBound
    }
}
