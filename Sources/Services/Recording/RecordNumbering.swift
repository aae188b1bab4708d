import Contract
import HostRuntime
import Insights
import Rowing
import Timeline

/// Assigns numbers and timestamps to records, and holds the state that a restart needs.
///
/// Pure: no clock, no ring. The recorder calls it before it writes, and reports durable
/// commits. Of the positions of a stream (RecordLife.md) it owns three: the last assigned number,
/// the last durable one, and the last acknowledged one. Confined to the log queue.
final class RecordNumbering {
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
    func read(_ fresh: WallClock) -> (clock: WallClock, step: Int64?) {
        let before = wallClock.mapping
        let clock = wallClock.read(fresh)
        let step = clock.unixMillisecondsAtBoot - (before ?? clock).unixMillisecondsAtBoot
        return (clock, abs(step) >= WallClock.step ? step : nil)
    }

    // MARK: - Assigning numbers

    /// Assigns the next number of a stream, and a timestamp later than its last record's.
    func assign(
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
    func consumeSkipped(_ stream: StreamID) -> ClosedRange<UInt64>? {
        state.consumeSkipped(stream)
    }

    /// Notes that a stream will have records. Returns whether the ring must store that first.
    func announce(_ stream: StreamID) -> Bool {
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
    func commitBegan() {
        committing = state.stationStates.mapValues { stationState in
            var numbers = StreamNumbers(repeating: 0)
            for kind in stationState.announced { numbers[kind] = stationState.upcoming(kind) }
            return numbers
        }
    }

    /// Notes that the commit is durable.
    func commitIsDurable() {
        isEpochOnDisk = true
        durable.merge(committing) { $0.highest($1) }
        committing = [:]
    }

    /// Counts streams that were read from the ring as durable, except those with skipped numbers.
    func countReadAsDurable() {
        for stream in state.announcedStreams
        where state.stationStates[stream.station]?.skipped[stream.kind] == 0 { countAsDurable(stream) }
    }

    /// Counts a stream as durable because no disk has its numbers, so that no process can reuse them.
    func countAsDurable(_ stream: StreamID) {
        durable[stream.station, default: StreamNumbers(repeating: 0)][stream.kind] =
            state.upcoming(stream)
    }

    /// Starts `epoch`, which no disk has stored. Returns each stream with numbers of earlier epochs, and its
    /// first number in this one.
    func begin(epoch: String) -> [(stream: StreamID, next: UInt64)] {
        state.epoch = epoch
        state.knowsEveryKind = true
        isEpochOnDisk = false
        let firstNumbers = state.announcedStreams.map { (stream: $0, next: state.upcoming($0)) }
            .filter { $0.next > 1 }.sorted { $0.stream.path < $1.stream.path }
        for stream in state.announcedStreams { countAsDurable(stream) }
        return firstNumbers
    }

    /// Notes that the broker has acknowledged this record and all before it.
    func acknowledge(_ sequence: UInt64, of stream: StreamID) {
        state.acknowledge(sequence, stream.kind, of: stream.station)
    }

    // MARK: - Ergs, sessions and athletes

    /// Adds the streams of ergs and of the gateway, so that their first records need not wait. Returns
    /// whether any was new.
    func add(_ stations: [StationID]) -> Bool {
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
    func remove(_ stations: [StationID]) {
        for station in stations where state.stationStates[station]?.open == nil {
            state.stationStates[station] = nil
        }
    }

    /// From now on, checkpoints refer to this boot's clock.
    func begin(boot bootID: String) { state.bootID = bootID }

    /// Switches to another ring, which holds the records of `found` before ours.
    ///
    /// - Parameter own: the state so far, with positions of that ring.
    func move(_ own: RecorderState, behind found: RecorderState) {
        state = own
        state.follow(found)
    }

    /// Adds counts of sessions whose records the ring may not hold.
    func addCounts(_ sums: [SessionID: SessionSum]) { state.addCounts(sums) }

    func store(checkpoint: [UInt8], of station: StationID) {
        state.stationStates[station, default: .init()].checkpoint = checkpoint
    }

    /// Notes that an alert, in its stored form, has started or ended; `station` is nil for the
    /// gateway's own.
    func note(alert stored: [UInt8], of station: StationID?) {
        state.stationStates[station, default: .init()].firing.apply(stored)
    }

    /// Notes that a session begins with the next record, at `position` of the ring.
    func open(_ session: SessionID, of station: StationID, at position: UInt64) {
        state.open(session, of: station, at: position)
    }

    /// Notes the end of a session if it is the open one: its manifest is pending from now on.
    func end(_ session: SessionID, at station: StationID, monitorStrokes: Int?) {
        state.end(session, of: station, monitorStrokes: monitorStrokes)
    }

    /// Adds ended sessions of another process's ring, whose manifests are pending.
    func addPending(_ manifests: [RecorderState.EndedSession]) { state.ended += manifests }

    /// Notes that the manifest of a session is written.
    func settle(_ session: SessionID) { state.settle(session.text) }

    func assign(
        _ athlete: String?, until: AssignmentEnd, to station: StationID
    ) {
        state.stationStates[station, default: .init()].assignment.assign(athlete, until: until)
    }

    /// Notes that the end of a session has been recorded, which may end an assignment.
    func ended(_ session: SessionID, at station: StationID) {
        state.stationStates[station]?.assignment.ended(session)
    }

    /// Stores the crews that commands defined.
    func store(crews: [Crew]) { state.crews = crews }

    /// Stores entries that have numbers and are about to be written in this order.
    func setPendingEntries(_ entries: [[UInt8]]) { state.pendingEntries = entries }

    /// Removes the first pending entry, which was written.
    func removeFirstPendingEntry() { state.pendingEntries.removeFirst() }

    func forget(_ athlete: String) { state = state.erasing(athlete) ?? state }
}

/// Numbers and timestamps of records.
extension Recorder {
    /// Makes sure that each of the next `count` numbers of a stream identifies one record even
    /// after a power cut.
    func reserveNumber(of stream: StreamID, count: UInt64 = 1) {
        if let skipped = numbering.consumeSkipped(stream) {
            // One line per stream and erg; the line about the opened ring covers all.
            log.debug("\(stream.path) skips \(skipped), which were not durable")
            write(
                GatewayEvent.ringDropped(stream: stream, sequences: skipped, reason: .notDurable),
                station: nil, at: runtime.now(), context: RecordContext(clock: readClock()))
        }
        guard !numbering.isReserved(stream, count: count) else { return }
        if numbering.announce(stream) { appendState() }
        if store.device.failure == nil { commit() }
        guard !numbering.isReserved(stream, count: count) else { return }
        if store.device.isOnlyInMemory || !numbering.isEpochOnDisk {
            numbering.countAsDurable(stream)
        } else {
            beginEpoch(because: "the disk does not store the numbers")
        }
    }

    /// Starts an epoch that no disk knows, and records an event with the first number of each
    /// stream.
    func beginEpoch(because reason: String) {
        let firstNumbers = numbering.begin(epoch: runtime.makeULID().description)
        log.notice("new epoch \(epoch) of record numbers: \(reason)")
        appendState()
        // As many as fit into a record, however long the names of the ergs are.
        for start in stride(from: 0, to: max(firstNumbers.count, 1), by: 200) {
            let part = firstNumbers[start..<min(start + 200, firstNumbers.count)].map { ($0.stream, $0.next) }
            record(
                .epochBegan(
                    reason: reason, firstSequences: Dictionary(uniqueKeysWithValues: part)))
        }
        callbacks.epochChanged()
    }

    /// Returns the current clock mapping. Only the recorder records that the wall clock was set, so
    /// that each record is on the right side of that event.
    func readClock() -> WallClock {
        let (clock, step) = numbering.read(runtime.wall())
        if let step {
            log.scoped(to: "clock").notice(
                "set \(step < 0 ? "back" : "forward") by \(abs(step) / 1000) s; published as an event")
            write(
                GatewayEvent.clockStepped(milliseconds: step), station: nil, at: runtime.now(),
                context: RecordContext(clock: clock))
            flush()
            callbacks.recordsAvailable()
        }
        return clock
    }

    /// An earlier version of rowgate stores no numbers of kinds that it does not know, so it is
    /// unknown whether records of those kinds exist: all numbers start in a new epoch.
    func renumberNewKinds() {
        guard !numbering.knowsEveryKind else { return }
        beginEpoch(because: "an older version of rowgate used the ring and stored no numbers of some streams")
    }

    /// Numbers of ergs that left the configuration are stored up to a limit. Beyond it, all numbers
    /// start in a new epoch, which has none of those ergs.
    func dropFormerStations() {
        guard formerStations.count > RecorderState.maximumFormerStations else { return }
        numbering.remove(formerStations)
        beginEpoch(because: "\(formerStations.count) former ergs were removed")
    }
}

/// Keeps the timestamps of an erg's records increasing when the wall clock is set back.
///
/// `ts_ms` increases from record to record, and the difference between two strokes is the elapsed
/// time. After the clock was set back, for example by a year, the old count continues at the pace
/// of the boot clock until the wall clock has caught up. Such a timestamp is not marked as
/// synchronized.
struct MonotonicTimestamps {
    /// A timestamp further ahead of the wall clock, in milliseconds, counts as not synchronized.
    static let tolerance: Int64 = 1000

    private var last: [StationID?: (at: BootInstant, unixMilliseconds: Int64)] = [:]

    /// Returns the timestamp for a record at `instant`, for which the wall clock shows
    /// `unixMilliseconds`.
    func time(_ unixMilliseconds: Int64, of station: StationID?, at instant: BootInstant) -> Int64 {
        guard let last = last[station], unixMilliseconds <= last.unixMilliseconds else {
            return unixMilliseconds
        }
        return last.unixMilliseconds + last.at.duration(to: instant).wholeMilliseconds
    }

    /// Stores the timestamp of a record of an erg. A record about an earlier instant than the last
    /// does not mean that the clock was set back.
    mutating func note(_ unixMilliseconds: Int64, of station: StationID?, at instant: BootInstant) {
        last[station] = (max(instant, last[station]?.at ?? instant), unixMilliseconds)
    }
}

/// One number per kind of stream.
struct StreamNumbers: Equatable {
    private var values: [UInt64]

    init(repeating value: UInt64) {
        values = Array(repeating: value, count: StreamKind.allCases.count)
    }

    subscript(kind: StreamKind) -> UInt64 {
        get { values[Int(kind.rawValue) - 1] }
        set { values[Int(kind.rawValue) - 1] = newValue }
    }

    /// The higher number of each kind.
    func highest(_ other: StreamNumbers) -> StreamNumbers {
        var highest = self
        for index in values.indices where other.values[index] > values[index] {
            highest.values[index] = other.values[index]
        }
        return highest
    }
}
