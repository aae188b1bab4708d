import Contract
import Glibc
import RingLog

/// The result of a request to erase an athlete.
package enum ErasureResult: Equatable, Sendable {
    /// The number of records erased or freed of the id, and of damaged ranges of the ring, which
    /// may hold anything.
    case done(records: Int, damagedRanges: Int)
    /// A session of the athlete is open at this erg: its records are still being written.
    case rowing(StationID)
    case failed(String)
}

/// Erases an athlete. Replaces stored records in `store`, and changes `numbering` by `endAssignments`.
///
/// The reader finds the data; this code replaces it in small steps.
extension Recorder {
    /// Records replaced per step; each requires reading its pages.
    private static let replacedAtOnce = 200

    /// Erases an athlete's records from the ring, including the raw values of their sessions, ends
    /// their assignments, and removes every mention of the id from the file.
    ///
    /// Numbers stay: deliveries skip and declare an erased record, and replays count it as lost.
    package func erase(_ athlete: String) async -> ErasureResult {
        for (station, stationState) in numbering.state.stationStates {
            if let station, stationState.open != nil, stationState.assignment.athlete == athlete {
                return .rowing(station)
            }
        }
        do {
            // First of all: from here on nothing of the athlete is written, and a process that
            // opens the ring after a power cut finds a state without the athlete.
            endAssignments(of: athlete)
            try store.writer.flush()
            let ring = store.writer.view
            let erasure = try await reader.survey(for: AthleteErasure(of: athlete), ring)
            var part = AthleteErasure.Part(erasure: erasure, next: ring.oldest)
            var (count, damagedRanges): (Int, Int) = (0, 0)
            var summaries: [DurableMessage] = []
            repeat {
                part = try await reader.replacements(of: part.erasure, from: part.next, ring)
                if part.isAtEnd { part.replacements += part.erasure.finish() }
                summaries += part.replacements.compactMap { Self.summary($0.bytes) }
                count += try await replace(part.replacements, in: ring)
                damagedRanges += part.damagedRanges
            } while !part.isAtEnd
            for segment in store.writer.segments {
                try await scrub(segment, part.erasure, in: ring)
            }
            delivery.forgetReader()
            await reader.forget()
            clearRetainedSummaries(summaries)
            await durable()
            return .done(records: count, damagedRanges: damagedRanges)
        } catch {
            return .failed("\(error)")
        }
    }

    /// Returns how many records were replaced.
    private func replace(
        _ replacements: [AthleteErasure.Replacement], in ring: LogView
    ) async throws(RingLogError) -> Int {
        var count = 0
        for start in stride(from: 0, to: replacements.count, by: Self.replacedAtOnce) {
            try expectInUse(ring)
            let end = min(start + Self.replacedAtOnce, replacements.count)
            count += try store.writer.overwrite(Array(replacements[start..<end]))
            await Task.yield()
        }
        return count
    }

    /// Erases leftovers next to the records of a segment.
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

    /// Another ring may have replaced it.
    private func expectInUse(_ ring: LogView) throws(RingLogError) {
        guard ring.device === store.device else {
            throw RingLogError(.locate, code: ESTALE, path: store.device.path)
        }
    }

    /// Returns the summary that an entry holds, if any.
    private static func summary(_ bytes: [UInt8]) -> DurableMessage? {
        guard case .message(let message)? = try? RingEntry.decode(bytes),
            message.kind == .summary
        else { return nil }
        return message
    }
}
