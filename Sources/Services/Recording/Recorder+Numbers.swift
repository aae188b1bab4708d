import Contract
import HostRuntime
import Rowing
import Timeline

/// The number that a record gets, and the clock that its time comes from. Writes `numbering`.
extension Recorder {
    /// Makes sure that each of the next `count` numbers of a stream names one record, whenever the power
    /// fails.
    func reserveNumber(of stream: StreamID, count: UInt64 = 1) {
        if let skipped = numbering.takeSkipped(stream) {
            // One for each stream of each erg: the line on the ring that was opened stands for all.
            log.debug("\(stream.path) goes on behind \(skipped), which were not durable")
            write(
                GatewayEvent.ringDropped(stream: stream, sequences: skipped, reason: .notDurable),
                station: nil, at: runtime.now(), context: RecordContext(clock: readClock()))
        }
        guard !numbering.isReserved(stream, count: count) else { return }
        if numbering.announce(stream) { appendState() }
        if store.device.failure == nil { commit() }
        guard !numbering.isReserved(stream, count: count) else { return }
        if store.device.isInMemoryAlone || !numbering.isEpochOnDisk {
            numbering.countAsDurable(stream)
        } else {
            beginEpoch(because: "the disk does not take the numbers")
        }
    }

    /// From now on numbers belong to an epoch of which no disk knows; an event says so, and with
    /// which number each stream goes on.
    func beginEpoch(because reason: String) {
        let taken = numbering.begin(epoch: runtime.makeULID().description)
        log.notice("records are numbered anew, in epoch \(epoch): \(reason)")
        appendState()
        // What fits into a record, however long the names of the ergs are.
        for start in stride(from: 0, to: max(taken.count, 1), by: 200) {
            let part = taken[start..<min(start + 200, taken.count)].map { ($0.stream, $0.next) }
            record(
                .epochBegan(
                    reason: reason, firstSequences: Dictionary(uniqueKeysWithValues: part)))
        }
        outlet.epochChanged()
    }

    /// The mapping to use now. That the wall clock was set is an event, and the recorder alone
    /// records it: each record that it stamps must stand on the right side of it.
    func readClock() -> WallClock {
        let (clock, step) = numbering.read(runtime.wall())
        if let step {
            log.scoped(to: "clock").notice(
                "set \(step < 0 ? "back" : "forward") by \(abs(step) / 1000) s; receivers are told")
            write(
                GatewayEvent.clockStepped(milliseconds: step), station: nil, at: runtime.now(),
                context: RecordContext(clock: clock))
            flush()
            outlet.recordsAvailable()
        }
        return clock
    }

    /// An earlier version of rowgate keeps no numbers of kinds that it does not know, and whether there
    /// were any before it, nobody can tell: all numbers begin in a new epoch.
    func renumberNewKinds() {
        guard !numbering.knowsEveryKind else { return }
        beginEpoch(because: "an older rowgate had the ring, which kept no numbers of some streams")
    }

    /// Places that left the configuration are remembered for their numbers, up to a point: where
    /// there have been too many, all numbers begin in a new epoch, in which nobody has any.
    func dropFormerStations() {
        guard formerStations.count > RecorderState.maximumFormerStations else { return }
        numbering.remove(formerStations)
        beginEpoch(because: "\(formerStations.count) former ergs are forgotten")
    }
}
