import MQTTPublishing
import RingLog
import Rowing

/// What became of the wish to forget an athlete.
enum Forgetting: Equatable, Sendable {
    /// So many records were erased, raw values included.
    case done(records: Int)
    /// A session of theirs is open at this erg: its records are still being written.
    case rowing(StationID)
    case failed(String)
}

/// Whose records are whose, found by looking through the ring once.
private struct OwnedSessions {
    let mark: [UInt8]
    private(set) var own: Set<String> = []

    init(of athlete: String) { mark = Array("\"athlete_id\":\"\(athlete)\"".utf8) }

    mutating func note(_ message: DurableMessage) {
        guard message.payload.firstRange(of: mark) != nil, let session = message.session else {
            return
        }
        own.insert(session)
    }

    /// Theirs by name, or part of a session of theirs and of nobody else by name.
    func owns(_ message: DurableMessage) -> Bool {
        if message.payload.firstRange(of: mark) != nil { return true }
        guard let session = message.session, own.contains(session) else { return false }
        return message.payload.firstRange(of: Array("\"athlete_id\":".utf8)) == nil
    }
}

extension Journal {
    /// Entries of the ring looked at in one go; between two the log queue records on.
    private static let forgettingStretch = 2000

    /// Erases an athlete's records from the ring, the raw values of their sessions included, and
    /// ends their assignments.
    ///
    /// Numbers stay: an erased record is passed over in deliveries and counts as gone in replays.
    /// The opaque id alone may stay in the heads of segments until these are overwritten.
    func forget(_ athlete: String) async -> Forgetting {
        for (station, streams) in state.streams {
            if let station, streams.open != nil, streams.seating.athlete == athlete {
                return .rowing(station)
            }
        }
        do {
            var sessions = OwnedSessions(of: athlete)
            try await look { entry, _ in
                if case .message(let message) = entry { sessions.note(message) }
            }
            var inside: Set<StationID> = []
            var victims: [(position: LogPosition, bytes: [UInt8])] = []
            try await look { entry, position in
                let erased = Self.erased(entry, by: sessions, &inside)
                if let erased { victims.append((position, erased.encode())) }
            }
            let count = try storage.writer.overwrite(victims)
            forgetSeats(of: athlete, clearing: victims.compactMap { Self.summary($0.bytes) })
            delivery.reader.forget()
            delivery.replayReader.forget()
            return .done(records: count)
        } catch {
            return .failed("\(error)")
        }
    }

    /// What an entry is to become; nil leaves it. Raw values are theirs from the first record of a
    /// session of theirs to its last.
    private static func erased(
        _ entry: JournalEntry, by sessions: OwnedSessions, _ inside: inout Set<StationID>
    ) -> JournalEntry? {
        switch entry {
        case .message(let message):
            guard sessions.owns(message), !message.isErased else { return nil }
            if let station = message.station {
                if message.kind == .manifest {
                    inside.remove(station)
                } else {
                    inside.insert(station)
                }
            }
            return .message(message.erased)
        case .notification(let raw):
            return inside.contains(raw.station) ? .notification(raw.erased) : nil
        case .checkpoint: return nil
        }
    }

    /// The summary that an entry is, if it is one.
    private static func summary(_ bytes: [UInt8]) -> DurableMessage? {
        guard case .message(let message)? = try? JournalEntry.decode(bytes),
            message.kind == .summary
        else { return nil }
        return message
    }

    private func look(
        _ take: (JournalEntry, LogPosition) -> Void
    ) async throws(RingLogError) {
        try storage.writer.flush()
        var position: LogPosition?
        repeat {
            position = try lookOn(from: position, take)
            await Task.yield()
        } while position != nil
    }

    private func lookOn(
        from position: LogPosition?, _ take: (JournalEntry, LogPosition) -> Void
    ) throws(RingLogError) -> LogPosition? {
        var reader = try LogReader(device: storage.device, from: position)
        for _ in 0..<Self.forgettingStretch {
            guard let item = try reader.next() else { return nil }
            guard case .record(let record) = item, record.kind == JournalRecordKind.entry,
                let entry = try? JournalEntry.decode(record.bytes)
            else { continue }
            take(entry, record.position)
        }
        return reader.position
    }
}

extension DurableMessage {
    /// The session in its payload; a ULID has 26 characters.
    fileprivate var session: String? {
        let key = Array("\"session_id\":\"".utf8)
        guard let start = payload.firstRange(of: key)?.upperBound, start + 26 <= payload.count
        else { return nil }
        return String(decoding: payload[start..<start + 26], as: UTF8.self)
    }
}
