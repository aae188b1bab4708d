/// How long a link may be silent, and for what.
package enum LinkSilence {
    /// A monitor sends a status twice a second in every state, so what it said this long ago tells
    /// nothing of the rower, who may have left. The link itself is given up later.
    package static let staleAfter = Duration.seconds(5)
    /// When nothing at all came for so long, strokes may have been lost: a fast one takes this long, and
    /// a monitor says something twice a second, once where the machine is slow.
    static let holeLimit = Duration.milliseconds(1500)
    /// Without a status and without a stroke for this long, a link is given up and made anew.
    ///
    /// A radio notices within 10 s at most that the other one is gone (supervision).
    package static let limit = Duration.seconds(12)
    /// Without a status for this long, whatever else comes.
    ///
    /// A busy monitor sends none for up to two minutes; after that its subscription must be lost.
    package static let statusLimit = Duration.seconds(150)
}
