import Rowing
import Timeline

/// Lent monitors: their links end, and rowgate neither connects to them nor scans for them.
///
/// Changes `loans`, `sleepers` and `actions`; links through `drive`.
extension RoomMachine {
    mutating func lend(_ serial: String, _ loan: Loan) {
        guard let machine = monitors[serial], loans[serial] != loan else { return }
        loans[serial] = loan
        actions.append(.noteLoan(serial: serial, loan))
        endLooseLink(of: machine)
    }

    /// A link whose streams just ended has no owner, and must still be ended.
    mutating func endLooseLink(of machine: LinkMachine) {
        guard !machine.isEngaged, tree.devices[machine.attempt.path]?.isConnected == true else {
            return
        }
        actions.append(.link(.disconnect(machine.attempt)))
    }

    /// A sleeping monitor is looked for like any other from now on.
    mutating func takeBack(_ serial: String) {
        sleepers[serial]?.isAwake = true
        guard loans.removeValue(forKey: serial) != nil else { return }
        actions.append(.noteLoan(serial: serial, nil))
    }

    /// Ends expired loans, and the links of monitors that were lent.
    mutating func settleLoans(at now: BootInstant) {
        for (serial, loan) in loans.sorted(by: { $0.key < $1.key }) {
            if let end = loan.until, now >= end {
                takeBack(serial)
            } else if monitors[serial]?.isEngaged == true {
                drive(serial, .released, at: now)
            }
        }
    }

    /// When the state changes without an event.
    var loanDeadlines: [BootInstant] { loans.values.compactMap(\.until) }
}
