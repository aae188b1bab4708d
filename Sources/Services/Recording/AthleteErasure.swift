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

/// Erases an athlete.
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
            cursorReader.forgetReader()
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

/// Finds an athlete's data in the ring: receives the records in order and returns those to erase.
///
/// Pure. Erases messages that name the athlete, nameless records of the athlete's sessions, the raw values
/// and checkpoints stored meanwhile, and every mention in a stored `RecorderState`. An alert of another
/// athlete that this one acknowledged stays, without the name.
struct AthleteErasure: Sendable {
    /// The result for a part of the ring, and the state behind it.
    struct Part: Sendable {
        var erasure: AthleteErasure
        var replacements: [Replacement] = []
        var damagedRanges = 0
        /// Where to continue.
        var next: LogPosition
        var isAtEnd = false
    }

    /// A record and the bytes that replace it, of the same length.
    typealias Replacement = (position: LogPosition, bytes: [UInt8])

    /// Raw values this long before a session belong to it: its lead-in, and the time until a
    /// session is noticed.
    private static let leadIn = RawWindow.leadIn * 2

    private struct StationProgress: Sendable {
        /// Whether the last message belonged to the athlete.
        var isTheirs = false
        /// Raw values since then, at most as old as a lead-in.
        var recent: [(RawNotification, LogPosition)] = []
    }

    private let athlete: String
    private var sessions: OwnedSessions
    private var stations: [StationID: StationProgress] = [:]

    init(of athlete: String) {
        self.athlete = athlete
        sessions = OwnedSessions(of: athlete)
    }

    /// Notes the session and athlete of a record. All records pass here before the first passes
    /// `replacements`, because an athlete may be assigned in the middle of a session.
    mutating func survey(_ record: LogRecord) {
        if case .message(let message)? = Self.entry(record) { sessions.note(message) }
    }

    /// Returns the records to replace after `record`.
    mutating func replacements(with record: LogRecord) -> [Replacement] {
        if record.kind == RingRecordKind.state {
            return redacted(state: record.bytes).map { [(record.position, $0)] } ?? []
        }
        switch Self.entry(record) {
        case .message(let message)?: return replacements(with: message, at: record.position)
        case .notification(let raw)?: return replacements(with: raw, at: record.position)
        case .checkpoint(let station, let bytes)?:
            guard stations[station]?.isTheirs == true, bytes.contains(where: { $0 != 0 }) else {
                return []
            }
            let blank = [UInt8](repeating: 0, count: bytes.count)
            return [
                (record.position, RingEntry.checkpoint(station: station, bytes: blank).encode())
            ]
        case nil: return []
        }
    }

    /// Returns the remaining records to replace, after the last record.
    mutating func finish() -> [Replacement] {
        defer { stations = [:] }
        return stations.values.filter(\.isTheirs).flatMap { Self.blank($0.recent) }
    }

    /// Returns a state of the same length without the athlete; nil if `bytes` do not mention the
    /// athlete.
    func redacted(state bytes: [UInt8]) -> [UInt8]? {
        guard let state = RecorderState(decoding: bytes),
            let redacted = state.erasing(athlete)?.encode()
        else { return nil }
        // An older layout can be shorter than ours. The ring holds a later state by now, so that
        // this one is not needed.
        let content = redacted.count <= bytes.count ? redacted : []
        return content + [UInt8](repeating: 0, count: bytes.count - content.count)
    }

    private mutating func replacements(
        with message: DurableMessage, at position: LogPosition
    ) -> [Replacement] {
        let isTheirs = sessions.owns(message)
        var replacements: [Replacement] = []
        let rest = isTheirs ? message.erased : message.withoutAcknowledger(athlete)
        if let rest { replacements.append((position, RingEntry.message(rest).encode())) }
        guard let station = message.station, !message.isErased else { return replacements }
        // The lead-in of a session precedes its first message.
        if isTheirs { replacements += Self.blank(stations[station]?.recent ?? []) }
        stations[station] = StationProgress(isTheirs: isTheirs)
        return replacements
    }

    private mutating func replacements(
        with raw: RawNotification, at position: LogPosition
    ) -> [Replacement] {
        var place = stations[raw.station] ?? StationProgress()
        let oldest =
            raw.bootMilliseconds
            - min(
                raw.bootMilliseconds, UInt64(Self.leadIn.wholeMilliseconds))
        let settled = place.recent.prefix {
            $0.0.bootMilliseconds < oldest || $0.0.bootMilliseconds > raw.bootMilliseconds
        }
        place.recent.removeFirst(settled.count)
        place.recent.append((raw, position))
        stations[raw.station] = place
        return place.isTheirs ? Self.blank(settled) : []
    }

    private static func blank(_ values: some Sequence<(RawNotification, LogPosition)>) -> [Replacement] {
        values.filter { $0.0.bytes.contains { $0 != 0 } }
            .map { ($0.1, RingEntry.notification($0.0.erased).encode()) }
    }

    private static func entry(_ record: LogRecord) -> RingEntry? {
        guard record.kind == RingRecordKind.entry else { return nil }
        // A record that cannot be decoded was written by a later version.
        return (try? RingEntry.decode(record.bytes)) ?? nil
    }
}

/// The sessions of the athlete and of others.
private struct OwnedSessions: Sendable {
    let athlete: String
    private var own: Set<String> = []

    init(of athlete: String) { self.athlete = athlete }

    mutating func note(_ message: DurableMessage) {
        if message.athlete == athlete, let session = message.session { own.insert(session) }
    }

    /// Whether a message names the athlete, or belongs to a session of the athlete and names no
    /// other.
    func owns(_ message: DurableMessage) -> Bool {
        if let named = message.athlete { return named == athlete }
        return message.session.map(own.contains) ?? false
    }
}

extension DurableMessage {
    fileprivate var athlete: String? { StoredRecord.text(of: "athlete_id", in: payload) }
}
