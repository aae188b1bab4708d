/// The store could not do what it was asked to: what, where, why, and what helps.
package struct StoreFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// What a caller may want to tell apart. The raw value is the reason that programs read.
    package enum Kind: String, Equatable, Sendable {
        /// No room on the disk.
        case full = "disk_full"
        /// The file system is read-only.
        case readOnly = "read_only"
        /// The user may not read or write it.
        case denied = "permission_denied"
        /// The disk cannot be read or written.
        case ioError = "io_error"
        /// Its folder is absent or no folder, or it is a folder itself.
        case misplaced = "no_folder"
        /// The file that was open was removed, or another has its name.
        case moved
        /// Another program holds it.
        case busy
        /// It is not what was written, or no store at all.
        case corrupt
        /// A newer version of this program wrote it.
        case newer
        /// There is none.
        case absent
        /// It cannot be reached, or did not answer in time.
        case unreachable
        /// The same, while a batch was being made durable: it may be, or not. The call that is made
        /// again settles it.
        case inDoubt = "in_doubt"
        case other
    }

    package var kind: Kind
    /// `open`, `write`, `read`.
    package var operation: String
    /// As the configuration names it.
    package var place: String
    /// In words, the database's.
    package var cause: String
    /// nil when waiting is all there is to do.
    package var remedy: String?

    package init(
        _ kind: Kind, _ operation: String, _ place: String, _ cause: String, remedy: String? = nil
    ) {
        self.kind = kind
        self.operation = operation
        self.place = place
        self.cause = cause
        self.remedy = remedy
    }

    /// Whether the same call may succeed later without anybody's doing: a person is needed for the
    /// rest.
    package var isPassing: Bool {
        switch kind {
        case .full, .readOnly, .denied, .ioError, .misplaced, .moved, .busy, .unreachable, .inDoubt,
            .other:
            true
        case .corrupt, .newer, .absent: false
        }
    }

    package var description: String {
        let text = "the store \(place): cannot \(operation): \(cause)"
        return remedy.map { "\(text); \($0)" } ?? text
    }
}
