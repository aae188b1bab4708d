import HostRuntime
import Rowing

/// Writes the log lines of a room's links. Each line concerns an erg, by its name, or Bluetooth.
///
/// One line per event. The station logs that a link opens or ends; a command logs its effect on an erg.
struct RoomLogger {
    let log: SystemLog
    /// Ergs, by serial number, for which ten or more failures in a row were logged.
    private var failing: Set<String> = []
    /// nil before the first check.
    private(set) var problems: [RoomProblem]?

    init(_ log: SystemLog) { self.log = log }

    // MARK: - An erg

    /// - Parameter erg: its name; nil if it has none yet.
    func scopedLog(_ erg: String?, _ serial: String) -> SystemLog {
        log.scoped(to: erg ?? "PM5 \(serial)")
    }

    func logAbandonedClaim(_ erg: String?, _ serial: String) {
        scopedLog(erg, serial).notice(
            "PM5 \(serial) was absent for long; another monitor takes its place",
            [("monitor", serial)])
    }

    /// - Parameter idle: nil for a monitor that is awake; its station logs the connection.
    func logSleep(of erg: String?, _ serial: String, after idle: Duration?) {
        guard let idle else { return }
        scopedLog(erg, serial).notice(
            "unused for \(LinkPhase.idleText(idle)); disconnected so that the monitor can switch "
                + "itself off", [("monitor", serial)])
    }

    func logRemoval(of erg: String?, _ serial: String, firmware: String?) {
        scopedLog(erg, serial).notice(
            "setup failed twice; removing PM5 \(serial) from BlueZ, whose cached services may be outdated; "
                + "firmware at the last connection: \(firmware ?? "unknown")", [("monitor", serial)])
    }

    /// Writes one line for a streak of failures.
    mutating func logFailures(_ status: LinkStatus, of erg: String?, _ serial: String) {
        guard status.failures >= 10 else {
            failing.remove(serial)
            return
        }
        guard failing.insert(serial).inserted else { return }
        let detail = status.lastFailureDetail.map { [("bluez_error", $0)] } ?? []
        scopedLog(erg, serial).warning(
            "ten attempts to connect PM5 \(serial) failed in a row; last error: "
                + "\(status.lastFailure ?? "unknown"); switch the monitor off and on, and close "
                + "ErgData on phones nearby", [("monitor", serial)] + detail,
            event: .monitorUnreachable)
    }

    // MARK: - Bluetooth

    func logPowerCycle(of adapter: String, _ reason: RoomMachine.PowerCycleReason) {
        log.warning("switching \(adapter) off and on: \(reason.rawValue)", event: .adapterHangs)
    }

    func logServiceRestart() {
        log.warning(
            "restarting bluetooth.service: an adapter does not answer", event: .adapterHangs)
    }

    /// Stores the current problems; false if they have not changed.
    mutating func update(_ new: [RoomProblem]) -> Bool {
        guard new != problems else { return false }
        for problem in new where problems?.contains(problem) != true {
            // `logPowerCycle` and `logServiceRestart` cover an adapter that hangs.
            if case .adapterStuck = problem { continue }
            log.warning("\(problem.message); remedy: \(problem.remedy)", event: .bluetoothProblem)
        }
        if new.isEmpty, problems?.isEmpty == false { log.notice("all Bluetooth problems are resolved") }
        problems = new
        return true
    }
}
