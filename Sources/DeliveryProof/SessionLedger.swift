import MQTTPublishing
import Rowing

/// What a session's manifest says that its records add up to.
struct ManifestClaim: Equatable {
    var station: StationID
    var session: String
    /// nil for a session without a stroke.
    var strokes: ClosedRange<UInt64>?
    var strokeDigest: String
    /// Records that name the session, of the kinds that are counted.
    var counts: [StreamKind: UInt64]

    /// nil when a field is missing.
    init?(_ record: ReceivedRecord, of station: StationID) {
        let fields = record.fields
        guard let session = fields.text("session_id"), let digest = fields.text("stroke_sha256"),
            let strokes = fields.number("stroke_count"), let forces = fields.number("force_count"),
            let splits = fields.number("split_count"), let gaps = fields.number("gap_count")
        else { return nil }
        self.station = station
        self.session = session
        self.strokes = fields.range("stroke_first_seq", "stroke_last_seq")
        guard self.strokes?.length ?? 0 == strokes else { return nil }
        strokeDigest = digest
        counts = [.force: forces, .split: splits, .gap: gaps]
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
struct SessionLedger {
    private var strokes: [UInt64: [UInt8]] = [:]
    private var counts: [String: [StreamKind: UInt64]] = [:]
    private(set) var claims: [ManifestClaim] = []
    private var proven: Set<String> = []

    mutating func take(_ record: ReceivedRecord, kind: StreamKind) {
        if kind == .stroke { strokes[record.sequence] = record.stored }
        guard let session = record.fields.text("session_id") else { return }
        counts[session, default: [:]][kind, default: 0] += 1
    }

    mutating func add(_ claim: ManifestClaim) { claims.append(claim) }

    /// Holds what has arrived against a claim; the strokes of a proven one are let go of.
    ///
    /// - Parameter received: the numbers of the erg's strokes that arrived.
    mutating func prove(_ claim: ManifestClaim, received: SequenceSet) -> SessionProof {
        if !proven.contains(claim.session) {
            let missing = claim.strokes.map(received.missing) ?? []
            guard missing.isEmpty else {
                return .strokesMissing(missing.reduce(0) { $0 + $1.length })
            }
            guard strokeDigest(claim.strokes) == claim.strokeDigest else { return .digestDiffers }
            proven.insert(claim.session)
            if let range = claim.strokes { for sequence in range { strokes[sequence] = nil } }
        }
        for (kind, count) in claim.counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let received = counts[claim.session]?[kind] ?? 0
            if received != count { return .countDiffers(kind, received: received, of: count) }
        }
        return .proven
    }

    /// - Parameter range: numbers that have all arrived; nil for none.
    private func strokeDigest(_ range: ClosedRange<UInt64>?) -> String {
        let digest = SHA256Digest()
        if let range { for sequence in range { digest.update(strokes[sequence] ?? []) } }
        return digest.hexadecimal()
    }
}
