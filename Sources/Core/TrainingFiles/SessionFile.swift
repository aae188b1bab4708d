import Contract

/// What a file of a session is.
package enum SessionFileFormat: String, CaseIterable, Sendable {
    /// Each record as it was published, without `historical`, a line each.
    case jsonl
    /// Records of one kind in fixed columns.
    case csv
    /// Training Center XML.
    case tcx
    /// Flexible and Interoperable Data Transfer.
    case fit
}

/// One session as a file for another program.
package struct SessionFile: Sendable {
    package let bytes: [UInt8]
    /// Members of records that this version has no column for.
    package private(set) var unknownMembers: Set<String> = []

    /// nil of records that tell of no rowing, for a training program.
    ///
    /// - Parameters:
    ///   - kind: of which records a table is.
    ///   - records: the session's records of a kind, in their stored form and the order of their times.
    package init?<Failure: Error>(
        as format: SessionFileFormat, table kind: StreamKind,
        of records: (StreamKind) throws(Failure) -> [[UInt8]]
    ) throws(Failure) {
        switch format {
        case .jsonl:
            var lines: [UInt8] = []
            for kind in StreamKind.ofStation {
                for record in try records(kind) { lines += record + [UInt8(ascii: "\n")] }
            }
            bytes = lines
        case .csv:
            var table = CommaSeparatedTable(of: kind)
            var lines: [UInt8] = []
            table.begin(&lines)
            for record in try records(kind) { table.append(record, to: &lines) }
            bytes = lines
            unknownMembers = table.unknownMembers
        case .tcx, .fit:
            var found: [StreamKind: [[UInt8]]] = [:]
            for kind in [StreamKind.session, .stroke, .split, .summary] {
                found[kind] = try records(kind)
            }
            guard let session = RowedSession(found) else { return nil }
            bytes = format == .tcx ? TCXDocument(session).bytes : FITActivity(session).bytes
        }
    }
}
