import CommandLineText
import Timeline

/// Findings about the running logbook: its store and the records that it refused.
extension LogbookCheckup {
    static func running(_ running: RunningLogbook?) -> [CheckupLine] {
        guard let running else { return [] }
        return failure(of: running) + replacement(of: running) + refusals(of: running)
    }

    private static func failure(of running: RunningLogbook) -> [CheckupLine] {
        guard let reason = running.failure else { return [] }
        let waiting = Int(clamping: running.waiting).counted("record")
        return [
            CheckupLine(
                "storing", .fail,
                "the logbook stores nothing: \(RunningLogbook.words(of: reason)); \(waiting) in memory",
                remedy: "journalctl -u rowgate-logbook -p warning -n 20")
        ]
    }

    private static func replacement(of running: RunningLogbook) -> [CheckupLine] {
        guard let replacement = running.replacement, let time = running.replacedAt else { return [] }
        let file =
            switch replacement {
            case "new": "a new file was created"
            case "same": "the file returned"
            default: "a different file is used now"
            }
        let moment = CivilTime(unixMilliseconds: time).rfc3339
        return [
            CheckupLine(
                "storing", .warn,
                "the store's file was removed or moved away while the logbook ran, \(moment): \(file)",
                remedy: "records that gateways still have are fetched again; for others run rowgate-logbook "
                    + "restore with a backup or the moved file")
        ]
    }

    private static func refusals(of running: RunningLogbook) -> [CheckupLine] {
        running.refusals.map { refusal in
            let isRequestedAgain = RunningLogbook.isRequestedAgain(refusal.reason)
            let count = Int(clamping: refusal.count).counted(isRequestedAgain ? "record" : "message")
            return CheckupLine(
                "refused", .warn,
                "\(count) refused since the logbook's start: \(RunningLogbook.words(of: refusal.reason))",
                remedy: isRequestedAgain
                    ? "they are requested again once the store has space; see holes"
                    : "journalctl -u rowgate-logbook -g refused shows the first of them")
        }
    }
}
