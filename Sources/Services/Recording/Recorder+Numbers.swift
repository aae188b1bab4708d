import Contract
import HostRuntime
import Rowing
import Timeline

/// Numbers and timestamps of records. Writes `numbering`.
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
