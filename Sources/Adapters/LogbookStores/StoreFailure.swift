/// Why a store operation failed: the operation, the location, the cause and a remedy.
package struct StoreFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kinds that callers distinguish. The raw value is the reason in the interface.
    package enum Kind: String, Equatable, Sendable {
        /// The disk is full.
        case full = "disk_full"
        /// The file system is read-only.
        case readOnly = "read_only"
        /// The user has no permission to read or write it.
        case denied = "permission_denied"
        /// I/O errors of the disk.
        case ioError = "io_error"
        /// The folder is missing or is a file, or the path is a folder.
        case misplaced = "no_folder"
        /// The open file was removed or replaced.
        case moved
        /// Another program holds a lock.
        case busy
        /// It is damaged, or not a store.
        case corrupt
        /// A newer version of this program wrote it.
        case newer
        /// There is no store.
        case absent
        /// The server cannot be reached, or did not answer in time.
        case unreachable
        /// The same during a commit, so its outcome is unknown. Repeating the call resolves it.
        case inDoubt = "in_doubt"
        case other
    }

    package var kind: Kind
    /// `open`, `write`, `read`.
    package var operation: String
    /// As in the configuration.
    package var place: String
    /// The database's message.
    package var cause: String
    /// nil if waiting is the only remedy.
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

    /// Whether the same call may succeed later without intervention.
    package var isTransient: Bool {
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
