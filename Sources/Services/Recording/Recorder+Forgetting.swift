import Contract
import RingLog

/// What became of the wish to forget an athlete.
package enum Forgetting: Equatable, Sendable {
    /// So many records were erased or rid of the id; so many stretches of the ring cannot be read,
    /// and may hold anything.
    case done(records: Int, damagedRanges: Int)
    /// A session of theirs is open at this erg: its records are still being written.
    case rowing(StationID)
    case failed(String)
}

/// Erasing an athlete. Touches what others wrote to `store`; `numbering` by `forgetSeats`.
extension Recorder {
    /// Records of the ring looked at in one go; between two the log queue records on.
    private static let forgettingStretch = 2000

    /// Erases an athlete's records from the ring, the values kept of their sessions included, ends
    /// their assignments, and leaves no mention of the id in the file.
    ///
    /// Numbers stay: an erased record is passed over in deliveries, and declared there, and counts
    /// as gone in replays.
    package func forget(_ athlete: String) async -> Forgetting {
        for (station, streams) in numbering.state.streams {
            if let station, streams.open != nil, streams.assignment.athlete == athlete {
                return .rowing(station)
            }
        }
        do {
            // First of all: from here on nothing of theirs is written, and what opens the ring after
            // a cut is a state without them.
            forgetSeats(of: athlete)
            var erasure = AthleteErasure(of: athlete)
            _ = try await look { record in
                erasure.survey(record)
                return []
            }
            var summaries: [DurableMessage] = []
            var (count, damagedRanges) = try await look { record in
                let victims = erasure.victims(with: record)
                summaries += victims.compactMap { Self.summary($0.bytes) }
                return victims
            }
            count += try store.writer.overwrite(erasure.finish())
            for segment in store.writer.segments {
                try store.writer.scrub(segment: segment, snapshot: erasure.redacted)
                await Task.yield()
            }
            delivery.forgetReader()
            await reader.forget()
            takeBack(summaries)
            await durable()
            return .done(records: count, damagedRanges: damagedRanges)
        } catch {
            return .failed("\(error)")
        }
    }

    /// The summary that an entry is, if it is one.
    private static func summary(_ bytes: [UInt8]) -> DurableMessage? {
        guard case .message(let message)? = try? RingEntry.decode(bytes),
            message.kind == .summary
        else { return nil }
        return message
    }

    /// Passes every record once, and overwrites what `take` returns; returns how many that were, and
    /// how many stretches could not be read.
    private func look(
        _ take: (LogRecord) -> [AthleteErasure.Victim]
    ) async throws(RingLogError) -> (overwritten: Int, damagedRanges: Int) {
        try store.writer.flush()
        var reader = try LogReader(device: store.device)
        var overwritten = 0
        while true {
            var victims: [AthleteErasure.Victim] = []
            var isAtEnd = false
            for _ in 0..<Self.forgettingStretch where !isAtEnd {
                switch try reader.next() {
                case .record(let record)?: victims += take(record)
                case .gap?: break
                case nil: isAtEnd = true
                }
            }
            if !victims.isEmpty { overwritten += try store.writer.overwrite(victims) }
            if isAtEnd { return (overwritten, reader.damagedRanges) }
            await Task.yield()
        }
    }
}
