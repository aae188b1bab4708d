import Contract
import LogbookStores
import People
import Timeline
import TrainingFiles
import WebServer

/// Exports sessions as files. Read only.
extension RecordRequestHandler {
    /// The largest size of the records in one file, in bytes: three times a full day of rowing.
    static let fileBytes = 16 << 20
    /// Records, or sessions, per query.
    private static let batch = 500

    func file(
        of name: SessionName, as format: SessionFileFormat, table kind: StreamKind,
        _ policy: RecordAccessPolicy,
        in store: any LogbookStore
    ) throws -> WebAnswer {
        let session = try Self.storedSession(name, policy, in: store)
        guard let (name, file) = try file(of: session, as: format, table: kind, policy, in: store) else {
            throw InterfaceFault(
                404, "nothing_rowed",
                "the session has no strokes and no result, so it cannot be exported as "
                    + "\(format.rawValue); use format=jsonl for its records")
        }
        return Self.attachment(format.contentType, file, "\(name).\(format.fileExtension)")
    }

    /// Returns a session as FIT; nil if it has no strokes and no result.
    func fitFile(
        of session: StoredSession, _ policy: RecordAccessPolicy, in store: any LogbookStore
    ) throws -> (name: String, bytes: [UInt8])? {
        try file(of: session, as: .fit, table: .stroke, policy, in: store)
    }

    /// Returns the name without extension, and the bytes.
    private func file(
        of session: StoredSession, as format: SessionFileFormat, table kind: StreamKind,
        _ policy: RecordAccessPolicy, in store: any LogbookStore
    ) throws -> (name: String, bytes: [UInt8])? {
        var file = SessionFile(as: format, table: kind, local: history.calendar.local)
        var bytesLeft = Self.fileBytes
        let read = try add(session, to: &file, policy, store, &bytesLeft)
        guard file.count > 0 else { return nil }
        file.finish()
        return (try fileName(of: session, read, &bytesLeft, in: store), file.bytes)
    }

    /// `2026-11-26_anna-meyer_8x500m`, or with the erg for a session without an athlete.
    ///
    /// - Parameter read: The records that are in the file, by kind. Others are read from the store.
    private func fileName(
        of session: StoredSession, _ read: [StreamKind: [[UInt8]]], _ bytesLeft: inout Int,
        in store: any LogbookStore
    ) throws -> String {
        let person = try session.athlete.map { try Self.fileName(of: $0, in: store) }
        let begin = session.startedAt ?? session.firstAt
        return SessionFileName.name(
            on: CivilTime(unixMilliseconds: history.calendar.local(begin)).date,
            of: person ?? session.station.slug,
            summaries: try read[.summary] ?? Self.records(of: .summary, in: session.name, store, &bytesLeft),
            splits: try read[.split] ?? Self.records(of: .split, in: session.name, store, &bytesLeft))
    }

    /// The name of an athlete, or the id without a profile, in letters that each file system allows.
    private static func fileName(of athlete: String, in store: any LogbookStore) throws -> String {
        let name = try PeopleRepository.profile(of: athlete, in: store)?.name ?? athlete
        return AthleteNaming.id(for: name, isUsed: { _ in false })
    }

    /// - Parameter filter: selects the sessions; its limit is ignored.
    func file(
        of filter: SessionFilter, as format: SessionFileFormat, table kind: StreamKind,
        _ policy: RecordAccessPolicy, in store: any LogbookStore
    ) throws -> WebAnswer {
        var file = SessionFile(as: format, table: kind, local: history.calendar.local)
        var (filter, bytesLeft) = (filter, Self.fileBytes)
        filter.limit = Self.batch
        for session in try store.everySession(filter) {
            _ = try add(session, to: &file, policy, store, &bytesLeft)
        }
        let name = try filter.athlete.map { try Self.fileName(of: store.merges.current(of: $0), in: store) }
        file.finish()
        return Self.attachment(
            format.contentType, file.bytes, "\(name ?? "sessions").\(format.fileExtension)")
    }

    /// Returns the records that were added, by kind.
    private func add(
        _ session: StoredSession, to file: inout SessionFile, _ policy: RecordAccessPolicy,
        _ store: any LogbookStore, _ bytesLeft: inout Int
    ) throws -> [StreamKind: [[UInt8]]] {
        // For records without a machine type.
        let machine = self.room.machine(at: session.name.gateway, session.station) ?? .rower
        var read: [StreamKind: [[UInt8]]] = [:]
        try file.add(on: machine) { kind in
            let records = try Self.records(of: kind, in: session.name, store, &bytesLeft)
                .filter { policy.allows($0, of: session) }
            read[kind] = records
            return records
        }
        return read
    }

    /// - Parameter name: the file name with its extension.
    static func attachment(_ type: String, _ bytes: [UInt8], _ name: String) -> WebAnswer {
        .content(
            type: type, bytes,
            headers: [(name: "Content-Disposition", value: "attachment; filename=\"\(name)\"")])
    }

    private static func records(
        of kind: StreamKind, in name: SessionName, _ store: any LogbookStore, _ bytesLeft: inout Int
    ) throws -> [[UInt8]] {
        var (records, cursor): ([[UInt8]], RecordCursor?) = ([], nil)
        while true {
            let found = try store.records(of: kind, in: name, after: cursor, limit: batch)
            records += found.map(\.stored)
            bytesLeft -= found.reduce(0) { $0 + $1.stored.count }
            guard bytesLeft >= 0 else {
                throw InterfaceFault(
                    422, "too_large",
                    "the records are more than \(fileBytes >> 20) MiB; request fewer days or use pages, "
                        + "or run rowgate-logbook export on the machine of the logbook")
            }
            guard found.count == batch else { return records }
            cursor = found.last?.mark
        }
    }
}

extension SessionFileFormat {
    fileprivate var contentType: String {
        switch self {
        case .jsonl: "application/jsonl"
        case .csv, .concept2: "text/csv; charset=utf-8"
        case .tcx: "application/vnd.garmin.tcx+xml"
        case .fit: "application/vnd.ant.fit"
        }
    }
}
