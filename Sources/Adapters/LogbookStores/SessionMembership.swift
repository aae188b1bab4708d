/// Which stroke records are part of the session that they name: those at its erg whose numbers the
/// manifest names, from `stroke_first_seq` to `stroke_last_seq`; all until a manifest has come.
///
/// The others are foreign: stored, counted, and left out wherever the strokes of a session are gathered.
/// `ManifestClaim.includes` has the same rule for numbers.
enum SessionMembership {
    /// In SQL, of a record `r` of a stream `s` and its `session`.
    static let condition = """
        (session.stroke_count IS NULL OR (s.erg = session.erg
            AND r.seq BETWEEN session.stroke_first_seq AND session.stroke_last_seq))
        """
}
