import Bests
import Bytes
import CommandLineText
import Contract
import DeliveryProof
import LogbookStores
import People
import Timeline

/// One session, for people and programs: its result, splits and gaps, and the comparison with its manifest.
package struct SessionSheet: Sendable {
    private let session: StoredSession
    /// nil without a manifest, and for a session with removed records.
    private let proof: SessionProof?
    /// In stored form; the last one is the newest revision.
    private let summaries: [[UInt8]]
    private let splits: [[UInt8]]
    private let gaps: [[UInt8]]
    private let names: AthleteNames
    private let calendar: ClubCalendar

    /// - Parameters:
    ///   - names: for the output for people.
    ///   - calendar: the club's calendar, for times in the output for people.
    package init(
        _ session: StoredSession, in store: some LogbookStore, names: AthleteNames = .init(),
        calendar: ClubCalendar
    ) throws(StoreFailure) {
        self.calendar = calendar
        self.names = names
        self.session = session
        proof = try store.evidence(of: session.name).map {
            $0.claim.proof(strokes: $0.strokes, received: $0.counts)
        }
        summaries = try store.records(of: .summary, in: session.name)
        splits = try store.records(of: .split, in: session.name)
        gaps = try store.records(of: .gap, in: session.name)
    }

    // MARK: For people

    /// The session first, then its parts.
    package var lines: [StyledLine] {
        SessionListing([session], names: names, calendar: calendar).lines
            + [StyledLine(), verdict] + result + table + missing
    }

    private var verdict: StyledLine {
        switch proof {
        case .proven: StyledLine("verified: all its records match the gateway's manifest", .good)
        case nil where session.isThinned:
            StyledLine(
                "\(session.state.rawValue), as judged before some of its records were removed",
                .faint)
        case nil: StyledLine("open: no manifest yet", .faint)
        case _?: LogbookCheck.Doubt(session: session, proof: proof).line
        }
    }

    private var result: [StyledLine] {
        guard let summary = summaries.last.flatMap(Self.fields) else { return [] }
        let figures = [
            summary.decimal("avg_pace_s_per_500m").map { "\(pace($0))/\(paceMetres) m" },
            summary.decimal("avg_power_w").map { ValueFormatter.units($0, "W") },
            summary.decimal("avg_stroke_rate_spm").map { ValueFormatter.units($0, "/min") },
            summary.decimal("avg_heart_rate_bpm").map { ValueFormatter.units($0, "bpm") },
            summary.decimal("calories_kcal").map { ValueFormatter.units($0, "kcal") },
        ].compactMap(\.self)
        return figures.isEmpty ? [] : [StyledLine("on average " + figures.joined(separator: ", "))]
    }

    private var paceMetres: Int {
        (session.machineType.flatMap(MachineKind.init(machineType:)) ?? .rower).paceMeters
    }

    private func pace(_ secondsPer500m: Double) -> String {
        ValueFormatter.pace(secondsPer500m * Double(paceMetres) / 500)
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
                fields.decimal("distance_m").map { StyledLine(ValueFormatter.units($0, "m")) },
                fields.decimal("duration_s").map { StyledLine(ValueFormatter.time($0)) },
                fields.decimal("avg_pace_s_per_500m").map { StyledLine(pace($0)) },
                fields.decimal("avg_power_w").map { StyledLine(ValueFormatter.units($0, "W")) },
                fields.decimal("avg_stroke_rate_spm").map { StyledLine("\(Int($0))") },
                fields.decimal("avg_heart_rate_bpm").map { StyledLine("\(Int($0))") },
                fields.decimal("rest_s").map { StyledLine(ValueFormatter.clock($0)) },
            ])
        }
        return [StyledLine()] + table.lines
    }

    private var missing: [StyledLine] {
        let lines = gaps.compactMap(Self.fields).map { fields in
            let words = fields.decimal("duration_s").map { ", \(ValueFormatter.clock($0))" } ?? ""
            let recovered = fields["recovered"] == .flag(true) ? ", recovered" : ""
            return StyledLine("  \(fields.text("reason") ?? "unknown")\(words)\(recovered)", .warning)
        }
        return lines.isEmpty ? [] : [StyledLine(), StyledLine("Gaps", .heading)] + lines
    }

    private static func fields(_ record: [UInt8]) -> JSONObject? {
        do throws(JSONSyntaxError) { return try JSONObject(parsing: record) } catch { return nil }
    }

    // MARK: For programs

    /// JSON object: the session as in `sessions`, with its published records.
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
