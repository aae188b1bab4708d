import CSystemd
import Glibc

/// Structured lines for the journal; plain lines on stderr where no journal listens.
///
/// Each line begins with the name of the erg, or of the part of the program, that it is about: plain
/// `journalctl -u rowgate` shows nothing else. Beside it stand `SUBSYSTEM=`, which is that name,
/// whatever fields the caller adds, so that `journalctl -u rowgate ERG=erg-3` finds one erg's
/// story, and `MESSAGE_ID=` where the catalog explains it. Usable from any thread.
package struct SystemLog: Sendable {
    /// As syslog(3) numbers them; the greater one here is the more important.
    package enum Priority: Int32, Sendable, Comparable {
        /// No line has it: as a threshold it means silence.
        case critical = 2
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6
        case debug = 7

        /// Less important before more important.
        package static func < (left: Priority, right: Priority) -> Bool {
            left.rawValue > right.rawValue
        }
    }

    /// Where lines go.
    package enum Destination: Sendable {
        case journal
        case standardError
        /// To somebody in this program, on whatever thread a line is written; the message is as the
        /// journal gets it.
        case reader(
            @Sendable (Priority, _ message: String, _ fields: [(String, String)]) -> Void)

        /// The journal, if what starts this program connected it to one.
        static var inherited: Destination {
            getenv("JOURNAL_STREAM") != nil ? .journal : .standardError
        }
    }

    /// Lines less important than this are not written, and not formatted.
    package let threshold: Priority
    private let subsystem: String
    private let destination: Destination

    /// - Parameter destination: nil for the journal where systemd has connected stderr to it,
    ///   else for stderr.
    package init(
        subsystem: String, threshold: Priority = .info, destination: Destination? = nil
    ) {
        self.subsystem = subsystem
        self.threshold = threshold
        self.destination = destination ?? .inherited
    }

    /// The same destination for another part of the program, or an erg.
    package func scoped(to subsystem: String) -> SystemLog {
        SystemLog(subsystem: subsystem, threshold: threshold, destination: destination)
    }

    /// Something failed and somebody has to look at it.
    package func error(
        _ message: @autoclosure () -> String, _ fields: [(String, String)] = [],
        event: CatalogEvent? = nil
    ) {
        write(.error, message, fields, event)
    }

    /// Something is amiss and the rest goes on.
    package func warning(
        _ message: @autoclosure () -> String, _ fields: [(String, String)] = [],
        event: CatalogEvent? = nil
    ) {
        write(.warning, message, fields, event)
    }

    /// Something out of the ordinary, and in order.
    package func notice(
        _ message: @autoclosure () -> String, _ fields: [(String, String)] = [],
        event: CatalogEvent? = nil
    ) {
        write(.notice, message, fields, event)
    }

    /// What happened, for whoever looks into it later.
    package func info(_ message: @autoclosure () -> String, _ fields: [(String, String)] = []) {
        write(.info, message, fields)
    }

    /// How it happened; formatted only if the threshold lets it through.
    package func debug(_ message: @autoclosure () -> String, _ fields: [(String, String)] = []) {
        write(.debug, message, fields)
    }

    private func write(
        _ priority: Priority, _ message: () -> String, _ fields: [(String, String)],
        _ event: CatalogEvent? = nil
    ) {
        guard priority >= threshold else { return }
        let line = "\(subsystem): \(message())"
        switch destination {
        case .journal: sendToJournal(priority, line, event.map { fields + [$0.field] } ?? fields)
        case .standardError: sendToStandardError(priority, message(), fields)
        case .reader(let take): take(priority, line, fields)
        }
    }

    private func sendToJournal(
        _ priority: Priority, _ message: String, _ fields: [(String, String)]
    ) {
        var entries = [
            "MESSAGE=\(message)", "PRIORITY=\(priority.rawValue)", "SUBSYSTEM=\(subsystem)",
        ]
        entries += fields.map { "\($0.0.uppercased())=\($0.1)" }
        var bytes = entries.map { Array($0.utf8) }
        withIOVectors(over: &bytes[...]) { vectors in
            _ = sd_journal_sendv(vectors.baseAddress, Int32(vectors.count))
        }
    }

    /// Builds the iovec array while every buffer is pinned, by recursion over the buffers.
    private func withIOVectors(
        over buffers: inout ArraySlice<[UInt8]>, collected: [iovec] = [],
        _ body: (UnsafeBufferPointer<iovec>) -> Void
    ) {
        guard var first = buffers.popFirst() else {
            return collected.withUnsafeBufferPointer(body)
        }
        first.withUnsafeMutableBytes { bytes in
            let vector = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
            withIOVectors(over: &buffers, collected: collected + [vector], body)
        }
    }

    private func sendToStandardError(
        _ priority: Priority, _ message: String, _ fields: [(String, String)]
    ) {
        var line = "\(subsystem): \(priority): \(message)"
        for (name, value) in fields { line += " \(name.lowercased())=\(value)" }
        line += "\n"
        line.withUTF8 { bytes in
            _ = Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
