/// A key of the monitor that a simulated person may press.
package enum MonitorKey: String, Sendable {
    /// Any key wakes a monitor; this one also returns to the main screen.
    case menu
    /// *Connect*: some firmware does not advertise before.
    case connect
}

/// The batteries of a monitor: their charge, and whether the monitor is on and advertises.
///
/// A PM5 on batteries switches itself off four minutes after its last use, but never while it has a
/// link. Its firmware determines whether it advertises as soon as it is on, or only after
/// *Connect*. Times are milliseconds of the erg's clock.
package struct BatteryPower: Sendable {
    /// How long two new D cells last, in hours.
    private static let hoursOfUse = 400.0

    private(set) var isOn = true
    private(set) var keysPressed = 0
    private var isConnectPressed = false
    private let needsConnectKey: Bool
    private let sleepAfter: Int?
    private var lastUse = 0
    private var charge: (percent: Double, at: Int)

    /// - Parameters:
    ///   - sleepAfterMilliseconds: nil for a monitor that stays on.
    ///   - needsConnectKey: whether it advertises only after *Connect* was pressed.
    package init(
        sleepAfterMilliseconds: Int? = nil, needsConnectKey: Bool = false,
        batteryPercent: Double = 80
    ) {
        sleepAfter = sleepAfterMilliseconds
        self.needsConnectKey = needsConnectKey
        charge = (batteryPercent, 0)
    }

    var isAdvertising: Bool { isOn && (isConnectPressed || !needsConnectKey) }
    /// When it switches itself off, unless it is used before; nil for never, and while it is off.
    var sleepTime: Int? { isOn ? sleepAfter.map { lastUse + $0 } : nil }

    func batteryPercent(at now: Int) -> Double {
        let hours = isOn ? Double(now - charge.at) / 3_600_000 : 0
        return max(0, charge.percent - 100 * hours / Self.hoursOfUse)
    }

    mutating func setBattery(percent: Double, at now: Int) { charge = (percent, now) }

    /// Notes use: rowing, or a connected host.
    mutating func noteUse(at now: Int) { lastUse = now }

    /// Notes a key press or a pull of the handle, which cannot wake empty batteries.
    mutating func wake(_ key: MonitorKey?, at now: Int) {
        charge = (batteryPercent(at: now), now)
        guard charge.percent > 0 else { return }
        isOn = true
        lastUse = now
        guard let key else { return }
        keysPressed += 1
        if key == .connect { isConnectPressed = true }
    }

    mutating func switchOff(at now: Int) {
        charge = (batteryPercent(at: now), now)
        isOn = false
        isConnectPressed = false
    }
}
