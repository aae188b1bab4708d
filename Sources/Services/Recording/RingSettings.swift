/// Section `[ring]` of the configuration: what is kept on disk until the broker has it.
package struct RingSettings: Equatable, Sendable {
    /// Of the ring file, in a folder that the daemon may write to.
    package var path: String
    /// Of that file; the next start moves a ring of another size.
    package var sizeBytes: Int
    /// At most this much is lost when the power is cut.
    package var commitInterval: Duration
    /// Whether the notifications themselves are kept, for a later replay.
    package var keepsRaw: Bool

    package init(path: String, sizeBytes: Int, commitInterval: Duration, keepsRaw: Bool) {
        self.path = path
        self.sizeBytes = sizeBytes
        self.commitInterval = commitInterval
        self.keepsRaw = keepsRaw
    }
}
