import PM5Codec

/// A monitor as the radio sees it: simulated or replayed.
///
/// Times are milliseconds of the simulation. Calls other than `step` refer to the time that the
/// last `step` reached.
package protocol SimulatedMonitor: Sendable {
    var identity: SimulatedIdentity { get }
    /// The time of the next event.
    var nextMilliseconds: Int { get }
    /// Whether everything that was to be rowed or replayed has been sent.
    var isDone: Bool { get }
    var subscriptions: Set<CharacteristicID> { get }

    mutating func step(to milliseconds: Int) -> [ErgOutput]
    mutating func setConnected(_ connected: Bool)
    mutating func setSubscribed(_ subscribed: Bool, to id: CharacteristicID)
    /// Nil when the characteristic cannot be read.
    func read(_ id: CharacteristicID) -> [UInt8]?
    mutating func write(_ bytes: [UInt8], to id: CharacteristicID)
    /// Installs another firmware.
    mutating func updateFirmware(to version: String)
    /// Makes the rower pause after the current drive, or the next one.
    mutating func pause(forMilliseconds milliseconds: Int)
    /// Makes the rower row at that part of the planned speed, reached within a while.
    mutating func fade(to part: Double, withinMilliseconds milliseconds: Int)
    /// Whether the rower waits for a start signal before each piece, as in a race.
    mutating func hold(_ isHeld: Bool)
    /// The start signal: the rower begins the shown workout after this time, if possible.
    mutating func begin(afterMilliseconds milliseconds: Int)
    /// Whether the monitor receives the rower's belt, if there is one.
    mutating func setBelt(isReceived: Bool)
    var isOn: Bool { get }
    /// Whether it advertises while it has no link.
    var isAdvertising: Bool { get }
    /// Presses a key, which also wakes it.
    mutating func press(_ key: MonitorKey)
    /// Pulls the handle, which wakes it, and rows.
    mutating func pullHandle()
    mutating func leave()
    mutating func setBattery(percent: Double)
    /// Moves the monitor's clock forward; back if negative.
    mutating func advanceClock(bySeconds seconds: Int)
}

/// A recording continues as it was made.
extension SimulatedMonitor {
    package mutating func fade(to part: Double, withinMilliseconds milliseconds: Int) {}
    package mutating func hold(_ isHeld: Bool) {}
    package mutating func begin(afterMilliseconds milliseconds: Int) {}
    package mutating func setBelt(isReceived: Bool) {}
    package var isOn: Bool { true }
    package var isAdvertising: Bool { true }
    package mutating func press(_ key: MonitorKey) {}
    package mutating func pullHandle() {}
    package mutating func leave() {}
    package mutating func setBattery(percent: Double) {}
    package mutating func advanceClock(bySeconds seconds: Int) {}
}
