import CommandLineText

/// Free space for the ring, and wear of its medium.
extension Checkup {
    /// Bytes that the system itself needs.
    private static let leastFreeBytes = 64 << 20
    /// Good cards take some ten milliseconds.
    private static let slowSeconds = 1.0
    private static let wornPercent = 80
    /// The flash of common SD cards is rated for some hundred to a thousand erasures.
    private static let wornTimes = 500

    static func disk(_ facts: HostFacts) -> [Finding] {
        if let failure = facts.disk.failure {
            return [
                .warn(
                    .disk, failure,
                    remedy: "check ring.path: sudo rowgate --print-config"
                        + facts.configurationOption)
            ]
        }
        return [space(facts.disk, facts.configuration), speed(facts.service), life(facts.disk)]
            .compactMap(\.self)
    }

    /// The slowest sync of the last hour. Strokes do not wait for the disk, but a power cut loses
    /// records that are not durable.
    private static func speed(_ facts: ServiceFacts) -> Finding? {
        guard case .running(let status) = facts, let worst = status.ring.worstCommitSeconds else {
            return nil
        }
        let text = "the disk takes up to \(Int(worst * 1000)) ms to make records durable"
        return max(worst, status.ring.behindSeconds ?? 0) >= slowSeconds
            ? .warn(
                .disk, text,
                remedy: "a card that stalls is worn or slow: take one of class A1 or A2, or a disk "
                    + "on USB")
            : .ok(.disk, text)
    }

    private static func space(_ facts: DiskFacts, _ configuration: ConfigurationFacts) -> Finding {
        let free = "\(ValueFormatter.storage(facts.freeBytes)) free beside \(facts.ringPath)"
        if facts.isReadOnly {
            return .fail(
                .disk, "the file system of \(facts.ringPath) is read-only",
                remedy: "journalctl -k -g 'mmc|I/O error'; a worn SD card turns so: replace it")
        }
        if facts.ringIsMissing, case .valid(let settings, _) = configuration,
            let size = settings.number("ring.size_mib"), facts.freeBytes >> 20 < size
        {
            return .fail(
                .disk, "\(free), too little for the ring of \(size) MiB that is to be made",
                remedy: "sudo apt clean; sudo journalctl --vacuum-size=100M; or a smaller "
                    + "ring.size_mib")
        }
        if facts.freeBytes < leastFreeBytes {
            return .warn(
                .disk, free,
                remedy: "sudo apt clean; sudo journalctl --vacuum-size=100M")
        }
        return .ok(
            .disk, facts.ringBytes.map { "ring of \(ValueFormatter.storage($0)), \(free)" } ?? free
        )
    }

    private static func life(_ facts: DiskFacts) -> Finding? {
        guard let device = facts.device else { return nil }
        guard let used = facts.lifeUsedPercent else {
            return facts.timesWritten.map { life(of: device, writtenTimes: $0) }
        }
        if used > 100 {
            return .fail(
                .flashLife, "\(device) has exceeded its rated life",
                remedy: "back up its data and replace it")
        }
        let text = "\(device) has used up to \(used) % of its life"
        return used >= wornPercent
            ? .warn(.flashLife, text, remedy: "replace it soon, or move the ring (ring.path)")
            : .ok(.flashLife, text)
    }

    /// An SD card does not report its wear; the amount of written data is an indication.
    private static func life(of card: String, writtenTimes times: Int) -> Finding {
        let text = "\(card), an SD card, has been written \(times) times over"
        return times >= wornTimes
            ? .warn(.flashLife, text, remedy: "have a spare ready, or move the ring (ring.path)")
            : .ok(.flashLife, text + "; it does not report its wear")
    }
}

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
