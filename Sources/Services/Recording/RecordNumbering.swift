import Contract
import Insights
import Rowing
import Timeline

/// Assigns numbers and timestamps to records, and holds the state that a restart needs.
///
/// Pure: no clock, no ring. The recorder calls it before it writes, and reports durable
/// commits. Of the positions of a stream (RecordLife.md) it owns three: the last assigned number,
/// the last durable one, and the last acknowledged one.
struct RecordNumbering {
    /// Usual maximum of simultaneous records of one stream.
    private static let usualBurst: UInt64 = 64

    /// The part that the ring stores: assigned and acknowledged numbers, sessions, athletes.
    private(set) var state: RecorderState
    /// The number after the last durable one, per stream; 0 if the ring may not know the stream.
    private var durable: [StationID?: StreamNumbers] = [:]
    /// The same numbers once the running commit is durable.
    private var committing: [StationID?: StreamNumbers] = [:]
    /// Whether a later process may find the epoch on a disk and assign its numbers again.
    private(set) var isEpochOnDisk = true
    private var timestamps = MonotonicTimestamps()
    private var wallClock = SteadyWallClock()

    init(_ recovered: RecorderState) {
        state = recovered
        // The recorder keeps these losses and declares them in events. It adds them when it stores the state.
        state.undeclared = [:]
    }

    /// ULID of the epoch of the numbers.
    var epoch: String { state.epoch }

    /// Whether the state knows the numbers of every kind in this epoch.
    var knowsEveryKind: Bool { state.knowsEveryKind }

    /// Returns the current clock mapping, and by how many milliseconds the wall clock was set since
    /// the last call; nil if it was not set.
    mutating func read(_ fresh: WallClock) -> (clock: WallClock, step: Int64?) {
        let before = wallClock.mapping
        let clock = wallClock.read(fresh)
        let step = clock.unixMillisecondsAtBoot - (before ?? clock).unixMillisecondsAtBoot
        return (clock, abs(step) >= WallClock.step ? step : nil)
    }

    // MARK: - Assigning numbers

    /// Assigns the next number of a stream, and a timestamp later than its last record's.
    mutating func assign(
        _ stream: StreamID, at instant: BootInstant, clock: WallClock
    ) -> (sequence: UInt64, time: TimeStamp) {
        let wanted = clock.unixMilliseconds(at: instant)
        let (sequence, milliseconds) = state.assign(
            stream.kind, of: stream.station,
            unixMilliseconds: timestamps.time(wanted, of: stream.station, at: instant))
        timestamps.note(milliseconds, of: stream.station, at: instant)
        let isTrue = clock.isSynchronized && milliseconds - wanted <= MonotonicTimestamps.tolerance
        let time = TimeStamp(
            unixMilliseconds: milliseconds,
            unsynchronized: isTrue ? nil : clock.bootTime(at: instant))
        return (sequence, time)
    }

    /// Returns the numbers that a stream skips now, to be declared; nil if none are skipped.
    mutating func consumeSkipped(_ stream: StreamID) -> ClosedRange<UInt64>? {
        state.consumeSkipped(stream)
    }

    /// Notes that a stream will have records. Returns whether the ring must store that first.
    mutating func announce(_ stream: StreamID) -> Bool {
        guard !state.isAnnounced(stream) else { return false }
        state.announce(stream)
        return true
    }

    /// Whether each of the next `count` numbers of a stream identifies one record even after a
    /// power cut: the ring knows the stream, and not too many numbers are ahead of the medium.
    func isReserved(_ stream: StreamID, count: UInt64 = 1) -> Bool {
        let durable = durable[stream.station]?[stream.kind] ?? 0
        return Self.isReserved(state.upcoming(stream), count: count, durable: durable)
    }

    private static func isReserved(_ upcoming: UInt64, count: UInt64, durable: UInt64) -> Bool {
        durable > 0 && upcoming + count <= durable + RecorderState.maximumAhead
    }

    /// Whether a station's records never have to wait for a commit.
    func isReserved(_ station: StationID) -> Bool {
        guard let durable = durable[station], let stationState = state.stationStates[station] else {
            return false
        }
        return StreamKind.ofStation.allSatisfy {
            Self.isReserved(stationState.upcoming($0), count: Self.usualBurst, durable: durable[$0])
        }
    }

    /// Notes that a commit of all assigned numbers has started.
    mutating func commitBegan() {
        committing = state.stationStates.mapValues { stationState in
            var numbers = StreamNumbers(repeating: 0)
            for kind in stationState.announced { numbers[kind] = stationState.upcoming(kind) }
            return numbers
        }
    }

    /// Notes that the commit is durable.
    mutating func commitIsDurable() {
        isEpochOnDisk = true
        durable.merge(committing) { $0.highest($1) }
        committing = [:]
    }

    /// Counts streams that were read from the ring as durable, except those with skipped numbers.
    mutating func countReadAsDurable() {
        for stream in state.announcedStreams
        where state.stationStates[stream.station]?.skipped[stream.kind] == 0 { countAsDurable(stream) }
    }

    /// Counts a stream as durable because no disk has its numbers, so that no process can reuse them.
    mutating func countAsDurable(_ stream: StreamID) {
        durable[stream.station, default: StreamNumbers(repeating: 0)][stream.kind] =
            state.upcoming(stream)
    }

    /// Starts `epoch`, which no disk has stored. Returns each stream with numbers of earlier epochs, and its
    /// first number in this one.
    mutating func begin(epoch: String) -> [(stream: StreamID, next: UInt64)] {
        state.epoch = epoch
        state.knowsEveryKind = true
        isEpochOnDisk = false
        let firstNumbers = state.announcedStreams.map { (stream: $0, next: state.upcoming($0)) }
            .filter { $0.next > 1 }.sorted { $0.stream.path < $1.stream.path }
        for stream in state.announcedStreams { countAsDurable(stream) }
        return firstNumbers
    }

    /// Notes that the broker has acknowledged this record and all before it.
    mutating func acknowledge(_ sequence: UInt64, of stream: StreamID) {
        state.acknowledge(sequence, stream.kind, of: stream.station)
    }

    // MARK: - Ergs, sessions and athletes

    /// Adds the streams of ergs and of the gateway, so that their first records need not wait. Returns
    /// whether any was new.
    mutating func add(_ stations: [StationID]) -> Bool {
        var hasNew = false
        for kind in StreamKind.ofGateway {
            hasNew = announce(StreamID(station: nil, kind: kind)) || hasNew
        }
        for station in stations {
            for kind in StreamKind.ofStation {
                hasNew = announce(StreamID(station: station, kind: kind)) || hasNew
            }
        }
        return hasNew
    }

    /// Removes ergs without an open session, and their numbers.
    mutating func remove(_ stations: [StationID]) {
        for station in stations where state.stationStates[station]?.open == nil {
            state.stationStates[station] = nil
        }
    }

    /// From now on, checkpoints refer to this boot's clock.
    mutating func begin(boot bootID: String) { state.bootID = bootID }

    /// Switches to another ring, which holds the records of `found` before ours.
    ///
    /// - Parameter own: the state so far, with positions of that ring.
    mutating func move(_ own: RecorderState, behind found: RecorderState) {
        state = own
        state.follow(found)
    }

    /// Adds counts of sessions whose records the ring may not hold.
    mutating func addCounts(_ sums: [SessionID: SessionSum]) { state.addCounts(sums) }

    mutating func store(checkpoint: [UInt8], of station: StationID) {
        state.stationStates[station, default: .init()].checkpoint = checkpoint
    }

    /// Notes that an alert, in its stored form, has started or ended; `station` is nil for the
    /// gateway's own.
    mutating func note(alert stored: [UInt8], of station: StationID?) {
        state.stationStates[station, default: .init()].firing.apply(stored)
    }

    /// Notes that a session begins with the next record, at `position` of the ring.
    mutating func open(_ session: SessionID, of station: StationID, at position: UInt64) {
        state.open(session, of: station, at: position)
    }

    /// Notes the end of a session if it is the open one: its manifest is pending from now on.
    mutating func end(_ session: SessionID, at station: StationID, monitorStrokes: Int?) {
        state.end(session, of: station, monitorStrokes: monitorStrokes)
    }

    /// Adds ended sessions of another process's ring, whose manifests are pending.
    mutating func addPending(_ manifests: [RecorderState.EndedSession]) { state.ended += manifests }

    /// Notes that the manifest of a session is written.
    mutating func settle(_ session: SessionID) { state.settle(session.text) }

    mutating func assign(
        _ athlete: String?, until: AssignmentEnd, to station: StationID
    ) {
        state.stationStates[station, default: .init()].assignment.assign(athlete, until: until)
    }

    /// Notes that the end of a session has been recorded, which may end an assignment.
    mutating func ended(_ session: SessionID, at station: StationID) {
        state.stationStates[station]?.assignment.ended(session)
    }

    /// Stores the crews that commands defined.
    mutating func store(crews: [Crew]) { state.crews = crews }

    /// Stores entries that have numbers and are about to be written in this order.
    mutating func setPendingEntries(_ entries: [[UInt8]]) { state.pendingEntries = entries }

    /// Removes the first pending entry, which was written.
    mutating func removeFirstPendingEntry() { state.pendingEntries.removeFirst() }

    mutating func forget(_ athlete: String) { state = state.erasing(athlete) ?? state }
}
