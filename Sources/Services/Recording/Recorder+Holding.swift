/// Reports whose records would have to wait for the disk. Writes `heldUpdates` and `numbering`.
///
/// A number identifies one record even after a power cut. Therefore the ring must have stored a
/// stream before its first record gets a number, and all but the last 1024 numbers. The streams of
/// configured ergs are stored at the start. Reports of an erg that appears later, or that is
/// blocked by a stalled disk, wait here; all others continue.
extension Recorder {
    /// Sets aside the reports that must wait; returns the others.
    func holdBackUpdates(_ batch: [StationUpdate]) -> [StationUpdate] {
        guard store.device.failure == nil else { return batch }
        let late = Set(heldUpdates.map(\.station)).union(
            batch.map(\.station).filter { !numbering.isReserved($0) })
        guard !late.isEmpty else { return batch }
        heldUpdates += batch.filter { late.contains($0.station) }
        if numbering.add(late.sorted()) { appendState() }
        commit()
        return batch.filter { !late.contains($0.station) }
    }

    /// Records the reports that no longer have to wait.
    func releaseHeldUpdates() {
        guard !heldUpdates.isEmpty else { return }
        let reports = heldUpdates
        heldUpdates = []
        record(reports)
    }
}
