import PM5Codec
import Rowing
import Timeline

/// When a monitor is asked for the level of its batteries.
struct BatteryWatch {
    /// Two D cells last for months of use.
    static let interval = Duration.seconds(1800)
    private var next: BootInstant?

    /// Another link: its monitor may have got new batteries meanwhile.
    mutating func linkOpened() { next = nil }

    /// Whether it is time to ask; then it is not for a while.
    mutating func isDue(at now: BootInstant) -> Bool {
        if let next, now < next { return false }
        next = now.advanced(by: Self.interval)
        return true
    }
}

/// How full the batteries of the monitor are. Changes `batteryWatch`.
extension StationPipeline {
    /// Below this a person should see to it that there are new ones.
    static let lowBatteryPercent = 15

    /// Asks now and then, where answers can be heard.
    func watchBattery(at now: BootInstant) {
        guard let channel, identity?.notifying.contains(.csafeOut) == true,
            batteryWatch.isDue(at: now)
        else { return }
        channel.askBattery()
    }

    /// Some firmware tells by itself, at the end of 0x003E.
    func noteBattery(
        in value: UnsafeRawBufferPointer, of characteristic: CharacteristicID, at now: BootInstant
    ) {
        let percent: Int? =
            switch characteristic {
            case .additionalStatus3: AdditionalStatus3.batteryPercent(of: value)
            case .multiplexed
            where value.first.map(UInt16.init) == CharacteristicID.additionalStatus3.rawValue:
                AdditionalStatus3.batteryPercent(
                    of: UnsafeRawBufferPointer(rebasing: value.dropFirst()))
            default: nil
            }
        if let percent { noteBattery(percent, at: now) }
    }
}
