import Contract

/// What somebody has said of something that was suggested, with the suggestion as it was then. What
/// nobody has said anything of is kept nowhere: it follows from the sessions.
package struct KeptSuggestion: Equatable, Sendable {
    /// Whose: an athlete id.
    package var athlete: String
    /// Of the suggestion; of one athlete each is kept once, with the last that was said.
    package var id: String
    /// What was said, in the interface's word.
    package var said: String
    /// Unix milliseconds: when.
    package var at: Int64
    /// Unix milliseconds: until when it was put off.
    package var until: Int64?
    package var why: String?
    /// Whose token it came with.
    package var by: String?
    /// Unix milliseconds: when it was put on a monitor.
    package var setAt: Int64?
    /// The suggestion as it was offered, JSON.
    package var body: [UInt8]

    package init(
        athlete: String, id: String, said: String, at: Int64, until: Int64? = nil,
        why: String? = nil, by: String? = nil, setAt: Int64? = nil, body: [UInt8]
    ) {
        (self.athlete, self.id, self.said, self.at) = (athlete, id, said, at)
        (self.until, self.why, self.by, self.setAt) = (until, why, by, setAt)
        self.body = body
    }
}
