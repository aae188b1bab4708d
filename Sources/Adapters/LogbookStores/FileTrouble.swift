import Glibc

/// Why a file cannot be opened, read or written, found out by looking at the file, its folder and its file
/// system: SQLite says no more than "unable to open database file".
struct FileTrouble: Equatable {
    let kind: StoreFailure.Kind
    let cause: String
    let remedy: String?

    /// - Parameters:
    ///   - path: the file.
    ///   - isWriting: whether it is made or written. Its folder is always written to: SQLite has files next
    ///     to a store that it only reads, too.
    ///   - code: the errno of the call that failed; 0 where nobody knows it.
    /// - Returns: nil where nothing is wrong that shows.
    init?(at path: String, isWriting: Bool, code: Int32 = 0) {
        if let found = Self.ofPlace(path) ?? Self.ofAccess(path, isWriting) ?? Self.of(code, path) {
            self = found
        } else {
            return nil
        }
    }

    private init(_ kind: StoreFailure.Kind, _ cause: String, _ remedy: String?) {
        (self.kind, self.cause, self.remedy) = (kind, cause, remedy)
    }

    /// A folder that is absent, or something that is no folder, or no file.
    private static func ofPlace(_ path: String) -> Self? {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { return nil }
            return Self(.misplaced, "it is a folder", "name a file in it")
        }
        guard errno == ENOENT || errno == ENOTDIR else { return nil }
        var folder = FilePlace(path).folder
        var missing: String?
        while stat(folder, &status) != 0, errno == ENOENT || errno == ENOTDIR, folder != "/" {
            missing = folder
            folder = FilePlace(folder).folder
        }
        if stat(folder, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
            return Self(.misplaced, "\(folder) is not a folder", "name another folder, or move that file")
        }
        return missing.map { _ in
            let folder = FilePlace(path).folder
            return Self(
                .misplaced, "there is no folder \(folder)", "make it, for the user that runs this")
        }
    }

    /// What the user may not do, or nobody on a file system that is read-only.
    private static func ofAccess(_ path: String, _ isWriting: Bool) -> Self? {
        let folder = FilePlace(path).folder
        let isThere = faccessat(AT_FDCWD, path, F_OK, AT_EACCESS) == 0
        // A folder that cannot be searched hides whether the file is there.
        if !isThere, errno == EACCES { return denied("to search", folder) }
        if !isThere, !isWriting { return of(errno, path) }
        if isThere, let code = refusal(path, isWriting ? R_OK | W_OK : R_OK) {
            return of(code, path, doing: isWriting ? "to write to" : "to read")
        }
        return refusal(folder, W_OK | X_OK).flatMap { of($0, folder, doing: "to write in") }
    }

    /// Why access is refused; nil where it is granted.
    private static func refusal(_ path: String, _ mode: Int32) -> Int32? {
        faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 ? nil : errno
    }

    private static func denied(_ deed: String, _ place: String) -> Self {
        Self(
            .denied, "permission denied for user \(geteuid()) \(deed) \(place)",
            "file and folder have to belong to the user that runs this")
    }

    /// What an errno of open(2), write(2) or fsync(2) means.
    private static func of(_ code: Int32, _ place: String, doing deed: String = "at") -> Self? {
        switch code {
        case 0: nil
        case ENOSPC, EDQUOT: full
        case EROFS:
            Self(
                .readOnly, "the file system is read-only",
                "journalctl -k -g 'mmc|I/O error|remount' says why; mount it again for writing, or "
                    + "replace a worn disk")
        case EACCES, EPERM: denied(deed, place)
        case EIO, ENXIO, ENODEV:
            Self(
                .ioError, "the disk has an I/O error (\(String(cString: strerror(code))))",
                "journalctl -k -g 'mmc|I/O error'; replace the disk, and restore a backup")
        case ENOENT: Self(.absent, "there is no such file", nil)
        default: Self(.other, String(cString: strerror(code)), nil)
        }
    }

    static let full = Self(
        .full, "the disk is full",
        "make room on it; nothing is lost as long as the gateways have it")
}

extension StoreFailure {
    init(_ trouble: FileTrouble, _ operation: String, _ place: String) {
        self.init(trouble.kind, operation, place, trouble.cause, remedy: trouble.remedy)
    }
}
