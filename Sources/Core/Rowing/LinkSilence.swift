/// How long a link may be silent before it counts as dead.
package enum LinkSilence {
    /// Without a status and without a stroke for this long, a link is given up and made anew.
    ///
    /// A monitor sends two statuses a second in every state, and a radio notices within 10 s at most
    /// that the other one is gone (supervision). Long before, the live figures are marked as stale:
    /// `SessionMachine.staleAfter`.
    package static let limit = Duration.seconds(12)
    /// Without a status for this long, whatever else comes.
    ///
    /// A busy monitor sends none for up to two minutes; after that its subscription must be lost.
    package static let statusLimit = Duration.seconds(150)
}
