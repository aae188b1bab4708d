import Bytes
import Contract
import HostRuntime
import RingLog

extension Recorder {
    /// Counts and digest of a session's records, read back from the ring.
    ///
    /// Reading back proves what is on disk rather than what was meant to be, and needs no digest
    /// state that would have to survive a restart. Numbers alone would not do: some may have been
    /// passed over.
    func sessionManifest(_ open: RecorderState.OpenSession, station: StationID) -> Manifest {
        let next = state.streams[station]?.next ?? RecorderState.Numbers(repeating: 1)
        let digest = SHA256Digest()
        var counts: [StreamKind: Int] = [:]
        var strokes: ClosedRange<UInt64>?
        forEachMessage(from: open.position) { message in
            let kind = message.kind
            guard message.station == station, message.sequence >= open.first[kind],
                message.sequence < next[kind]
            else { return }
            counts[kind, default: 0] += 1
            guard kind == .stroke else { return }
            digest.update(message.payload)
            strokes = (strokes?.lowerBound ?? message.sequence)...message.sequence
        }
        return Manifest(
            session: open.session, strokes: strokes, strokeCount: counts[.stroke] ?? 0,
            strokeDigest: digest.hexadecimal(), forceCount: counts[.force] ?? 0,
            splitCount: counts[.split] ?? 0, gapCount: counts[.gap] ?? 0)
    }

    private func forEachMessage(from position: UInt64, _ body: (DurableMessage) -> Void) {
        do throws(RingLogError) {
            var reader = try LogReader(
                device: storage.device, from: LogPosition(rawValue: position))
            while let item = try reader.next() {
                if case .record(let record) = item, let message = Self.message(record) {
                    body(message)
                }
            }
        } catch {
            log.error("a session could not be read back for its manifest: \(error)")
        }
    }
}
