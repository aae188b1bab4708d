import Bytes
import HostRuntime
import LogbookStores
import Synchronization
import Timeline

/// Stores finished races, and reads them.
struct RaceArchive: Sendable {
    let writer: StoreQueue
    let log: SystemLog

    /// Stores a race, or replaces it by its newest results.
    ///
    /// - Parameter now: Unix milliseconds.
    func store(_ race: Race, _ clock: WallClock, at now: Int64) {
        let document = StoredRaceDocument(
            id: race.id, kind: race.settings.regatta == nil ? .race : .heat, changedAt: now,
            body: JSONWriter.object { race.write(to: &$0, clock, withAttempts: true) })
        let isQueued = writer.perform(
            { try $0.raceDocuments.save(document) },
            failed: { [log] in log.warning("race \(race.id) is not archived: \($0); a restart tries again") })
        if !isQueued {
            log.warning("race \(race.id) is not archived: the store is busy; a restart tries again")
        }
    }

    /// Returns an archived race; nil for an unknown one.
    static func race(_ id: String, _ clock: WallClock, in store: any LogbookStore) throws -> Race? {
        for kind in [StoredRaceDocument.Kind.race, .heat] {
            if let document = try store.raceDocuments.document(id, kind) { return race(in: document, clock) }
        }
        return nil
    }

    static func race(in document: StoredRaceDocument, _ clock: WallClock) -> Race? {
        (try? JSONObject(parsing: document.body)).flatMap { Race(stored: $0, clock) }
    }
}

/// The races of regattas, each parsed once until its stored content changes: pages read the results of a regatta every
/// few seconds. Their times are those of the clock at that moment, so only results may be read from them.
final class ParsedRaces: Sendable {
    /// The number of races after which all are forgotten.
    static let capacity = 512

    private struct Entry {
        let body: [UInt8]
        let race: Race
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// Returns the race of a heat; nil for an unknown one.
    func race(_ id: String, _ clock: WallClock, in store: any LogbookStore) throws -> Race? {
        guard let document = try store.raceDocuments.document(id, .heat) else { return nil }
        if let known = entries.withLock({ $0[id] }), known.body == document.body { return known.race }
        guard let race = RaceArchive.race(in: document, clock) else { return nil }
        entries.withLock { entries in
            if entries.count >= Self.capacity { entries = [:] }
            entries[id] = Entry(body: document.body, race: race)
        }
        return race
    }
}

/// The last document of a page of the archive.
struct ArchiveCursor: PageCursor {
    static let list = "races"
    let id: String
    var fields: [String] { [id] }

    init(id: String) { self.id = id }

    init?(fields: [String]) {
        guard fields.count == 1 else { return nil }
        id = fields[0]
    }
}
