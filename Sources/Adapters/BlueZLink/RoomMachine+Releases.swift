import Rowing
import Timeline

/// Released monitors: their links end, and rowgate neither connects to them nor scans for them.
///
/// Changes `releases`, `sleepingMonitors` and `actions`; links through `drive`.
extension RoomMachine {
    mutating func startRelease(_ serial: String, _ release: MonitorRelease) {
        guard let machine = monitors[serial], releases[serial] != release else { return }
        releases[serial] = release
        actions.append(.noteRelease(serial: serial, release))
        endLooseLink(of: machine)
    }

    /// Ends a link whose streams just ended: no machine owns it.
    mutating func endLooseLink(of machine: LinkMachine) {
        guard !machine.isEngaged, tree.devices[machine.attempt.path]?.isConnected == true else {
            return
        }
        actions.append(.link(.disconnect(machine.attempt)))
    }

    /// Ends a release; scans look for a sleeping monitor like for any other from now on.
    mutating func endRelease(_ serial: String) {
        sleepingMonitors[serial]?.isAwake = true
        guard releases.removeValue(forKey: serial) != nil else { return }
        actions.append(.noteRelease(serial: serial, nil))
    }

    /// Ends expired releases, and the links of released monitors.
    mutating func updateReleases(at now: BootInstant) {
        for (serial, release) in releases.sorted(by: { $0.key < $1.key }) {
            if let end = release.until, now >= end {
                endRelease(serial)
            } else if monitors[serial]?.isEngaged == true {
                drive(serial, .released, at: now)
            }
        }
    }

    /// When the state changes without an event.
    var releaseDeadlines: [BootInstant] { releases.values.compactMap(\.until) }
}
