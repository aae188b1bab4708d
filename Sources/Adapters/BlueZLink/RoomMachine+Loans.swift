import Rowing
import Timeline

/// Monitors that are lent: their links end, nobody connects to them or scans for them.
///
/// Changes `loans`, `sleepers` and `actions`; links through `drive`.
extension RoomMachine {
    mutating func lend(_ serial: String, _ loan: Loan) {
        guard let machine = monitors[serial], loans[serial] != loan else { return }
        loans[serial] = loan
        actions.append(.noteLoan(serial: serial, loan))
        endLooseLink(of: machine)
    }

    /// A link whose streams ended just now is nobody's, and still ours to end.
    mutating func endLooseLink(of machine: LinkMachine) {
        guard !machine.isEngaged, tree.devices[machine.attempt.path]?.isConnected == true else {
            return
        }
        actions.append(.link(.disconnect(machine.attempt)))
    }

    /// One that sleeps is looked for like any other from now on.
    mutating func takeBack(_ serial: String) {
        sleepers[serial]?.isAwake = true
        guard loans.removeValue(forKey: serial) != nil else { return }
        actions.append(.noteLoan(serial: serial, nil))
    }

    /// Ends loans whose time is over, and the links of monitors that were lent.
    mutating func settleLoans(at now: BootInstant) {
        for (serial, loan) in loans.sorted(by: { $0.key < $1.key }) {
            if let end = loan.until, now >= end {
                takeBack(serial)
            } else if monitors[serial]?.isEngaged == true {
                drive(serial, .released, at: now)
            }
        }
    }

    /// When time alone changes something here.
    var loanDeadlines: [BootInstant] { loans.values.compactMap(\.until) }
}
