import Contract
import RingLog

/// What of the ring is an athlete's: takes its records in their order, returns what is to be erased.
///
/// Pure. Theirs are the messages that name them, what belongs to their sessions without naming
/// anybody, the values and checkpoints kept meanwhile, and every mention in a stored `RecorderState`.
/// An alert of another that they have seen stays, without their name.
struct AthleteErasure: Sendable {
    /// What was found in a part of the ring, and what is known behind it.
    struct Part: Sendable {
        var erasure: AthleteErasure
        var victims: [Victim] = []
        var damagedRanges = 0
        /// Where to go on.
        var next: LogPosition
        var isAtEnd = false
    }

    /// A record and the bytes that are to take its place, as many as it has.
    typealias Victim = (position: LogPosition, bytes: [UInt8])

    /// Values that may belong to a session that begins later: those of its lead-in, with what a
    /// session takes to be noticed.
    private static let leadIn = RawWindow.leadIn * 2

    private struct Place: Sendable {
        /// Whose the last message was.
        var isTheirs = false
        /// Values since, as old as a lead-in at most.
        var recent: [(RawNotification, LogPosition)] = []
    }

    private let athlete: String
    private var sessions: OwnedSessions
    private var places: [StationID: Place] = [:]

    init(of athlete: String) {
        self.athlete = athlete
        sessions = OwnedSessions(of: athlete)
    }

    /// Takes note of whose session a record is of. All records come here before the first goes to
    /// `victims`: an athlete may be assigned in the middle of a session.
    mutating func survey(_ record: LogRecord) {
        if case .message(let message)? = Self.entry(record) { sessions.note(message) }
    }

    /// What is to be replaced now that `record` has been seen.
    mutating func victims(with record: LogRecord) -> [Victim] {
        if record.kind == RingRecordKind.state {
            return redacted(state: record.bytes).map { [(record.position, $0)] } ?? []
        }
        switch Self.entry(record) {
        case .message(let message)?: return victims(with: message, at: record.position)
        case .notification(let raw)?: return victims(with: raw, at: record.position)
        case .checkpoint(let station, let bytes)?:
            guard places[station]?.isTheirs == true, bytes.contains(where: { $0 != 0 }) else {
                return []
            }
            let blank = [UInt8](repeating: 0, count: bytes.count)
            return [
                (record.position, RingEntry.checkpoint(station: station, bytes: blank).encode())
            ]
        case nil: return []
        }
    }

    /// What else is to be replaced, now that there are no more records.
    mutating func finish() -> [Victim] {
        defer { places = [:] }
        return places.values.filter(\.isTheirs).flatMap { Self.blank($0.recent) }
    }

    /// A state without the athlete, as long as `bytes`; nil if it does not mention them.
    func redacted(state bytes: [UInt8]) -> [UInt8]? {
        guard let state = RecorderState(decoding: bytes),
            let redacted = state.forgetting(athlete)?.encode()
        else { return nil }
        // An older layout can be shorter than ours. A later state is in the ring by now, so that
        // nobody needs this one.
        let kept = redacted.count <= bytes.count ? redacted : []
        return kept + [UInt8](repeating: 0, count: bytes.count - kept.count)
    }

    private mutating func victims(
        with message: DurableMessage, at position: LogPosition
    ) -> [Victim] {
        let isTheirs = sessions.owns(message)
        var victims: [Victim] = []
        let rest = isTheirs ? message.erased : message.withoutAcknowledger(athlete)
        if let rest { victims.append((position, RingEntry.message(rest).encode())) }
        guard let station = message.station, !message.isErased else { return victims }
        // The lead-in of a session stands before its first message.
        if isTheirs { victims += Self.blank(places[station]?.recent ?? []) }
        places[station] = Place(isTheirs: isTheirs)
        return victims
    }

    private mutating func victims(
        with raw: RawNotification, at position: LogPosition
    ) -> [Victim] {
        var place = places[raw.station] ?? Place()
        let oldest =
            raw.bootMilliseconds
            - min(
                raw.bootMilliseconds, UInt64(Self.leadIn.wholeMilliseconds))
        let settled = place.recent.prefix {
            $0.0.bootMilliseconds < oldest || $0.0.bootMilliseconds > raw.bootMilliseconds
        }
        place.recent.removeFirst(settled.count)
        place.recent.append((raw, position))
        places[raw.station] = place
        return place.isTheirs ? Self.blank(settled) : []
    }

    private static func blank(_ values: some Sequence<(RawNotification, LogPosition)>) -> [Victim] {
        values.filter { $0.0.bytes.contains { $0 != 0 } }
            .map { ($0.1, RingEntry.notification($0.0.erased).encode()) }
    }

    private static func entry(_ record: LogRecord) -> RingEntry? {
        guard record.kind == RingRecordKind.entry else { return nil }
        // What does not decode is a later version's.
        return (try? RingEntry.decode(record.bytes)) ?? nil
    }
}

/// Whose records are whose.
private struct OwnedSessions: Sendable {
    let athlete: String
    private var own: Set<String> = []

    init(of athlete: String) { self.athlete = athlete }

    mutating func note(_ message: DurableMessage) {
        if message.athlete == athlete, let session = message.session { own.insert(session) }
    }

    /// Theirs by name, or part of a session of theirs and of nobody else by name.
    func owns(_ message: DurableMessage) -> Bool {
        if let named = message.athlete { return named == athlete }
        return message.session.map(own.contains) ?? false
    }
}

extension DurableMessage {
    fileprivate var athlete: String? { StoredRecord.text(of: "athlete_id", in: payload) }
}
