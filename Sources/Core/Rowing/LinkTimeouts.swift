/// The times after which silence on a link has an effect.
package enum LinkTimeouts {
    /// After this time without a status, the last one no longer describes the rower. A
    /// monitor sends a status twice a second in every state. The link stays open.
    package static let staleAfter = Duration.seconds(5)
    /// After this time without any value, strokes may be lost. A fast stroke takes this long, and a monitor
    /// sends a value twice a second, or once on a slow machine.
    static let gapThreshold = Duration.milliseconds(1500)
    /// After this time without a status or a stroke, the link is closed and opened again.
    ///
    /// The radio detects a lost peer within 10 s (supervision timeout).
    package static let silenceLimit = Duration.seconds(12)
    /// The same without a status, even if other values arrive.
    ///
    /// A busy monitor sends no status for up to two minutes. After that its subscription must be lost.
    package static let statusLimit = Duration.seconds(150)
}
