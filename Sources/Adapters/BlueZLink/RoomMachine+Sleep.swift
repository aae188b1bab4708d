import Rowing
import Timeline

/// Unused monitors: their links end, and the room listens for them.
///
/// Changes `sleepingMonitors` and `actions`; links through `drive`.
extension RoomMachine {
    /// Releases monitors that were idle for too long, and ends the sleep of monitors that are
    /// linked again.
    mutating func updateSleepingMonitors(at now: BootInstant) {
        guard let rule = rules.idleRelease else { return }
        for (serial, instant) in idleEnds where now >= instant {
            sleepingMonitors[serial] = SleepingMonitor(holdEnd: now.advanced(by: rule.hold), at: now)
            actions.append(.noteSleep(serial: serial, after: rule.after))
            drive(serial, .released, at: now)
        }
        for (serial, sleeper) in sleepingMonitors.sorted(by: { $0.key < $1.key }) {
            guard let machine = monitors[serial] else {
                sleepingMonitors[serial] = nil
                continue
            }
            if sleeper.isAwake, case .streaming = machine.state {
                sleepingMonitors[serial] = nil
                actions.append(.noteSleep(serial: serial, after: nil))
            } else if !sleeper.isAwake, machine.isEngaged {
                drive(serial, .released, at: now)
            }
        }
    }

    /// Whether a monitor was released and has not been silent since: until then it is left alone.
    func isAsleep(_ serial: String) -> Bool { sleepingMonitors[serial]?.isAwake == false }

    mutating func noteScan(since start: BootInstant, at now: BootInstant) {
        for serial in sleepingMonitors.keys { sleepingMonitors[serial]?.noteScan(since: start, at: now) }
    }

    /// When each open link will have been unused for too long.
    var idleEnds: [(String, BootInstant)] {
        guard let rule = rules.idleRelease else { return [] }
        return monitors.values.sorted { $0.serial < $1.serial }.compactMap { machine in
            guard case .streaming = machine.state, releases[machine.serial] == nil,
                sleepingMonitors[machine.serial] == nil
            else { return nil }
            return (machine.serial, machine.lastUse.advanced(by: rule.after))
        }
    }
}
