import HostRuntime
import Rowing

/// Writes the log lines of a room's links. Each line concerns an erg, by its name, or Bluetooth.
///
/// One line per event. The station logs that a link opens or ends; the command logs what it does to
/// an erg.
struct RoomLines {
    let log: SystemLog
    /// Ergs, by serial number, for which ten or more failures in a row were logged.
    private var failing: Set<String> = []
    /// nil before the first check.
    private(set) var problems: [RoomProblem]?

    init(_ log: SystemLog) { self.log = log }

    // MARK: - An erg

    /// - Parameter erg: its name; nil if it has none yet.
    func about(_ erg: String?, _ serial: String) -> SystemLog {
        log.scoped(to: erg ?? "PM5 \(serial)")
    }

    func noteUnseated(_ erg: String?, _ serial: String) {
        about(erg, serial).notice(
            "PM5 \(serial) has not been heard for long; another may have its place",
            [("monitor", serial)])
    }

    /// - Parameter idle: nil for a monitor that is awake; its station logs the connection.
    func noteSleep(of erg: String?, _ serial: String, after idle: Duration?) {
        guard let idle else { return }
        about(erg, serial).notice(
            "nobody used it for \(LinkPhase.words(ofIdleness: idle)); its link is given up, so that "
                + "it can switch itself off", [("monitor", serial)])
    }

    func noteRemoval(of erg: String?, _ serial: String, firmware: String?) {
        about(erg, serial).notice(
            "set up in vain twice, so BlueZ is told to forget what it remembers of PM5 \(serial); "
                + "firmware when last connected: \(firmware ?? "not known")", [("monitor", serial)])
    }

    /// Writes one line for a streak of failures.
    mutating func noteFailures(_ status: LinkStatus, of erg: String?, _ serial: String) {
        guard status.failures >= 10 else {
            failing.remove(serial)
            return
        }
        guard failing.insert(serial).inserted else { return }
        let detail = status.lastFailureDetail.map { [("bluez_error", $0)] } ?? []
        about(erg, serial).warning(
            "ten attempts to connect PM5 \(serial) failed in a row, the last: "
                + "\(status.lastFailure ?? "not known"); switch the monitor off and on, and close "
                + "ErgData on phones nearby", [("monitor", serial)] + detail,
            event: .monitorUnreachable)
    }

    // MARK: - Bluetooth

    func notePowerCycle(of adapter: String, _ reason: RoomMachine.PowerCycleReason) {
        log.warning("switching \(adapter) off and on: \(reason.rawValue)", event: .adapterHangs)
    }

    func noteServiceRestart() {
        log.warning(
            "restarting bluetooth.service: an adapter does not answer", event: .adapterHangs)
    }

    /// Stores the current problems; false if they have not changed.
    mutating func note(_ new: [RoomProblem]) -> Bool {
        guard new != problems else { return false }
        for problem in new where problems?.contains(problem) != true {
            // The recovery of an adapter that hangs has its own lines.
            if case .adapterStuck = problem { continue }
            log.warning("\(problem.words); remedy: \(problem.remedy)", event: .bluetoothProblem)
        }
        if new.isEmpty, problems?.isEmpty == false { log.notice("all is in order again") }
        problems = new
        return true
    }
}
