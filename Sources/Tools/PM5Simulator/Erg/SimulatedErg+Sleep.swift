import PM5Codec

/// Switches the monitor off and on, and simulates rowers arriving and leaving. Changes `power`, the
/// last piece (`piece`, `ended`, `state`, `workout`, `isProgrammed`), and the rower's intentions
/// (`wantsToRow`, `breakUntil`).
extension SimulatedErg {
    package var isAdvertising: Bool { power.isAdvertising }
    package var isOn: Bool { power.isOn }

    package mutating func press(_ key: MonitorKey) {
        let wasOn = power.isOn
        wake(key)
        if wasOn, key == .menu { goToMainScreen() }
    }

    package mutating func pullHandle() {
        wake(nil)
        guard power.isOn else { return }
        wantsToRow = true
        breakUntil = 0
        awaitRower()
    }

    /// The rower leaves, in the middle of a piece or not.
    package mutating func leave() {
        wantsToRow = false
        schedule.remove { $0 == .rowerBegins }
        power.noteUse(at: now)
        if let piece, !piece.isOver { stopEarly() } else { rearm() }
    }

    package mutating func setBattery(percent: Double) {
        power.setBattery(percent: percent, at: now)
    }

    package mutating func advanceClock(bySeconds seconds: Int) {
        calendar.advance(byMilliseconds: seconds * 1000)
    }

    private mutating func wake(_ key: MonitorKey?) {
        power.wake(key, at: now)
        scheduleSleep()
    }

    func batteryLevel() -> UInt8 { UInt8(power.batteryPercent(at: now).rounded(.up)) }

    /// Must be called when the monitor is used, which delays its sleep.
    mutating func scheduleSleep() {
        schedule.remove { $0 == .sleepDue }
        if let time = power.sleepTime { schedule.add(.sleepDue, at: max(time, now + 1)) }
    }

    /// Switches off, unless it was used meanwhile; a waiting rower keeps it on.
    mutating func sleepIfUnused() {
        if isConnected || wantsToRow || piece?.isOver == false { power.noteUse(at: now) }
        guard let time = power.sleepTime, time <= now else { return scheduleSleep() }
        power.switchOff(at: now)
        schedule.remove { event in
            switch event {
            case .state, .piece, .screenTask, .arm, .controlAnswer, .rowerPressesMenu: true
            default: false
            }
        }
        (piece, ended, state) = (nil, nil, .waitToBegin)
        if isProgrammed { workout = .justRow }
        isProgrammed = false
    }
}
