import Contract
import HostRuntime
import Rowing
import Timeline

/// The number that a record gets, and the clock that its time comes from. Writes `numbering`.
extension Recorder {
    /// Makes sure that the next number of a stream names one record, whenever the power fails.
    func reserveNumber(of stream: StreamID) {
        if let skipped = numbering.takeSkipped(stream) {
            log.warning("\(stream.path) goes on behind \(skipped), which were not durable")
            write(
                GatewayEvent.ringDropped(stream: stream, sequences: skipped, reason: .notDurable),
                station: nil, at: runtime.now(), context: RecordContext(clock: readClock()))
        }
        guard !numbering.isReserved(stream) else { return }
        if numbering.announce(stream) { appendState() }
        if store.device.failure == nil { commit() }
        guard !numbering.isReserved(stream) else { return }
        if store.device.isInMemoryAlone {
            numbering.countAsDurable(stream)
        } else {
            beginEpoch(because: "the disk does not take the numbers")
        }
    }

    /// From now on numbers belong to an epoch of which no disk knows; what was given out before is
    /// declared to be in another.
    func beginEpoch(because reason: String) {
        let taken = numbering.begin(epoch: runtime.makeULID().description)
        log.notice("a new epoch begins, \(epoch): \(reason)")
        appendState()
        for (stream, next) in taken {
            record(.ringDropped(stream: stream, sequences: 1...next - 1, reason: .earlierEpoch))
        }
        outlet.epochChanged()
    }

    /// The mapping to use now. That the wall clock was set is an event, and the recorder alone
    /// records it: each record that it stamps must stand on the right side of it.
    func readClock() -> WallClock {
        let (clock, step) = numbering.read(runtime.wall())
        if let step {
            write(
                GatewayEvent.clockStepped(milliseconds: step), station: nil, at: runtime.now(),
                context: RecordContext(clock: clock))
            flush()
            outlet.recordsAvailable()
        }
        return clock
    }

    /// Places that left the configuration are remembered for their numbers, up to a point: where
    /// there have been too many, all numbers begin in a new epoch, in which nobody has any.
    func dropFormerStations() {
        guard formerStations.count > RecorderState.maximumFormerStations else { return }
        numbering.remove(formerStations)
        beginEpoch(because: "\(formerStations.count) former ergs are forgotten")
    }
}
