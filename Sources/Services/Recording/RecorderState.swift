import Contract
import Insights
import Rowing

/// The recorder's state that a restart needs: assigned numbers and open sessions.
///
/// A copy of it is in the header of every segment of the ring, so that a restart reads only the
/// newest segment. Observing a record that the copy already covers changes nothing.
struct RecorderState: Equatable {
    /// A session that has begun and not ended.
    struct OpenSession: Equatable {
        var session: SessionID
        /// The position of its first record in the ring, or somewhat before.
        var position: UInt64
        /// The first numbers of the session per stream, assigned or not.
        var first: StreamNumbers
        /// Its counts in a lost ring; nil while all its records are in the ring.
        var counted: SessionSum?
    }

    /// A session that has ended, and has no manifest yet.
    struct EndedSession: Equatable {
        var station: StationID
        var begun: OpenSession
        /// The monitor's own count; nil if it reported none.
        var monitorStrokes: Int?
    }

    /// The state of one erg, or of the gateway itself: the numbers of its streams by kind, the open session,
    /// its checkpoint, the athlete and the alerts.
    struct StationRecordState: Equatable {
        /// The number after the last assigned one.
        var next = StreamNumbers(repeating: 1)
        /// How many numbers from `next` on a dead process may have assigned to lost records: they
        /// are never assigned again.
        var skipped = StreamNumbers(repeating: 0)
        /// Kinds that may have records. The ring stores each before its first record is written.
        var announced: Set<StreamKind> = []
        /// By kind, the last number that the broker acknowledged; 0 for none.
        var acknowledged = StreamNumbers(repeating: 0)
        /// The newest `ts_ms`: the next one is greater, whatever the clock shows.
        var lastUnixMilliseconds: Int64 = 0
        var open: OpenSession?
        /// `SessionCheckpoint` of the erg; empty if no session is open.
        var checkpoint: [UInt8] = []
        var assignment = AthleteAssignment()
        /// Active alerts; the rules continue with them after a restart.
        var firing = StoredAlerts()

        /// Returns the next number of a kind.
        func upcoming(_ kind: StreamKind) -> UInt64 { next[kind] + skipped[kind] }

        /// Continues after the numbers of `other`, whose records precede ours.
        fileprivate mutating func follow(_ other: StationRecordState) {
            for kind in StreamKind.allCases where other.next[kind] > next[kind] {
                next[kind] = other.next[kind]
                acknowledged[kind] = other.acknowledged[kind]
            }
            skipped = StreamNumbers(repeating: 0)
            announced.formUnion(other.announced)
            lastUnixMilliseconds = max(lastUnixMilliseconds, other.lastUnixMilliseconds)
            // If the same session is open in both, it began in the records of `other`.
            if let theirs = other.open, theirs.session == open?.session { open = theirs }
        }
    }

    /// Maximum numbers of a stream assigned ahead of the medium: half an hour of strokes.
    static let maximumAhead: UInt64 = 1024
    /// Maximum number of stations stored that the configuration no longer names. With as many
    /// stations as a gateway can have, the state is about 10 KB, and fits into a record and into
    /// the header of a segment.
    static let maximumFormerStations = 64

    /// The ULID of the epoch of the numbers; empty in a state that no ring has had yet.
    var epoch = ""
    /// The boot to whose clock the newest checkpoints refer; empty before the first.
    var bootID = ""
    /// The state per erg; the gateway's own has the key nil.
    var stationStates: [StationID?: StationRecordState] = [:]
    /// Sessions with pending manifests, in the order of their ends. Their records are being read
    /// back, which takes time if another process wrote them.
    var ended: [EndedSession] = []
    /// Crews that commands defined.
    var crews: [Crew] = []
    /// Whether the numbers of every kind are known. False in a state of an earlier version of the
    /// program, which knew fewer kinds: the ring may hold records of the others.
    var knowsEveryKind = true
    /// Losses that no event has declared yet; empty except in a stored state.
    var undeclared: [UndeclaredLosses.Loss: ClosedRange<UInt64>] = [:]

    /// Entries with numbers assigned in `stationStates` that are about to be written. If any is missing
    /// behind this state in the ring, it must still be written. In order, as `RingEntry`; empty except at the
    /// edge of a session.
    var pendingEntries: [[UInt8]] = []

    /// Assigns the next number of a stream, and a timestamp later than its last record's.
    mutating func assign(
        _ kind: StreamKind, of station: StationID?, unixMilliseconds: Int64
    ) -> (sequence: UInt64, unixMilliseconds: Int64) {
        var stationState = self.stationStates[station] ?? StationRecordState()
        precondition(stationState.skipped[kind] == 0, "skipped numbers are declared first")
        let sequence = stationState.next[kind]
        stationState.next[kind] += 1
        stationState.announced.insert(kind)
        stationState.lastUnixMilliseconds = max(unixMilliseconds, stationState.lastUnixMilliseconds + 1)
        self.stationStates[station] = stationState
        return (sequence, stationState.lastUnixMilliseconds)
    }

    // MARK: - Available numbers

    /// Returns the next number of a stream.
    func upcoming(_ stream: StreamID) -> UInt64 {
        stationStates[stream.station]?.upcoming(stream.kind) ?? 1
    }

    func isAnnounced(_ stream: StreamID) -> Bool {
        stationStates[stream.station]?.announced.contains(stream.kind) == true
    }

    mutating func announce(_ stream: StreamID) {
        stationStates[stream.station, default: StationRecordState()].announced.insert(stream.kind)
    }

    /// Returns the state with the undeclared losses, for storing.
    func declaring(_ losses: UndeclaredLosses) -> RecorderState {
        var state = self
        state.undeclared = losses.storable
        return state
    }

    /// Encodes the state for the header of a segment. Pending entries are included if there is
    /// room, which the smallest rings may lack.
    func encode(atMost limit: Int) -> [UInt8] {
        let whole = encode()
        return whole.count <= limit || pendingEntries.isEmpty ? whole : withoutPendingEntries.encode()
    }

    /// The state without pending entries, for a ring that has them.
    var withoutPendingEntries: RecorderState {
        var state = self
        state.pendingEntries = []
        return state
    }

    /// The last assigned number of each stream.
    var lastNumbers: [StreamID: UInt64] {
        Dictionary(
            uniqueKeysWithValues: announcedStreams.map { stream in
                (stream, (stationStates[stream.station]?.next[stream.kind] ?? 1) - 1)
            })
    }

    /// The last assigned numbers of the gateway's own streams that have records.
    var lastNumbersOfGateway: [StreamKind: UInt64] {
        guard let own = stationStates[nil] else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: StreamKind.ofGateway.map { ($0, own.next[$0] - 1) }
                .filter { $0.1 > 0 })
    }

    /// Streams that have records, or had.
    var announcedStreams: [StreamID] {
        stationStates.flatMap { station, stationState in
            stationState.announced.map { StreamID(station: station, kind: $0) }
        }
    }

    /// The last acknowledged number of each stream.
    var lastAcknowledged: [StreamID: UInt64] {
        Dictionary(
            uniqueKeysWithValues: announcedStreams.map { stream in
                (stream, stationStates[stream.station]?.acknowledged[stream.kind] ?? 0)
            })
    }

    /// Returns the state from which to continue after the records in the ring, which are durable by
    /// now.
    ///
    /// The numbers that the last process assigned beyond them are known if it was killed; after a
    /// power cut they are at most `maximumAhead` numbers of each stream.
    func recoveringNumbers(after stop: PreviousStop) -> RecorderState {
        var state = self
        switch stop {
        case .newRing, .inOrder: break
        case .killed(let highWater, _): state.skip(to: highWater)
        case .powerCut:
            for stream in announcedStreams {
                state.stationStates[stream.station]?.skipped[stream.kind] += Self.maximumAhead
            }
        }
        return state
    }

    /// Continues after the numbers of `other`, a state of another epoch, so that no number is
    /// lower.
    mutating func follow(_ other: RecorderState) {
        for (station, theirs) in other.stationStates {
            stationStates[station, default: StationRecordState()].follow(theirs)
        }
    }

    /// Skips the sequence numbers that `other`, a later state of the same epoch, has given to records.
    private mutating func skip(to other: RecorderState) {
        for stream in other.announcedStreams {
            let upcoming = other.upcoming(stream)
            announce(stream)
            guard let next = stationStates[stream.station]?.next[stream.kind], upcoming > next else {
                continue
            }
            let skipped = stationStates[stream.station]?.skipped[stream.kind] ?? 0
            stationStates[stream.station]?.skipped[stream.kind] = max(skipped, upcoming - next)
            let acknowledged = other.stationStates[stream.station]?.acknowledged[stream.kind] ?? 0
            acknowledge(acknowledged, stream.kind, of: stream.station)
        }
    }

    /// Skips the numbers of a stream that may have been assigned already. Returns the unacknowledged ones,
    /// which must be declared; nil if there are none.
    mutating func consumeSkipped(_ stream: StreamID) -> ClosedRange<UInt64>? {
        guard let stationState = stationStates[stream.station], stationState.skipped[stream.kind] > 0 else {
            return nil
        }
        let next = upcoming(stream)
        let first = max(stationState.next[stream.kind], stationState.acknowledged[stream.kind] + 1)
        self.stationStates[stream.station]?.next[stream.kind] = next
        self.stationStates[stream.station]?.skipped[stream.kind] = 0
        return first < next ? first...next - 1 : nil
    }

    // MARK: - Athletes

    /// Returns the state without `athlete` and without their session; nil if it mentions neither.
    func erasing(_ athlete: String) -> RecorderState? {
        // The pending entries were written long ago.
        var state = withoutPendingEntries
        for station in stationStates.keys {
            if stationStates[station]?.assignment.athlete == athlete {
                state.stationStates[station]?.checkpoint = []
            }
            state.stationStates[station]?.assignment.forget(athlete)
            state.stationStates[station]?.firing.forget(athlete)
            if state.stationStates[station]?.open?.counted?.mentions(athlete) == true {
                state.stationStates[station]?.open?.counted = nil
            }
        }
        for index in ended.indices where ended[index].begun.counted?.mentions(athlete) == true {
            state.ended[index].begun.counted = nil
        }
        return state == self ? nil : state
    }

    // MARK: - Sessions

    /// Notes that a session begins with the next record at `position`.
    mutating func open(_ session: SessionID, of station: StationID, at position: UInt64) {
        var stationState = self.stationStates[station] ?? StationRecordState()
        stationState.open = OpenSession(session: session, position: position, first: stationState.next)
        self.stationStates[station] = stationState
    }

    /// Notes that a session has ended, if it is the open one.
    mutating func end(_ session: SessionID, of station: StationID, monitorStrokes: Int?) {
        guard let open = stationStates[station]?.open, open.session == session else { return }
        stationStates[station]?.open = nil
        ended.append(
            EndedSession(station: station, begun: open, monitorStrokes: monitorStrokes))
    }

    /// Notes that the manifest of a session is written.
    mutating func settle(_ session: String?) {
        ended.removeAll { $0.begun.session.text == session }
    }

    /// Adds existing counts to the sessions.
    mutating func addCounts(_ sums: [SessionID: SessionSum]) {
        for (station, stationState) in stationStates {
            guard let session = stationState.open?.session, let sum = sums[session] else { continue }
            self.stationStates[station]?.open?.counted = sum
        }
        for index in ended.indices {
            guard let sum = sums[ended[index].begun.session] else { continue }
            ended[index].begun.counted = sum
        }
    }

    /// Sessions that need a manifest now or at their end.
    var unsettled: [(station: StationID, begun: OpenSession)] {
        let open = stationStates.compactMap { station, stationState in
            station.flatMap { station in stationState.open.map { (station, $0) } }
        }
        return ended.map { ($0.station, $0.begun) } + open.sorted { $0.0 < $1.0 }
    }

    /// Updates the state with a record that was found in the ring.
    mutating func observe(_ entry: RingEntry, isAcknowledged: Bool) {
        if !pendingEntries.isEmpty { found(entry.encode()) }
        switch entry {
        case .message(let message):
            var stationState = self.stationStates[message.station] ?? StationRecordState()
            let kind = message.kind
            if message.sequence >= stationState.next[kind] {
                stationState.next[kind] = message.sequence + 1
                stationState.skipped[kind] = 0
            }
            stationState.announced.insert(kind)
            stationState.lastUnixMilliseconds = max(
                stationState.lastUnixMilliseconds, Int64(clamping: message.unixMilliseconds))
            if isAcknowledged {
                stationState.acknowledged[kind] = max(stationState.acknowledged[kind], message.sequence)
            }
            self.stationStates[message.station] = stationState
            if kind == .manifest, !ended.isEmpty { settle(message.session) }
            if kind == .alert { self.stationStates[message.station]?.firing.apply(message.payload) }
        case .checkpoint(let station, let bytes):
            self.stationStates[station, default: StationRecordState()].checkpoint = bytes
        case .notification:
            break
        }
    }

    /// Notes that a pending entry is in the ring.
    ///
    /// A power cut can lose the entries before it. A record that a manifest counts is not written
    /// out of order behind it: it counts as lost to damage, and is declared.
    private mutating func found(_ bytes: [UInt8]) {
        guard let index = pendingEntries.firstIndex(of: bytes) else { return }
        let skipped = pendingEntries[..<index].filter { bytes in
            let message = DurableMessage(stored: RingRecordKind.entry, bytes)
            return message.map { !SessionSum.kinds.contains($0.kind) } ?? true
        }
        pendingEntries.replaceSubrange(...index, with: skipped)
    }

    /// Continues with a state that was read from the ring, instead of this one, which was computed
    /// from the records before it.
    ///
    /// Acknowledgements are merged: the stored state has those up to its own time, and the ring's
    /// cursor the later ones.
    func replaced(by newer: RecorderState) -> RecorderState {
        var newer = newer
        for (station, stationState) in stationStates {
            for kind in StreamKind.allCases {
                newer.acknowledge(stationState.acknowledged[kind], kind, of: station)
            }
        }
        return newer
    }

    mutating func acknowledge(_ sequence: UInt64, _ kind: StreamKind, of station: StationID?) {
        let known = stationStates[station]?.acknowledged[kind] ?? 0
        stationStates[station]?.acknowledged[kind] = max(known, sequence)
    }

    /// Number of records that the broker has not acknowledged.
    var backlog: Int {
        var count: UInt64 = 0
        for stationState in stationStates.values {
            for kind in StreamKind.allCases {
                let last = stationState.next[kind] - 1
                count += last - min(stationState.acknowledged[kind], last)
            }
        }
        return Int(count)
    }

    /// Streams that hold or held a record, each with the number after its last one.
    ///
    /// Skipped numbers count only once the next record, which declares them, is written: until then
    /// no subscriber misses any.
    var positions: [(stream: StreamID, next: UInt64)] {
        lastNumbers.map { ($0, $1 + 1) }.filter { $0.1 > 1 }
    }
}
