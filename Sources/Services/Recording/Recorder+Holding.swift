/// Reports whose records would have to wait for the disk. Writes `held` and `numbering`.
///
/// A number names one record, whenever the power fails: so the ring knows of a stream for certain before
/// a record of it gets a number, and of all but the last 1024 numbers. The streams of the places that are
/// configured are known from the start; those of a place that comes later, or that a disk which stalls
/// keeps behind, wait here, and nobody else does.
extension Recorder {
    /// Puts aside what has to wait; returns the rest.
    func holdBack(_ batch: [StationNews]) -> [StationNews] {
        guard store.device.failure == nil else { return batch }
        let late = Set(held.map(\.station)).union(
            batch.map(\.station).filter { !numbering.isReserved($0) })
        guard !late.isEmpty else { return batch }
        held += batch.filter { late.contains($0.station) }
        if numbering.add(late.sorted()) { appendState() }
        commit()
        return batch.filter { !late.contains($0.station) }
    }

    /// Records what was put aside, as far as it need not wait any longer.
    func releaseHeld() {
        guard !held.isEmpty else { return }
        let reports = held
        held = []
        record(reports)
    }
}
