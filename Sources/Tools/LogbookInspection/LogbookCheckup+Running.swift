import CommandLineText
import Timeline

/// What the logbook that runs says of its store, and what it refused.
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
            case "new": "a new one was made"
            case "same": "it came back"
            default: "another file is used now"
            }
        let moment = CivilTime(unixMilliseconds: time).rfc3339
        return [
            CheckupLine(
                "storing", .warn,
                "the store's file was removed or moved away while the logbook ran, \(moment): \(file)",
                remedy: "what gateways still have comes back by itself; for the rest rowgate-logbook "
                    + "restore, from a backup or the file that was moved")
        ]
    }

    private static func refusals(of running: RunningLogbook) -> [CheckupLine] {
        running.refusals.map { refusal in
            let isPassing = RunningLogbook.isPassing(refusal.reason)
            let count = Int(clamping: refusal.count).counted(isPassing ? "record" : "message")
            return CheckupLine(
                "refused", .warn,
                "\(count) refused since the logbook's start: \(RunningLogbook.words(of: refusal.reason))",
                remedy: isPassing
                    ? "once the store has room they are requested from the gateways; see holes"
                    : "journalctl -u rowgate-logbook -g refused names the first of them")
        }
    }
}
