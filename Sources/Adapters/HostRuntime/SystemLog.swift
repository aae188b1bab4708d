import CSystemd
import Glibc

/// Structured lines for the journal; plain lines on stderr without a journal.
///
/// Each line begins with the name of the erg or of the part of the program, because plain
/// `journalctl -u rowgate` shows nothing else. The fields are `SUBSYSTEM=`, which is that name, the
/// caller's fields, so that `journalctl -u rowgate ERG=erg-3` finds one erg's lines, and
/// `MESSAGE_ID=` if the catalog explains the line. May be used from any thread.
package struct SystemLog: Sendable {
    /// Numbered as in syslog(3); `<` orders from less to more important.
    package enum Priority: Int32, Sendable, Comparable {
        /// No line has it: as a threshold it disables all lines.
        case critical = 2
        case error = 3
        case warning = 4
        case notice = 5
        case info = 6
        case debug = 7

        /// Orders less important before more important.
        package static func < (left: Priority, right: Priority) -> Bool {
            left.rawValue > right.rawValue
        }
    }

    /// The destination of the lines.
    package enum Destination: Sendable {
        case journal
        case standardError
        /// A function of this program, called on the thread that writes the line, with the message
        /// as the journal receives it.
        case reader(
            @Sendable (Priority, _ message: String, _ fields: [(String, String)]) -> Void)

        /// The journal, if stderr is connected to it.
        static var inherited: Destination {
            getenv("JOURNAL_STREAM") != nil ? .journal : .standardError
        }
    }

    /// Less important lines are neither written nor formatted.
    package let threshold: Priority
    private let subsystem: String
    private let destination: Destination

    /// - Parameter destination: nil for the journal if systemd has connected stderr to it, otherwise
    ///   for stderr.
    package init(
        subsystem: String, threshold: Priority = .info, destination: Destination? = nil
    ) {
        self.subsystem = subsystem
        self.threshold = threshold
        self.destination = destination ?? .inherited
    }

    /// Returns a log with the same destination for another part of the program, or an erg.
    package func scoped(to subsystem: String) -> SystemLog {
        SystemLog(subsystem: subsystem, threshold: threshold, destination: destination)
    }

    /// Logs a failure that needs a person.
    package func error(
        _ message: @autoclosure () -> String, _ fields: [(String, String)] = [],
        event: CatalogEvent? = nil
    ) {
        write(.error, message, fields, event)
    }

    /// Logs a problem that the program survives.
    package func warning(
        _ message: @autoclosure () -> String, _ fields: [(String, String)] = [],
        event: CatalogEvent? = nil
    ) {
        write(.warning, message, fields, event)
    }

    /// Logs a rare but normal event.
    package func notice(
        _ message: @autoclosure () -> String, _ fields: [(String, String)] = [],
        event: CatalogEvent? = nil
    ) {
        write(.notice, message, fields, event)
    }

    /// Logs an event for later analysis.
    package func info(_ message: @autoclosure () -> String, _ fields: [(String, String)] = []) {
        write(.info, message, fields)
    }

    /// Logs details; formatted only if the threshold allows it.
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
        case .reader(let receive): receive(priority, line, fields)
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
