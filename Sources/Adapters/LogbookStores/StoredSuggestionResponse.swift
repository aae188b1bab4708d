import Contract

/// The response to a suggestion, with the suggestion as it was then. Suggestions without a response are not
/// stored; they are computed from the sessions.
package struct StoredSuggestionResponse: Equatable, Sendable {
    /// An athlete id.
    package var athlete: String
    /// The suggestion's id. For each athlete and suggestion only the last response is stored.
    package var id: String
    /// The state set by the response, as named in the HTTP interface.
    package var answer: String
    /// Unix milliseconds: the time of the response.
    package var at: Int64
    /// Unix milliseconds: end of a snooze.
    package var until: Int64?
    package var why: String?
    /// The name of the token that sent the response.
    package var by: String?
    /// Unix milliseconds: when the workout was set on a monitor.
    package var setAt: Int64?
    /// The suggestion as it was offered, JSON.
    package var body: [UInt8]

    package init(
        athlete: String, id: String, answer: String, at: Int64, until: Int64? = nil,
        why: String? = nil, by: String? = nil, setAt: Int64? = nil, body: [UInt8]
    ) {
        (self.athlete, self.id, self.answer, self.at) = (athlete, id, answer, at)
        (self.until, self.why, self.by, self.setAt) = (until, why, by, setAt)
        self.body = body
    }
}
