import Contract
import Insights
import Rowing

/// What the recorder must know to go on after a restart: numbers given out, sessions that are open.
///
/// A copy of it opens every segment of the ring, so that a restart reads the newest segment only.
/// Observing a record that the copy already covers changes nothing.
struct RecorderState: Equatable {
    /// A session that has begun and not ended.
    struct OpenSession: Equatable {
        var session: SessionID
        /// Where in the ring its first record stands, or somewhat before.
        var position: UInt64
        /// The numbers that the session's first records had or would have, per stream.
        var first: StreamNumbers
        /// What a ring that was lost had of it; nil while all that it has is in the ring.
        var counted: SessionSum?
    }

    /// A session that has ended, and has no manifest yet.
    struct EndedSession: Equatable {
        var station: StationID
        var begun: OpenSession
        /// The monitor's own count; nil when it told none.
        var monitorStrokes: Int?
    }

    /// What belongs to one place, or to the gateway itself: the numbers of its streams, by kind, and
    /// what goes on there.
    struct Streams: Equatable {
        /// One more than the last number that was given out.
        var next = StreamNumbers(repeating: 1)
        /// How many numbers from `next` on may have been given out by a process that died, to
        /// records that are lost: nobody gets them again.
        var skipped = StreamNumbers(repeating: 0)
        /// Kinds that may have records. The ring knows of each before its first record goes out.
        var announced: Set<StreamKind> = []
        /// The last number that the broker acknowledged; 0 for none.
        var acknowledged = StreamNumbers(repeating: 0)
        /// The newest `ts_ms`: the next one is later, whatever the clock says.
        var lastUnixMilliseconds: Int64 = 0
        var open: OpenSession?
        /// `SessionCheckpoint` of the erg; empty when no session is open.
        var checkpoint: [UInt8] = []
        var assignment = AthleteAssignment()
        /// What fires; the rules go on with it after a restart.
        var firing = KeptAlerts()

        /// The number that the next record of a kind gets.
        func upcoming(_ kind: StreamKind) -> UInt64 { next[kind] + skipped[kind] }

        /// Goes on after the numbers of `other`, whose records come first.
        fileprivate mutating func follow(_ other: Streams) {
            for kind in StreamKind.allCases where other.next[kind] > next[kind] {
                next[kind] = other.next[kind]
                acknowledged[kind] = other.acknowledged[kind]
            }
            skipped = StreamNumbers(repeating: 0)
            announced.formUnion(other.announced)
            lastUnixMilliseconds = max(lastUnixMilliseconds, other.lastUnixMilliseconds)
            // The same session is open in both: it began in the records of `other`.
            if let theirs = other.open, theirs.session == open?.session { open = theirs }
        }
    }

    /// Numbers of a stream given out ahead of the medium at most: half an hour of strokes.
    static let maximumAhead: UInt64 = 1024
    /// Stations that the configuration does not name any more and that are remembered: with as many
    /// stations as a gateway can have, the state is some 10 KB, and fits into a record and into the head of a segment.
    static let maximumFormerStations = 64

    /// The ULID that the numbers belong to; empty in a state that no ring has had yet.
    var epoch = ""
    /// The boot whose clock the newest checkpoints are on; empty before the first.
    var bootID = ""
    /// Records written for an erg; the gateway's own stand under nil.
    var streams: [StationID?: Streams] = [:]
    /// Sessions whose manifests are still to come, in the order of their ends: their records are
    /// being read back, which takes time where another process wrote them.
    var ended: [EndedSession] = []
    /// What commands said of crews.
    var crews: [Crew] = []
    /// Whether the numbers of every kind are known. False in a state that an earlier version of the
    /// program stored: it knew fewer kinds, and records of the others may stand before it in the ring.
    var knowsEveryKind = true
    /// What the ring has lost and no event has said yet; empty but in a state that is stored.
    var undeclared: [UndeclaredLosses.Loss: ClosedRange<UInt64>] = [:]

    /// Entries that have their numbers, which `streams` has given out, and are about to be written: those
    /// that do not stand behind this state in the ring were cut off, and are still to be written. In
    /// their order, as `RingEntry`; empty but within the edge of a session.
    var promised: [[UInt8]] = []

    /// Gives out the next number of a stream and a time later than that of its last record.
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

    // MARK: - Numbers that may be taken

    /// The number that the next record of a stream gets.
    func upcoming(_ stream: StreamID) -> UInt64 {
        streams[stream.station]?.upcoming(stream.kind) ?? 1
    }

    func isAnnounced(_ stream: StreamID) -> Bool {
        streams[stream.station]?.announced.contains(stream.kind) == true
    }

    mutating func announce(_ stream: StreamID) {
        streams[stream.station, default: Streams()].announced.insert(stream.kind)
    }

    /// The state with what is still to be declared, to be stored.
    func declaring(_ losses: UndeclaredLosses) -> RecorderState {
        var state = self
        state.undeclared = losses.storable
        return state
    }

    /// The state as bytes for the head of a segment. What is promised comes along where there is room,
    /// which the smallest rings may lack.
    func encode(atMost limit: Int) -> [UInt8] {
        let whole = encode()
        return whole.count <= limit || promised.isEmpty ? whole : withoutPromises.encode()
    }

    /// The same state for whoever has all that was promised.
    var withoutPromises: RecorderState {
        var state = self
        state.promised = []
        return state
    }

    /// Of each stream, the last number that was given out.
    var lastNumbers: [StreamID: UInt64] {
        Dictionary(
            uniqueKeysWithValues: announcedStreams.map { stream in
                (stream, (streams[stream.station]?.next[stream.kind] ?? 1) - 1)
            })
    }

    /// The same of the gateway's own, as far as they have records.
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

    /// Of each stream, the last number that the broker has acknowledged.
    var lastAcknowledged: [StreamID: UInt64] {
        Dictionary(
            uniqueKeysWithValues: announcedStreams.map { stream in
                (stream, streams[stream.station]?.acknowledged[stream.kind] ?? 0)
            })
    }

    /// The state to go on from, given what was read back, which is durable by now.
    ///
    /// What the last process gave out beyond that is known if it was killed, and is at most
    /// `maximumAhead` numbers of each stream if the power failed.
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

    /// Goes on after the numbers of `other`, a state of another epoch, so that no number is lower.
    mutating func follow(_ other: RecorderState) {
        for (station, theirs) in other.streams {
            streams[station, default: Streams()].follow(theirs)
        }
    }

    /// Skips the numbers that `other`, a later state of the same epoch, has given out.
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

    /// Leaves out the numbers of a stream that may have been given out already. Returns those that have
    /// to be declared, because the broker may not have them; nil without any.
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

    /// The state without `athlete`, and without what it knows of a session of theirs; nil if it does
    /// not mention them.
    func forgetting(_ athlete: String) -> RecorderState? {
        // What was promised has long been written.
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

    /// Notes that a session has ended, if it is the one that is open.
    mutating func end(_ session: SessionID, of station: StationID, monitorStrokes: Int?) {
        guard let open = streams[station]?.open, open.session == session else { return }
        streams[station]?.open = nil
        ended.append(
            EndedSession(station: station, begun: open, monitorStrokes: monitorStrokes))
    }

    /// The manifest of a session is written.
    mutating func settle(_ session: String?) {
        ended.removeAll { $0.begun.session.text == session }
    }

    /// What was counted of sessions goes on from there.
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

    /// Sessions that want a manifest now or at their end.
    var unsettled: [(station: StationID, begun: OpenSession)] {
        let open = streams.compactMap { station, streams in
            station.flatMap { station in streams.open.map { (station, $0) } }
        }
        return ended.map { ($0.station, $0.begun) } + open.sorted { $0.0 < $1.0 }
    }

    /// Takes in a record that was found in the ring.
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

    /// One of the entries that were promised stands in the ring.
    ///
    /// A power cut can lose those before it and leave it. What a manifest counts is not written behind it
    /// then, where it would stand out of its order: it is lost to damage, and declared as such.
    private mutating func found(_ bytes: [UInt8]) {
        guard let index = promised.firstIndex(of: bytes) else { return }
        let skipped = promised[..<index].filter { bytes in
            let message = DurableMessage(stored: RingRecordKind.entry, bytes)
            return message.map { !SessionSum.kinds.contains($0.kind) } ?? true
        }
        promised.replaceSubrange(...index, with: skipped)
    }

    /// Goes on with a state that was read from the ring, in place of this one, which the records before
    /// it came to.
    ///
    /// What the broker has acknowledged is taken over: the stored state knows the acknowledgements up to
    /// when it was written, and the ring's cursor those that came later.
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

    /// Records that the broker has not acknowledged.
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

    /// Streams that hold or held a record, each with one more than the number of its last one.
    ///
    /// Numbers that are skipped do not count before the next record, which declares them, is there: until
    /// then nobody misses any.
    var positions: [(stream: StreamID, next: UInt64)] {
        lastNumbers.map { ($0, $1 + 1) }.filter { $0.1 > 1 }
    }
}
