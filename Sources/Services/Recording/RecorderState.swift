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

    /// The state of one erg, or of the gateway itself: numbers of its streams by kind, session and
    /// athlete.
    struct Streams: Equatable {
        /// The number after the last assigned one.
        var next = StreamNumbers(repeating: 1)
        /// How many numbers from `next` on a dead process may have assigned to lost records: they
        /// are never assigned again.
        var skipped = StreamNumbers(repeating: 0)
        /// Kinds that may have records. The ring stores each before its first record is written.
        var announced: Set<StreamKind> = []
        /// The last number that the broker acknowledged; 0 for none.
        var acknowledged = StreamNumbers(repeating: 0)
        /// The newest `ts_ms`: the next one is greater, whatever the clock shows.
        var lastUnixMilliseconds: Int64 = 0
        var open: OpenSession?
        /// `SessionCheckpoint` of the erg; empty if no session is open.
        var checkpoint: [UInt8] = []
        var assignment = AthleteAssignment()
        /// Active alerts; the rules continue with them after a restart.
        var firing = KeptAlerts()

        /// Returns the next number of a kind.
        func upcoming(_ kind: StreamKind) -> UInt64 { next[kind] + skipped[kind] }

        /// Continues after the numbers of `other`, whose records precede ours.
        fileprivate mutating func follow(_ other: Streams) {
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
    var streams: [StationID?: Streams] = [:]
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

    /// Entries with numbers assigned in `streams` that are about to be written: those that are
    /// missing behind this state in the ring were cut off, and must still be written. In order, as
    /// `RingEntry`; empty except at the edge of a session.
    var promised: [[UInt8]] = []

    /// Assigns the next number of a stream, and a timestamp later than its last record's.
    mutating func assign(
        _ kind: StreamKind, of station: StationID?, unixMilliseconds: Int64
    ) -> (sequence: UInt64, unixMilliseconds: Int64) {
        var streams = self.streams[station] ?? Streams()
        precondition(streams.skipped[kind] == 0, "skipped numbers are declared first")
        let sequence = streams.next[kind]
        streams.next[kind] += 1
        streams.announced.insert(kind)
        streams.lastUnixMilliseconds = max(unixMilliseconds, streams.lastUnixMilliseconds + 1)
        self.streams[station] = streams
        return (sequence, streams.lastUnixMilliseconds)
    }

    // MARK: - Available numbers

    /// Returns the next number of a stream.
    func upcoming(_ stream: StreamID) -> UInt64 {
        streams[stream.station]?.upcoming(stream.kind) ?? 1
    }

    func isAnnounced(_ stream: StreamID) -> Bool {
        streams[stream.station]?.announced.contains(stream.kind) == true
    }

    mutating func announce(_ stream: StreamID) {
        streams[stream.station, default: Streams()].announced.insert(stream.kind)
    }

    /// Returns the state with the undeclared losses, for storing.
    func declaring(_ losses: UndeclaredLosses) -> RecorderState {
        var state = self
        state.undeclared = losses.storable
        return state
    }

    /// Encodes the state for the header of a segment. Announced entries are included if there is
    /// room, which the smallest rings may lack.
    func encode(atMost limit: Int) -> [UInt8] {
        let whole = encode()
        return whole.count <= limit || promised.isEmpty ? whole : withoutPromises.encode()
    }

    /// The same state without announced entries, for a ring that has them.
    var withoutPromises: RecorderState {
        var state = self
        state.promised = []
        return state
    }

    /// The last assigned number of each stream.
    var lastNumbers: [StreamID: UInt64] {
        Dictionary(
            uniqueKeysWithValues: announcedStreams.map { stream in
                (stream, (streams[stream.station]?.next[stream.kind] ?? 1) - 1)
            })
    }

    /// The same of the gateway's own streams that have records.
    var lastNumbersOfGateway: [StreamKind: UInt64] {
        guard let own = streams[nil] else { return [:] }
        return Dictionary(
            uniqueKeysWithValues: StreamKind.ofGateway.map { ($0, own.next[$0] - 1) }
                .filter { $0.1 > 0 })
    }

    /// Streams that have records, or had.
    var announcedStreams: [StreamID] {
        streams.flatMap { station, streams in
            streams.announced.map { StreamID(station: station, kind: $0) }
        }
    }

    /// The last acknowledged number of each stream.
    var lastAcknowledged: [StreamID: UInt64] {
        Dictionary(
            uniqueKeysWithValues: announcedStreams.map { stream in
                (stream, streams[stream.station]?.acknowledged[stream.kind] ?? 0)
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
                state.streams[stream.station]?.skipped[stream.kind] += Self.maximumAhead
            }
        }
        return state
    }

    /// Continues after the numbers of `other`, a state of another epoch, so that no number is
    /// lower.
    mutating func follow(_ other: RecorderState) {
        for (station, theirs) in other.streams {
            streams[station, default: Streams()].follow(theirs)
        }
    }

    /// Skips the numbers that `other`, a later state of the same epoch, has assigned.
    private mutating func skip(to other: RecorderState) {
        for stream in other.announcedStreams {
            let upcoming = other.upcoming(stream)
            announce(stream)
            guard let next = streams[stream.station]?.next[stream.kind], upcoming > next else {
                continue
            }
            let skipped = streams[stream.station]?.skipped[stream.kind] ?? 0
            streams[stream.station]?.skipped[stream.kind] = max(skipped, upcoming - next)
            let acknowledged = other.streams[stream.station]?.acknowledged[stream.kind] ?? 0
            acknowledge(acknowledged, stream.kind, of: stream.station)
        }
    }

    /// Skips the numbers of a stream that may have been assigned already. Returns those that must
    /// be declared, because the broker may not have them; nil if there are none.
    mutating func takeSkipped(_ stream: StreamID) -> ClosedRange<UInt64>? {
        guard let streams = streams[stream.station], streams.skipped[stream.kind] > 0 else {
            return nil
        }
        let next = upcoming(stream)
        let first = max(streams.next[stream.kind], streams.acknowledged[stream.kind] + 1)
        self.streams[stream.station]?.next[stream.kind] = next
        self.streams[stream.station]?.skipped[stream.kind] = 0
        return first < next ? first...next - 1 : nil
    }

    // MARK: - Athletes

    /// Returns the state without `athlete` and without their session; nil if it mentions neither.
    func forgetting(_ athlete: String) -> RecorderState? {
        // The announced entries were written long ago.
        var state = withoutPromises
        for station in streams.keys {
            if streams[station]?.assignment.athlete == athlete {
                state.streams[station]?.checkpoint = []
            }
            state.streams[station]?.assignment.forget(athlete)
            state.streams[station]?.firing.forget(athlete)
            if state.streams[station]?.open?.counted?.mentions(athlete) == true {
                state.streams[station]?.open?.counted = nil
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
        var streams = self.streams[station] ?? Streams()
        streams.open = OpenSession(session: session, position: position, first: streams.next)
        self.streams[station] = streams
    }

    /// Notes that a session has ended, if it is the open one.
    mutating func end(_ session: SessionID, of station: StationID, monitorStrokes: Int?) {
        guard let open = streams[station]?.open, open.session == session else { return }
        streams[station]?.open = nil
        ended.append(
            EndedSession(station: station, begun: open, monitorStrokes: monitorStrokes))
    }

    /// Notes that the manifest of a session is written.
    mutating func settle(_ session: String?) {
        ended.removeAll { $0.begun.session.text == session }
    }

    /// Adds existing counts to the sessions.
    mutating func carry(_ sums: [SessionID: SessionSum]) {
        for (station, streams) in streams {
            guard let session = streams.open?.session, let sum = sums[session] else { continue }
            self.streams[station]?.open?.counted = sum
        }
        for index in ended.indices {
            guard let sum = sums[ended[index].begun.session] else { continue }
            ended[index].begun.counted = sum
        }
    }

    /// Sessions that need a manifest now or at their end.
    var unsettled: [(station: StationID, begun: OpenSession)] {
        let open = streams.compactMap { station, streams in
            station.flatMap { station in streams.open.map { (station, $0) } }
        }
        return ended.map { ($0.station, $0.begun) } + open.sorted { $0.0 < $1.0 }
    }

    /// Updates the state with a record that was found in the ring.
    mutating func observe(_ entry: RingEntry, isAcknowledged: Bool) {
        if !promised.isEmpty { found(entry.encode()) }
        switch entry {
        case .message(let message):
            var streams = self.streams[message.station] ?? Streams()
            let kind = message.kind
            if message.sequence >= streams.next[kind] {
                streams.next[kind] = message.sequence + 1
                streams.skipped[kind] = 0
            }
            streams.announced.insert(kind)
            streams.lastUnixMilliseconds = max(
                streams.lastUnixMilliseconds, Int64(clamping: message.unixMilliseconds))
            if isAcknowledged {
                streams.acknowledged[kind] = max(streams.acknowledged[kind], message.sequence)
            }
            self.streams[message.station] = streams
            if kind == .manifest, !ended.isEmpty { settle(message.session) }
            if kind == .alert { self.streams[message.station]?.firing.take(message.payload) }
        case .checkpoint(let station, let bytes):
            self.streams[station, default: Streams()].checkpoint = bytes
        case .notification:
            break
        }
    }

    /// Notes that an announced entry is in the ring.
    ///
    /// A power cut can lose the entries before it. A record that a manifest counts is not written
    /// out of order behind it: it counts as lost to damage, and is declared.
    private mutating func found(_ bytes: [UInt8]) {
        guard let index = promised.firstIndex(of: bytes) else { return }
        let skipped = promised[..<index].filter { bytes in
            let message = DurableMessage(stored: RingRecordKind.entry, bytes)
            return message.map { !SessionSum.kinds.contains($0.kind) } ?? true
        }
        promised.replaceSubrange(...index, with: skipped)
    }

    /// Continues with a state that was read from the ring, instead of this one, which was computed
    /// from the records before it.
    ///
    /// Acknowledgements are merged: the stored state has those up to its own time, and the ring's
    /// cursor the later ones.
    func replaced(by newer: RecorderState) -> RecorderState {
        var newer = newer
        for (station, streams) in streams {
            for kind in StreamKind.allCases {
                newer.acknowledge(streams.acknowledged[kind], kind, of: station)
            }
        }
        return newer
    }

    mutating func acknowledge(_ sequence: UInt64, _ kind: StreamKind, of station: StationID?) {
        let known = streams[station]?.acknowledged[kind] ?? 0
        streams[station]?.acknowledged[kind] = max(known, sequence)
    }

    /// Number of records that the broker has not acknowledged.
    var backlog: Int {
        var count: UInt64 = 0
        for streams in streams.values {
            for kind in StreamKind.allCases {
                let last = streams.next[kind] - 1
                count += last - min(streams.acknowledged[kind], last)
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
