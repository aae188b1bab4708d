import Bytes
import Contract

/// The counts and the digest in a session's manifest.
package struct ManifestClaim: Equatable, Sendable {
    /// The session's erg.
    package var station: StationID
    /// The session's ULID.
    package var session: String
    /// First and last stroke number; nil for a session without strokes. A crash of the gateway or a new
    /// epoch can leave unused numbers between them.
    package var strokes: ClosedRange<UInt64>?
    var strokeCount: UInt64
    var strokeDigest: String
    /// Record counts of the session, by kind.
    var counts: [StreamKind: UInt64]

    /// Returns nil if a field is missing.
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

    /// Whether a stroke number is in the session's range. Other strokes with this session id are foreign.
    package func includes(_ sequence: UInt64) -> Bool { strokes?.contains(sequence) ?? false }

    /// Compares received records with the manifest.
    ///
    /// - Parameters:
    ///   - strokes: the session's stroke records in their stored form, in the order of their times.
    ///   - received: record counts of the other kinds.
    package func proof(strokes: [[UInt8]], received: [StreamKind: UInt64]) -> SessionProof {
        strokeFault(strokes.count, digest: { SHA256Digest.hexadecimal(of: strokes) }) ?? countFault(received)
            ?? .proven
    }

    /// Compares the strokes; returns nil if they match.
    func strokeFault(_ received: Int, digest: () -> String) -> SessionProof? {
        guard received >= strokeCount else {
            return .strokesMissing(strokeCount - UInt64(received))
        }
        return digest() == strokeDigest ? nil : .digestDiffers
    }

    /// Returns nil when at least as many records of each other kind arrived as the manifest counts.
    ///
    /// The manifest does not say which numbers they have. Surplus records are foreign: another session or
    /// an impostor named this session, and they take nothing away from it.
    func countFault(_ received: [StreamKind: UInt64]) -> SessionProof? {
        for (kind, count) in counts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let found = received[kind] ?? 0
            if found < count { return .countDiffers(kind, received: found, of: count) }
        }
        return nil
    }
}

/// Whether a session's records match its manifest.
package enum SessionProof: Equatable, Sendable {
    case proven
    /// This many strokes did not arrive.
    case strokesMissing(UInt64)
    /// The stroke count matches, but the digest does not.
    case digestDiffers
    /// Fewer records of a kind arrived than the manifest counts.
    case countDiffers(StreamKind, received: UInt64, of: UInt64)
}

/// The unproven strokes of one erg, and the record counts of its sessions.
///
/// Covers all epochs, because a ring log can be lost and replaced during a session.
struct SessionLedger {
    private struct PendingStroke {
        /// Strictly increasing for the records of an erg, across epochs.
        var milliseconds: UInt64
        var sequence: UInt64
        var stored: [UInt8]
    }

    private var strokes: [String: [PendingStroke]] = [:]
    private var counts: [String: [StreamKind: UInt64]] = [:]
    private var proven: Set<String> = []

    mutating func append(_ record: ReceivedRecord, kind: StreamKind) {
        guard let session = record.fields.text("session_id") else { return }
        counts[session, default: [:]][kind, default: 0] += 1
        guard kind == .stroke else { return }
        strokes[session, default: []].append(
            PendingStroke(
                milliseconds: record.fields.number("ts_ms") ?? 0, sequence: record.sequence,
                stored: record.stored))
    }

    /// Compares the received records with a manifest: strokes by digest, other records by count. Removes
    /// the strokes of a proven session.
    mutating func prove(_ claim: ManifestClaim) -> SessionProof {
        if !proven.contains(claim.session) {
            let received = (strokes[claim.session] ?? []).filter { claim.includes($0.sequence) }
            let fault = claim.strokeFault(received.count) { Self.digest(received) }
            if let fault { return fault }
            proven.insert(claim.session)
            strokes[claim.session] = nil
        }
        return claim.countFault(counts[claim.session] ?? [:]) ?? .proven
    }

    private static func digest(_ strokes: [PendingStroke]) -> String {
        SHA256Digest.hexadecimal(of: strokes.sorted { $0.milliseconds < $1.milliseconds }.map(\.stored))
    }
}
