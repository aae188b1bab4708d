import MQTTPublishing
import RingLog
import Rowing

extension Journal {
    /// Counts and digest of a session's records, read back from the ring.
    ///
    /// Reading back proves what is on disk rather than what was meant to be, and needs no digest
    /// state that would have to survive a restart.
    func sessionManifest(_ open: JournalState.OpenSession, station: StationID) -> Manifest {
        let next = state.streams[station]?.next ?? JournalState.Numbers(repeating: 1)
        func count(_ kind: StreamKind) -> Int { Int(next[kind] - open.first[kind]) }
        let strokes = open.first[.stroke]..<next[.stroke]
        return Manifest(
            session: open.session,
            strokes: strokes.isEmpty ? nil : strokes.lowerBound...(strokes.upperBound - 1),
            strokeCount: strokes.count,
            strokeDigest: strokeDigest(strokes, station: station, from: open.position),
            forceCount: count(.force), splitCount: count(.split), gapCount: count(.gap))
    }

    private func strokeDigest(
        _ sequences: Range<UInt64>, station: StationID, from position: UInt64
    ) -> String {
        let digest = SHA256Digest()
        do throws(RingLogError) {
            var reader = try LogReader(
                device: storage.device, from: LogPosition(rawValue: position))
            while let item = try reader.next() {
                guard case .record(let record) = item, record.kind == RecordKind.entry,
                    case .message(let message)? = try? JournalEntry.decode(record.bytes),
                    message.station == station, message.kind == .stroke,
                    sequences.contains(message.sequence)
                else { continue }
                digest.update(message.payload)
            }
        } catch {
            log.error("a session's strokes could not be read back for its manifest: \(error)")
        }
        return digest.hexadecimal()
    }
}
