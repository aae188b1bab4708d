import Bests
import Bytes
import Contract

/// What a file of sessions is.
package enum SessionFileFormat: String, CaseIterable, Sendable {
    /// Each record as it was published, without `historical`, a line each.
    case jsonl
    /// Records of one kind in fixed columns.
    case csv
    /// Training Center XML.
    case tcx
    /// Flexible and Interoperable Data Transfer.
    case fit
    /// The table of a season at Concept2's logbook, a line for each session that has a result.
    case concept2

    /// Whether a file may hold more than one session.
    package var holdsSeveral: Bool { self != .fit }

    /// How the names of such files end.
    package var fileExtension: String { self == .concept2 ? "csv" : rawValue }
}

/// Sessions as one file for another program.
package struct SessionFile: Sendable {
    /// What was written so far; the file once `finish` was called.
    package private(set) var bytes: [UInt8] = []
    /// Sessions in it.
    package private(set) var count = 0
    /// Members of records that this version has no column for.
    package var unknownMembers: Set<String> { table.unknownMembers }
    private let format: SessionFileFormat
    private let kind: StreamKind
    private var table: CommaSeparatedTable
    private let local: @Sendable (Int64) -> Int64

    /// - Parameters:
    ///   - kind: of which records a table is.
    ///   - local: the local time at Unix milliseconds, as if it were UTC; for tables with local times.
    package init(
        as format: SessionFileFormat, table kind: StreamKind,
        local: @escaping @Sendable (Int64) -> Int64
    ) {
        (self.format, self.kind, self.local) = (format, kind, local)
        table = CommaSeparatedTable(of: kind)
        switch format {
        case .csv: table.begin(&bytes)
        case .tcx: bytes += TCXDocument.head
        case .concept2: bytes += Concept2Table.head
        case .jsonl, .fit: break
        }
    }

    /// Adds a session; one without any rowing is skipped in formats for training programs.
    ///
    /// - Parameters:
    ///   - machine: what it was rowed on, where its records do not say so.
    ///   - records: the session's records of a kind, in their stored form and the order of their times.
    package mutating func add<Failure: Error>(
        on machine: MachineKind = .rower, _ records: (StreamKind) throws(Failure) -> [[UInt8]]
    ) throws(Failure) {
        switch format {
        case .jsonl:
            for kind in StreamKind.ofStation {
                for record in try records(kind) { bytes += record + [UInt8(ascii: "\n")] }
            }
        case .csv:
            for record in try records(kind) { table.append(record, to: &bytes) }
        case .tcx, .fit:
            var found: [StreamKind: [[UInt8]]] = [:]
            for kind in [StreamKind.session, .stroke, .split, .summary] {
                found[kind] = try records(kind)
            }
            guard let session = RowedSession(found, on: machine) else { return }
            bytes += format == .tcx ? TCXDocument(session).bytes : FITActivity(session).bytes
        case .concept2:
            let summaries = try records(.summary).compactMap { try? JSONObject(parsing: $0) }
            let splits = try records(.split).compactMap { try? JSONObject(parsing: $0) }
            guard let summary = summaries.last,
                let line = Concept2Table.line(summary, splits, on: machine, local: local)
            else { return }
            bytes += line
        }
        count += 1
    }

    /// The file is whole.
    package mutating func finish() {
        if format == .tcx { bytes += TCXDocument.end }
    }
}
