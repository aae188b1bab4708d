import Bests
import Bytes
import Contract

/// A file format for sessions.
package enum SessionFileFormat: String, CaseIterable, Sendable {
    /// One line for each record as it was published, without `historical`.
    case jsonl
    /// Records of one kind in fixed columns.
    case csv
    /// Training Center XML.
    case tcx
    /// Flexible and Interoperable Data Transfer.
    case fit
    /// The season table of Concept2's logbook: a line for each session with a result.
    case concept2

    /// Whether a file may contain more than one session.
    package var holdsSeveral: Bool { self != .fit }

    /// The file name extension.
    package var fileExtension: String { self == .concept2 ? "csv" : rawValue }
}

/// Sessions as one file for another program.
package struct SessionFile: Sendable {
    /// The bytes written so far; the complete file after `finish`.
    package private(set) var bytes: [UInt8] = []
    /// Number of sessions in it.
    package private(set) var count = 0
    /// Members of records for which this version has no column.
    package var unknownMembers: Set<String> { table.unknownMembers }
    private let format: SessionFileFormat
    private let kind: StreamKind
    private var table: CommaSeparatedTable
    private let local: @Sendable (Int64) -> Int64

    /// - Parameters:
    ///   - kind: the kind of records in a table.
    ///   - local: converts Unix milliseconds to local time, as if it were UTC; for tables with local times.
    package init(
        as format: SessionFileFormat, table kind: StreamKind,
        local: @escaping @Sendable (Int64) -> Int64
    ) {
        (self.format, self.kind, self.local) = (format, kind, local)
        table = CommaSeparatedTable(of: kind)
        switch format {
        case .csv: table.begin(&bytes)
        case .tcx: bytes += TCXActivity.head
        case .concept2: bytes += Concept2Table.head
        case .jsonl, .fit: break
        }
    }

    /// Adds a session. Formats for training programs skip one without any rowing.
    ///
    /// - Parameters:
    ///   - machine: used if the records do not name the machine.
    ///   - records: returns the session's stored records of a kind, in order of their times.
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
            guard let session = ExportedSession(found, on: machine) else { return }
            bytes += format == .tcx ? TCXActivity(session).bytes : FITActivity(session).bytes
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

    /// Completes the file.
    package mutating func finish() {
        if format == .tcx { bytes += TCXActivity.end }
    }
}
