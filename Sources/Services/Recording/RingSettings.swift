/// Section `[ring]` of the configuration: the storage on disk until the broker has the records.
package struct RingSettings: Equatable, Sendable {
    /// Path of the ring file, in a folder that the daemon may write to.
    package var path: String
    /// Size of that file; the next start resizes a ring of another size.
    package var sizeBytes: Int
    /// Maximum time whose records a power cut can lose.
    package var commitInterval: Duration
    /// Whether to store the notifications themselves, for a later replay.
    package var keepsRaw: Bool

    package init(path: String, sizeBytes: Int, commitInterval: Duration, keepsRaw: Bool) {
        self.path = path
        self.sizeBytes = sizeBytes
        self.commitInterval = commitInterval
        self.keepsRaw = keepsRaw
    }
}
