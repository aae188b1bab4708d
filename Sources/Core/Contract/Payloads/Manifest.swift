import Bytes
import Rowing

/// What became of one session's records, so that a subscriber can prove that it has them all.
package struct Manifest: Equatable, Sendable, RecordBody {
    package static let recordKind = StreamKind.manifest

    /// The one that has ended.
    package var session: SessionID
    /// First and last `seq` of the session's strokes; nil when it has none.
    package var strokes: ClosedRange<UInt64>?
    /// SHA-256 over the stored forms of the session's stroke records, in order; 64 hex digits.
    package var strokeDigest: String
    /// Stroke records published for it.
    package var strokeCount: Int
    /// Force records published for it.
    package var forceCount: Int
    /// Split records published for it.
    package var splitCount: Int
    /// Gap records published for it.
    package var gapCount: Int
    /// The monitor's own stroke count; nil when it told none.
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
