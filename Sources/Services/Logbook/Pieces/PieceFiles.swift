import Bests
import Contract
import LogbookStores
import People
import Timeline
import TrainingFiles
import WebServer

/// A file format for the result of a group piece.
enum PieceFormat: String, CaseIterable, Sendable {
    /// The table as CSV.
    case csv
    /// A ZIP archive with a FIT file of each row.
    case fit
}

/// The result of a group piece as a table for a spreadsheet: a line for each row, paces in seconds per 500 m. Results
/// that a coach added are at the end, without a place; the column `added` names their kind.
enum GroupResultCSV {
    /// - Parameters:
    ///   - names: the names of athletes.
    ///   - isShared: whether the table is for anybody with a link. Then it has no ids of athletes and sessions.
    static func bytes(
        of result: GroupResult, _ additions: [PieceAddition] = [], names: AthleteNames, isShared: Bool = false
    ) -> [UInt8] {
        var output: [UInt8] = []
        var header = ["place"]
        if !isShared { header.append("athlete_id") }
        header += ["athlete_name", "gw", "erg"]
        if !isShared { header.append("session_id") }
        header += ["complete", "whole_repeats"]
        header += result.columns.indices.map { "repeat_\($0 + 1)_pace_s_per_500m" }
        header += [
            "avg_pace_s_per_500m", "best_repeat", "fade_percent", "avg_stroke_rate_spm", "in_target_ratio",
        ]
        header += ["added", "added_day", "added_time_s", "added_distance_m"]
        if !isShared { header.append("added_note") }
        CommaSeparatedTable.append(header, to: &output)
        for (index, row) in result.rows.enumerated() {
            let empty = Array(repeating: "", count: isShared ? 4 : 5)
            CommaSeparatedTable.append(cells(row, place: index + 1, names, isShared) + empty, to: &output)
        }
        for addition in additions {
            CommaSeparatedTable.append(
                cells(addition, repeats: result.columns.count, names, isShared), to: &output)
        }
        return output
    }

    private static func decimal(_ value: Double?, _ places: Int) -> String {
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        return RaceResultsCSV.decimal(value.map { Int64(($0 * scale).rounded()) }, places)
    }

    private static func cells(
        _ addition: PieceAddition, repeats: Int, _ names: AthleteNames, _ isShared: Bool
    ) -> [String] {
        let athlete = addition.athlete
        let name = (isShared ? names[athlete] : names.known(athlete)) ?? ""
        var cells = [""]
        if !isShared { cells.append(athlete) }
        cells += [
            RaceResultsCSV.escapedFormula(name), isShared ? "" : addition.session?.gateway.slug ?? "", "",
        ]
        if !isShared { cells.append(addition.session?.session ?? "") }
        cells += ["", ""] + Array(repeating: "", count: repeats)
        cells += [decimal(addition.pace, 2), "", "", "", ""]
        cells += [addition.kind.rawValue, addition.day ?? "", decimal(addition.seconds, 1)]
        cells.append(decimal(addition.metres, 0))
        if !isShared { cells.append(RaceResultsCSV.escapedFormula(addition.stored.note)) }
        return cells
    }

    private static func cells(
        _ row: GroupResult.Row, place: Int, _ names: AthleteNames, _ isShared: Bool
    ) -> [String] {
        let (session, athlete) = (row.session, row.session.athlete)
        let name = athlete.flatMap { isShared ? names[$0] : names.known($0) } ?? ""
        let whole = row.repeats.filter { $0?.isWhole ?? false }.count
        var cells = [row.isComplete ? "\(place)" : ""]
        if !isShared { cells.append(athlete ?? "") }
        cells.append(RaceResultsCSV.escapedFormula(name))
        cells += [session.name.gateway.slug, session.erg.slug]
        if !isShared { cells.append(session.name.session) }
        cells += ["\(row.isComplete)", "\(whole)"]
        for one in row.repeats { cells.append(decimal(one?.pace, 2)) }
        cells.append(decimal(row.pace, 2))
        cells.append(row.best.map { "\($0 + 1)" } ?? "")
        cells.append(decimal(row.fade, 1))
        cells.append(row.strokeRate.map { "\($0)" } ?? "")
        cells.append(RaceResultsCSV.decimal(row.inTarget.map { Int64($0) }, 3))
        return cells
    }
}

/// Exports group pieces as files. Read only.
extension RecordRequestHandler {
    /// Returns the result of a session's piece as a file: `2026-11-26_group_8x500m.csv`.
    func pieceFile(
        of name: SessionName, as format: PieceFormat, _ policy: RecordAccessPolicy, in store: any LogbookStore
    ) throws -> WebAnswer {
        switch format {
        case .csv: return try pieceTable(of: name, policy, isShared: false, in: store)
        case .fit:
            let piece = try repository(policy, store).piece(of: name)
            return Self.attachment(
                "application/zip", try archive(of: piece, policy, in: store), "\(fileName(of: piece)).zip")
        }
    }

    /// Returns the table of a session's piece as CSV.
    ///
    /// - Parameter isShared: whether it is for anybody with a link.
    func pieceTable(
        of name: SessionName, _ policy: RecordAccessPolicy, isShared: Bool, in store: any LogbookStore
    ) throws -> WebAnswer {
        let repository = repository(policy, store)
        let piece = try repository.piece(of: name)
        let result = try repository.result(of: piece)
        let additions = try PieceAdditionRepository(repository).additions(to: piece, in: result.columns)
        let bytes = GroupResultCSV.bytes(
            of: result, additions, names: try PeopleRepository.names(in: store), isShared: isShared)
        return Self.attachment("text/csv; charset=utf-8", bytes, "\(fileName(of: piece)).csv")
    }

    private func fileName(of piece: StoredPiece) -> String {
        let day = CivilTime(unixMilliseconds: history.calendar.local(piece.piece.startedAt)).date
        return SessionFileName.group(on: day, workout: piece.piece.workout?.notation)
    }

    /// Returns a ZIP archive with the FIT file of each row that has strokes, named as the file of a single session.
    private func archive(
        of piece: StoredPiece, _ policy: RecordAccessPolicy, in store: any LogbookStore
    ) throws -> [UInt8] {
        var (archive, names): (ZIPArchive, [String: Int]) = (ZIPArchive(), [:])
        var bytesLeft = Self.fileBytes
        for row in piece.piece.rows {
            guard let session = piece.sessions.first(where: { $0.piece == row.name }),
                let (name, bytes) = try fitFile(of: session, policy, in: store)
            else { continue }
            bytesLeft -= bytes.count
            guard bytesLeft >= 0 else {
                throw InterfaceFault(
                    422, "too_large",
                    "the files are more than \(Self.fileBytes >> 20) MiB; export each session separately")
            }
            // Athletes may have the same name.
            let count = names[name, default: 0] + 1
            names[name] = count
            archive.append(
                count == 1 ? "\(name).fit" : "\(name)_\(count).fit", bytes,
                at: history.calendar.local(row.startedAt))
        }
        guard !names.isEmpty else {
            throw InterfaceFault(404, "nothing_rowed", "no session of this piece has strokes or a result")
        }
        return archive.finished()
    }
}
