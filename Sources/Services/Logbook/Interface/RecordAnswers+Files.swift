import Contract
import LogbookStores
import TrainingFiles
import WebServer

/// Sessions as a file. Changes nothing.
extension RecordAnswers {
    /// Bytes of records that a file is made of: a day's rowing has a third of it.
    static let fileBytes = 16 << 20
    /// Records, and sessions, that are read at once.
    private static let batch = 500

    func file(
        of name: SessionName, as format: SessionFileFormat, table kind: StreamKind, _ sight: Sight,
        in store: any LogbookStore
    ) throws -> WebAnswer {
        var file = SessionFile(as: format, table: kind, local: book.calendar.local)
        var room = Self.fileBytes
        let kept = try Self.kept(name, sight, in: store)
        try add(kept, to: &file, sight, store, &room)
        guard file.count > 0 else {
            throw InterfaceFault(
                404, "nothing_rowed",
                "the session has no stroke and no result, so there is no \(format.rawValue) of it; "
                    + "format=jsonl has its records")
        }
        return Self.content(&file, as: format, named: name.session)
    }

    /// - Parameter filter: whose sessions are all meant, whatever its limit.
    func file(
        of filter: SessionFilter, as format: SessionFileFormat, table kind: StreamKind,
        _ sight: Sight, in store: any LogbookStore
    ) throws -> WebAnswer {
        var file = SessionFile(as: format, table: kind, local: book.calendar.local)
        var (filter, room) = (filter, Self.fileBytes)
        filter.limit = Self.batch
        for kept in try store.everySession(filter) {
            try add(kept, to: &file, sight, store, &room)
        }
        return Self.content(&file, as: format, named: filter.athlete ?? "sessions")
    }

    private func add(
        _ session: KeptSession, to file: inout SessionFile, _ sight: Sight,
        _ store: any LogbookStore, _ room: inout Int
    ) throws {
        // For records that do not name it.
        let machine = self.room.machine(at: session.name.gateway, session.station) ?? .rower
        try file.add(on: machine) { kind in
            try Self.records(of: kind, in: session.name, store, &room).filter(sight.shows)
        }
    }

    private static func content(
        _ file: inout SessionFile, as format: SessionFileFormat, named name: String
    ) -> WebAnswer {
        file.finish()
        let place = "attachment; filename=\"\(name).\(format.fileExtension)\""
        return .content(
            type: format.contentType, file.bytes,
            headers: [(name: "Content-Disposition", value: place)])
    }

    private static func records(
        of kind: StreamKind, in name: SessionName, _ store: any LogbookStore, _ room: inout Int
    ) throws -> [[UInt8]] {
        var (records, mark): ([[UInt8]], RecordMark?) = ([], nil)
        while true {
            let found = try store.records(of: kind, in: name, after: mark, limit: batch)
            records += found.map(\.stored)
            room -= found.reduce(0) { $0 + $1.stored.count }
            guard room >= 0 else {
                throw InterfaceFault(
                    422, "too_large",
                    "these records have more than \(fileBytes >> 20) MiB; ask for fewer days or for "
                        + "pages, or use rowgate-logbook export where the logbook runs")
            }
            guard found.count == batch else { return records }
            mark = found.last?.mark
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
