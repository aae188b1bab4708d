import Contract

/// What a session's manifest says that its records add up to.
package struct ManifestClaim: Equatable, Sendable {
    /// Where it was rowed.
    package var station: StationID
    /// The session's ULID.
    package var session: String
    /// Numbers of the first and the last; nil for a session without a stroke. Not all between them
    /// need have been given out: a death of the gateway leaves some, and a new epoch begins others.
    package var strokes: ClosedRange<UInt64>?
    var strokeCount: UInt64
    var strokeDigest: String
    /// Records that name the session, of the kinds that are counted.
    var counts: [StreamKind: UInt64]

    /// nil when a field is missing.
    package init?(_ record: ReceivedRecord, of station: StationID) {
        let fields = record.fields
        guard let session = fields.text("session_id"), let digest = fields.text("stroke_sha256"),
            let strokes = fields.number("stroke_count"), let forces = fields.number("force_count"),
            let splits = fields.number("split_count"), let gaps = fields.number("gap_count")
        else { return nil }
        self.station = station
        self.session = session
        self.strokes = fields.range("stroke_first_seq", "stroke_last_seq")
        guard strokes <= self.strokes?.length ?? 0 else { return nil }
        strokeCount = strokes
        strokeDigest = digest
        counts = [.force: forces, .split: splits, .gap: gaps]
    }

    /// Whether a stroke with this number is part of the session; the others that name it are foreign.
    package func includes(_ sequence: UInt64) -> Bool { strokes?.contains(sequence) ?? false }

    /// Whether these are the records that it claims.
    ///
    /// - Parameters:
    ///   - strokes: the session's stroke records in their stored form, in the order of their times.
    ///   - received: how many records of the other kinds there are.
    package func proof(
        strokes: [[UInt8]], received: [StreamKind: UInt64], digest: RecordDigest
    ) -> SessionProof {
        strokeFault(strokes.count, digest: { digest(strokes) }) ?? countFault(received) ?? .proven
    }

    /// nil when the strokes are those that it claims.
    func strokeFault(_ received: Int, digest: () -> String) -> SessionProof? {
        guard received >= strokeCount else {
            return .strokesMissing(strokeCount - UInt64(received))
        }
        return digest() == strokeDigest ? nil : .digestDiffers
    }

    /// nil when there are as many records of each other kind as it claims.
    func countFault(_ received: [StreamKind: UInt64]) -> SessionProof? {
        for (kind, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let found = received[kind] ?? 0
            if found != count { return .countDiffers(kind, received: found, of: count) }
        }
        return nil
    }
}

/// Whether a session's records add up to its manifest.
package enum SessionProof: Equatable, Sendable {
    case proven
    /// So many of its strokes did not arrive.
    case strokesMissing(UInt64)
    /// All strokes are here, and they are not what the gateway recorded.
    case digestDiffers
    /// So many records of a kind arrived, of so many.
    case countDiffers(StreamKind, received: UInt64, of: UInt64)
}

/// The strokes of one erg that no manifest has proven yet, and how many records sessions have.
///
/// Over all epochs: a ring log can be lost, and another begun, while somebody rows.
struct SessionLedger {
    private struct KeptStroke {
        /// Strictly increasing from record to record of an erg, whatever epoch its number is in.
        var milliseconds: UInt64
        var sequence: UInt64
        var stored: [UInt8]
    }

    private var strokes: [String: [KeptStroke]] = [:]
    private var counts: [String: [StreamKind: UInt64]] = [:]
    private var proven: Set<String> = []

    mutating func take(_ record: ReceivedRecord, kind: StreamKind) {
        guard let session = record.fields.text("session_id") else { return }
        counts[session, default: [:]][kind, default: 0] += 1
        guard kind == .stroke else { return }
        strokes[session, default: []].append(
            KeptStroke(
                milliseconds: record.fields.number("ts_ms") ?? 0, sequence: record.sequence,
                stored: record.stored))
    }

    /// Compares what has arrived with a claim, by the digest of its strokes, and by the counts of its
    /// other records. The strokes of a proven session are forgotten.
    mutating func prove(_ claim: ManifestClaim, digest: RecordDigest) -> SessionProof {
        if !proven.contains(claim.session) {
            let received = (strokes[claim.session] ?? []).filter { claim.includes($0.sequence) }
            let fault = claim.strokeFault(received.count) { Self.digest(received, by: digest) }
            if let fault { return fault }
            proven.insert(claim.session)
            strokes[claim.session] = nil
        }
        return claim.countFault(counts[claim.session] ?? [:]) ?? .proven
    }

    private static func digest(_ strokes: [KeptStroke], by digest: RecordDigest) -> String {
        digest(strokes.sorted { $0.milliseconds < $1.milliseconds }.map(\.stored))
    }
}
