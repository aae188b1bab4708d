import Glibc

/// The file of the simulated strokes and results: one JSON object per line, complete lines only.
///
/// Confined to the queue of the service that writes to it, hence the unchecked conformance: it is
/// created elsewhere and passed on.
package final class TruthFile: @unchecked Sendable {
    private var descriptor: Int32

    /// Creates or empties the file; nil, with errno set, on failure.
    package init?(path: String) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        if descriptor < 0 { return nil }
    }

    /// Writes each line at once, so that a reader of the growing file sees complete lines.
    func write(_ line: String) {
        guard descriptor >= 0 else { return }
        var text = line + "\n"
        text.withUTF8 { _ = Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }
}
