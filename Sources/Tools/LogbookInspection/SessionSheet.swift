import Bests
import Bytes
import CommandLineText
import Contract
import DeliveryProof
import LogbookStores
import Timeline

/// One session for people and programs: its result, splits and gaps, and how it stands against its
/// manifest.
package struct SessionSheet: Sendable {
    private let session: KeptSession
    /// nil without a manifest, and for a session of which records were removed.
    private let proof: SessionProof?
    /// As stored; of summaries the newest revision is the last.
    private let summaries: [[UInt8]]
    private let splits: [[UInt8]]
    private let gaps: [[UInt8]]
    private let calendar: ClubCalendar

    /// - Parameter calendar: of the club, whose time is shown to people.
    package init(
        _ session: KeptSession, in store: some LogbookStore, digest: @escaping RecordDigest,
        calendar: ClubCalendar
    ) throws(StoreFailure) {
        self.calendar = calendar
        self.session = session
        proof = try store.evidence(of: session.name).map {
            $0.claim.proof(strokes: $0.strokes, received: $0.counts, digest: digest)
        }
        summaries = try store.records(of: .summary, in: session.name)
        splits = try store.records(of: .split, in: session.name)
        gaps = try store.records(of: .gap, in: session.name)
    }

    // MARK: For people

    /// What it was first, then its parts.
    package var lines: [StyledLine] {
        SessionTable([session], calendar: calendar).lines + [StyledLine(), verdict] + result + table + missing
    }

    private var verdict: StyledLine {
        switch proof {
        case .proven: StyledLine("verified: all its records are what its gateway recorded", .good)
        case nil where session.isThinned:
            StyledLine(
                "\(session.state.rawValue), as it was judged before records of it were removed",
                .faint)
        case nil: StyledLine("open: no manifest has come", .faint)
        case _?: LogbookCheck.Doubt(session: session, proof: proof).line
        }
    }

    private var result: [StyledLine] {
        guard let summary = summaries.last.flatMap(Self.fields) else { return [] }
        let figures = [
            summary.decimal("avg_pace_s_per_500m").map { "\(pace($0))/\(paceMetres) m" },
            summary.decimal("avg_power_w").map { ReadableFigures.units($0, "W") },
            summary.decimal("avg_stroke_rate_spm").map { ReadableFigures.units($0, "/min") },
            summary.decimal("avg_heart_rate_bpm").map { ReadableFigures.units($0, "bpm") },
            summary.decimal("calories_kcal").map { ReadableFigures.units($0, "kcal") },
        ].compactMap(\.self)
        return figures.isEmpty ? [] : [StyledLine("on average " + figures.joined(separator: ", "))]
    }

    /// A BikeErg's pace is for 1000 m, as its monitor shows it.
    private var paceMetres: Int {
        session.machineType.flatMap(MachineKind.init(machineType:)) == .bike ? 1000 : 500
    }

    private func pace(_ secondsPer500m: Double) -> String {
        ReadableFigures.pace(secondsPer500m * Double(paceMetres) / 500)
    }

    private var table: [StyledLine] {
        if splits.isEmpty { return [] }
        var table = TextTable([
            ("SPLIT", .trailing), ("DISTANCE", .trailing), ("TIME", .trailing),
            (paceMetres == 500 ? "PACE" : "PACE/\(paceMetres) m", .trailing),
            ("POWER", .trailing), ("RATE", .trailing), ("HEART", .trailing),
            ("REST", .trailing),
        ])
        for fields in splits.compactMap(Self.fields) {
            table.add([
                fields.number("split").map { StyledLine("\($0)") },
                fields.decimal("distance_m").map { StyledLine(ReadableFigures.units($0, "m")) },
                fields.decimal("duration_s").map { StyledLine(ReadableFigures.time($0)) },
                fields.decimal("avg_pace_s_per_500m").map { StyledLine(pace($0)) },
                fields.decimal("avg_power_w").map { StyledLine(ReadableFigures.units($0, "W")) },
                fields.decimal("avg_stroke_rate_spm").map { StyledLine("\(Int($0))") },
                fields.decimal("avg_heart_rate_bpm").map { StyledLine("\(Int($0))") },
                fields.decimal("rest_s").map { StyledLine(ReadableFigures.clock($0)) },
            ])
        }
        return [StyledLine()] + table.lines
    }

    private var missing: [StyledLine] {
        let lines = gaps.compactMap(Self.fields).map { fields in
            let words = fields.decimal("duration_s").map { ", \(ReadableFigures.clock($0))" } ?? ""
            let again = fields["recovered"] == .flag(true) ? ", made up for since" : ""
            return StyledLine("  \(fields.text("reason") ?? "unknown")\(words)\(again)", .warning)
        }
        return lines.isEmpty ? [] : [StyledLine(), StyledLine("Gaps", .heading)] + lines
    }

    private static func fields(_ record: [UInt8]) -> JSONObject? {
        do throws(JSONSyntaxError) { return try JSONObject(parsing: record) } catch { return nil }
    }

    // MARK: For programs

    /// One object: the session as `sessions` has it, and records as they were published.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        session.write(into: &json)
        json.field("verified", proof == .proven || session.state == .verified)
        if let summary = summaries.last {
            json.key("summary")
            json.value(json: summary)
        }
        for (name, records) in [("splits" as StaticString, splits), ("gaps", gaps)] {
            json.key(name)
            json.beginArray()
            for record in records { json.value(json: record) }
            json.endArray()
        }
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
