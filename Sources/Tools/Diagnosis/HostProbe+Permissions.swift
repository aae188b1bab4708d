import Glibc

extension HostProbe {
    /// Owner and mode of a file, and whether the daemon gets to it; nil when it is not there or not
    /// to be seen.
    package func permissions(_ path: String, _ need: PermissionFacts.Need) -> PermissionFacts? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return PermissionFacts(
            path: path, need: need, owner: Self.userName(status.st_uid),
            group: Self.groupName(status.st_gid), mode: Int(status.st_mode & 0o777),
            closedFolder: Self.closedFolder(above: path))
    }

    /// The first folder from the root on that the user `rowgate` may not search.
    private static func closedFolder(above path: String) -> String? {
        var folder = ""
        for name in path.split(separator: "/").dropLast() {
            folder += "/" + name
            var status = stat()
            guard stat(folder, &status) == 0 else { return nil }
            let shift: UInt32 =
                userName(status.st_uid) == "rowgate"
                ? 6 : groupName(status.st_gid) == "rowgate" ? 3 : 0
            if status.st_mode >> shift & 0o1 == 0 { return folder }
        }
        return nil
    }

    private static func userName(_ id: uid_t) -> String {
        guard let entry = getpwuid(id) else { return String(id) }
        return String(cString: entry.pointee.pw_name)
    }

    private static func groupName(_ id: gid_t) -> String {
        guard let entry = getgrgid(id) else { return String(id) }
        return String(cString: entry.pointee.gr_name)
    }
}
