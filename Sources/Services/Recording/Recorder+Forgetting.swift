import Contract
import Glibc
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
///
/// The reader finds what is to go; here it is replaced, a little at a time.
extension Recorder {
    /// Records replaced in one go; each takes the reading of its pages.
    private static let replacedAtOnce = 200

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
            try store.writer.flush()
            let ring = store.writer.view
            let erasure = try await reader.survey(for: AthleteErasure(of: athlete), ring)
            var part = AthleteErasure.Part(erasure: erasure, next: ring.oldest)
            var (count, damagedRanges): (Int, Int) = (0, 0)
            var summaries: [DurableMessage] = []
            repeat {
                part = try await reader.victims(of: part.erasure, from: part.next, ring)
                if part.isAtEnd { part.victims += part.erasure.finish() }
                summaries += part.victims.compactMap { Self.summary($0.bytes) }
                count += try await replace(part.victims, in: ring)
                damagedRanges += part.damagedRanges
            } while !part.isAtEnd
            for segment in store.writer.segments {
                try await scrub(segment, part.erasure, in: ring)
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

    /// Returns how many there still were.
    private func replace(
        _ victims: [AthleteErasure.Victim], in ring: LogView
    ) async throws(RingLogError) -> Int {
        var count = 0
        for start in stride(from: 0, to: victims.count, by: Self.replacedAtOnce) {
            try expectInUse(ring)
            let end = min(start + Self.replacedAtOnce, victims.count)
            count += try store.writer.overwrite(Array(victims[start..<end]))
            await Task.yield()
        }
        return count
    }

    /// Leaves nothing beside the records of a segment.
    private func scrub(
        _ segment: UInt64, _ erasure: AthleteErasure, in ring: LogView
    ) async throws(RingLogError) {
        var isDone = false
        while !isDone {
            try store.writer.flush()
            let view = store.writer.view
            let remains = try await reader.remains(in: segment, view)
            try expectInUse(ring)
            isDone = try store.writer.scrub(
                segment: segment, remains, seenIn: view, snapshot: erasure.redacted)
        }
    }

    /// Another ring may have come back to its place.
    private func expectInUse(_ ring: LogView) throws(RingLogError) {
        guard ring.device === store.device else {
            throw RingLogError(.locate, code: ESTALE, path: store.device.path)
        }
    }

    /// The summary that an entry is, if it is one.
    private static func summary(_ bytes: [UInt8]) -> DurableMessage? {
        guard case .message(let message)? = try? RingEntry.decode(bytes),
            message.kind == .summary
        else { return nil }
        return message
    }
}
