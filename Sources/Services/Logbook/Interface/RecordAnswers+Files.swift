import Contract
import LogbookStores
import TrainingFiles
import WebServer

/// A session as a file. Changes nothing.
extension RecordAnswers {
    /// Bytes of records that a file is made of: a day's rowing has a third of it.
    static let fileBytes = 16 << 20
    /// Records that are read at once.
    private static let batch = 500

    static func file(
        of name: SessionName, as format: SessionFileFormat, table kind: StreamKind, _ sight: Sight,
        in store: any LogbookStore
    ) throws -> WebAnswer {
        _ = try kept(name, sight, in: store)
        var room = fileBytes
        let file = try SessionFile(as: format, table: kind) { kind in
            try records(of: kind, in: name, store, &room).filter(sight.shows)
        }
        guard let file else {
            throw InterfaceFault(
                404, "nothing_rowed",
                "the session has no stroke and no result, so there is no \(format.rawValue) of it; "
                    + "format=jsonl has its records")
        }
        let place = "attachment; filename=\"\(name.session).\(format.rawValue)\""
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
                    "the session's records have more than \(fileBytes >> 20) MiB; ask for them in "
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
        case .csv: "text/csv; charset=utf-8"
        case .tcx: "application/vnd.garmin.tcx+xml"
        case .fit: "application/vnd.ant.fit"
        }
    }
}
