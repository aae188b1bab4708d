import Rowing
import Timeline

/// Monitors that are lent: their links end, nobody connects to them or scans for them.
///
/// Changes `loans` and `actions`; links through `drive`.
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

    mutating func takeBack(_ serial: String) {
        guard loans.removeValue(forKey: serial) != nil else { return }
        actions.append(.noteLoan(serial: serial, nil))
    }

    /// Begins loans for which it is time, and ends those whose time is over.
    mutating func settleLoans(at now: BootInstant) {
        for (serial, instant) in idleEnds where now >= instant {
            guard let rule = rules.idleRelease else { continue }
            lend(
                serial,
                Loan(cause: .idleness(rule.after), until: now.advanced(by: rule.hold)))
        }
        for (serial, loan) in loans.sorted(by: { $0.key < $1.key }) {
            if let end = loan.until, now >= end {
                takeBack(serial)
            } else if monitors[serial]?.isEngaged == true {
                drive(serial, .released, at: now)
            }
        }
    }

    /// When time alone changes something here.
    var loanDeadlines: [BootInstant] { loans.values.compactMap(\.until) + idleEnds.map(\.1) }

    /// When each open link will have been without a stroke for too long.
    private var idleEnds: [(String, BootInstant)] {
        guard let rule = rules.idleRelease else { return [] }
        return monitors.values.sorted { $0.serial < $1.serial }.compactMap { machine in
            guard case .streaming = machine.state, loans[machine.serial] == nil else {
                return nil
            }
            return (machine.serial, machine.lastUse.advanced(by: rule.after))
        }
    }
}
