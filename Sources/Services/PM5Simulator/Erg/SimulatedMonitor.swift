import PM5Codec

/// A monitor as the radio sees it: simulated or replayed.
///
/// Times are milliseconds of the simulation. Calls other than `step` are about the time that the
/// last `step` reached.
package protocol SimulatedMonitor: Sendable {
    var identity: SimulatedIdentity { get }
    /// When something happens next.
    var nextMilliseconds: Int { get }
    /// Whether all that was to be rowed, or replayed, has been sent.
    var isDone: Bool { get }
    var subscriptions: Set<CharacteristicID> { get }

    mutating func step(to milliseconds: Int) -> [ErgOutput]
    mutating func setConnected(_ connected: Bool)
    mutating func setSubscribed(_ subscribed: Bool, to id: CharacteristicID)
    /// Nil when the characteristic cannot be read.
    func read(_ id: CharacteristicID) -> [UInt8]?
    mutating func write(_ bytes: [UInt8], to id: CharacteristicID)
    /// The monitor comes back with another firmware.
    mutating func updateFirmware(to version: String)
    /// The rower stops pulling for a while after the drive being rowed, or the next one.
    mutating func pause(forMilliseconds milliseconds: Int)
    /// The rower gives that part of the planned speed, reached within a while.
    mutating func give(_ part: Double, withinMilliseconds milliseconds: Int)
    /// Whether the rower waits for a word before each piece, as at the start of a race.
    mutating func hold(_ isHeld: Bool)
    /// The word: the rower begins what is on the screen so long after it, if it can be begun then.
    mutating func begin(afterMilliseconds milliseconds: Int)
    /// Whether the rower's belt, if there is one, reaches the monitor.
    mutating func setBelt(heard isHeard: Bool)
    var isOn: Bool { get }
    /// Whether it lets itself be found while it has no link.
    var isAdvertising: Bool { get }
    /// Wakes it, too.
    mutating func press(_ key: MonitorKey)
    /// Wakes it, and rows.
    mutating func pullHandle()
    mutating func leave()
    mutating func setBattery(percent: Double)
}

/// A recording goes on as it was made.
extension SimulatedMonitor {
    package mutating func give(_ part: Double, withinMilliseconds milliseconds: Int) {}
    package mutating func hold(_ isHeld: Bool) {}
    package mutating func begin(afterMilliseconds milliseconds: Int) {}
    package mutating func setBelt(heard isHeard: Bool) {}
    package var isOn: Bool { true }
    package var isAdvertising: Bool { true }
    package mutating func press(_ key: MonitorKey) {}
    package mutating func pullHandle() {}
    package mutating func leave() {}
    package mutating func setBattery(percent: Double) {}
}
