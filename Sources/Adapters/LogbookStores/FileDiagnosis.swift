import Glibc

/// Finds out why a file cannot be opened, read or written, by examining the file, its folder and its file
/// system. SQLite reports only "unable to open database file".
struct FileDiagnosis: Equatable {
    let kind: StoreFailure.Kind
    let cause: String
    let remedy: String?

    /// - Parameters:
    ///   - path: the file.
    ///   - isWriting: whether the file is created or written. The folder must be writable in any case,
    ///     since SQLite creates files next to a store that it only reads.
    ///   - code: errno of the failed call; 0 if unknown.
    /// - Returns: nil if no cause is found.
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

    /// A missing folder, or a path component of the wrong kind.
    private static func ofPlace(_ path: String) -> Self? {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { return nil }
            return Self(.misplaced, "it is a folder", "give the path of a file")
        }
        guard errno == ENOENT || errno == ENOTDIR else { return nil }
        var folder = StoreFile(path).folder
        var missing: String?
        while stat(folder, &status) != 0, errno == ENOENT || errno == ENOTDIR, folder != "/" {
            missing = folder
            folder = StoreFile(folder).folder
        }
        if stat(folder, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
            return Self(.misplaced, "\(folder) is not a folder", "use another folder, or move that file")
        }
        return missing.map { _ in
            let folder = StoreFile(path).folder
            return Self(
                .misplaced, "there is no folder \(folder)",
                "create it, owned by the user that runs this program")
        }
    }

    /// Missing permission, or a read-only file system.
    private static func ofAccess(_ path: String, _ isWriting: Bool) -> Self? {
        let folder = StoreFile(path).folder
        let isThere = faccessat(AT_FDCWD, path, F_OK, AT_EACCESS) == 0
        // Without search permission for the folder, it is unknown whether the file exists.
        if !isThere, errno == EACCES { return denied("to search", folder) }
        if !isThere, !isWriting { return of(errno, path) }
        if isThere, let code = refusal(path, isWriting ? R_OK | W_OK : R_OK) {
            return of(code, path, doing: isWriting ? "to write to" : "to read")
        }
        return refusal(folder, W_OK | X_OK).flatMap { of($0, folder, doing: "to write in") }
    }

    /// The errno of a refused access; nil if access is granted.
    private static func refusal(_ path: String, _ mode: Int32) -> Int32? {
        faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 ? nil : errno
    }

    private static func denied(_ deed: String, _ place: String) -> Self {
        Self(
            .denied, "permission denied for user \(geteuid()) \(deed) \(place)",
            "file and folder have to belong to the user that runs this")
    }

    /// The meaning of an errno of open(2), write(2) or fsync(2).
    private static func of(_ code: Int32, _ place: String, doing deed: String = "at") -> Self? {
        switch code {
        case 0: nil
        case ENOSPC, EDQUOT: full
        case EROFS:
            Self(
                .readOnly, "the file system is read-only",
                "journalctl -k -g 'mmc|I/O error|remount' shows the cause; remount it writable, or "
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
        "free space on it; gateways send the missing records again")
}

extension StoreFailure {
    init(_ trouble: FileDiagnosis, _ operation: String, _ place: String) {
        self.init(trouble.kind, operation, place, trouble.cause, remedy: trouble.remedy)
    }
}
