extension Checkup {
    /// Folders that ProtectHome= and PrivateTmp= of the unit hide from the daemon.
    private static let hiddenFolders = ["/home", "/root", "/run/user", "/tmp", "/var/tmp"]

    static func permissions(_ facts: [PermissionFacts]) -> [Finding] {
        let wrong = facts.compactMap { fact in
            fact.need == .owned ? ownership(fact) : access(fact)
        }
        if facts.isEmpty || !wrong.isEmpty { return wrong }
        return [.ok(.permissions, "owners and permissions are correct")]
    }

    private static func ownership(_ fact: PermissionFacts) -> Finding? {
        guard fact.owner != "rowgate" else { return nil }
        return .fail(
            .permissions, "\(fact.path) belongs to \(fact.owner)",
            remedy: "sudo chown rowgate:rowgate \(fact.path)")
    }

    private static func access(_ fact: PermissionFacts) -> Finding? {
        let path = fact.path
        if let folder = hiddenFolders.first(where: { path.hasPrefix($0 + "/") })
            ?? fact.closedFolder
        {
            return .fail(
                .permissions, "rowgate may not enter \(folder), where \(path) is",
                remedy: "sudo install -g rowgate -m 640 \(path) /etc/rowgate/; then name it there")
        }
        guard isReadable(fact) else {
            return .fail(
                .permissions, "rowgate may not read \(path)",
                remedy: "sudo chgrp rowgate \(path); sudo chmod g+r \(path)")
        }
        guard fact.need == .secret, fact.mode & 0o007 != 0 else { return nil }
        return .warn(
            .permissions, "all users of this machine may read \(path)",
            remedy: "sudo chgrp rowgate \(path); sudo chmod g+r,o= \(path)")
    }

    /// Like the kernel, uses the first permission class that contains the daemon's user.
    private static func isReadable(_ fact: PermissionFacts) -> Bool {
        let digit =
            fact.owner == "rowgate"
            ? fact.mode >> 6 : fact.group == "rowgate" ? fact.mode >> 3 : fact.mode
        return digit & 0o4 != 0
    }
}
