import Bytes
import Rowing

/// Counts and digest of a session's records, with which a subscriber can prove that it has them all.
package struct Manifest: Equatable, Sendable, RecordBody {
    package static let recordKind = StreamKind.manifest

    /// The ended session.
    package var session: SessionID
    /// First and last `seq` of the session's strokes; nil if it has none.
    package var strokes: ClosedRange<UInt64>?
    /// SHA-256 over the stored forms of the session's stroke records, in order; 64 hex digits.
    package var strokeDigest: String
    /// Number of stroke records.
    package var strokeCount: Int
    /// Number of force records.
    package var forceCount: Int
    /// Number of split records.
    package var splitCount: Int
    /// Number of gap records.
    package var gapCount: Int
    /// Stroke count of the monitor; nil if it reported none.
    package var monitorStrokes: Int?

    package init(
        session: SessionID, strokes: ClosedRange<UInt64>?, strokeCount: Int, strokeDigest: String,
        forceCount: Int, splitCount: Int, gapCount: Int, monitorStrokes: Int? = nil
    ) {
        self.session = session
        self.strokes = strokes
        self.strokeCount = strokeCount
        self.strokeDigest = strokeDigest
        self.forceCount = forceCount
        self.splitCount = splitCount
        self.gapCount = gapCount
        self.monitorStrokes = monitorStrokes
    }

    package func write(into json: inout JSONWriter, context: RecordContext) {
        json.field("session_id", session.text)
        json.field("stroke_first_seq", strokes?.lowerBound)
        json.field("stroke_last_seq", strokes?.upperBound)
        json.field("stroke_count", strokeCount)
        json.field("stroke_sha256", strokeDigest)
        json.field("force_count", forceCount)
        json.field("split_count", splitCount)
        json.field("gap_count", gapCount)
        json.field("pm5_strokes", monitorStrokes)
    }
}
