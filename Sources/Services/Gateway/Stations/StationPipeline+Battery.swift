import PM5Codec
import Rowing
import Timeline

/// How full the batteries of the monitor are. Changes `batteryWatch`.
extension StationPipeline {
    /// Asks now and then, where answers can be heard.
    func watchBattery(at now: BootInstant) {
        guard let channel, identity?.notifying.contains(.csafeOut) == true,
            batteryWatch.isDue(at: now)
        else { return }
        channel.ask(.battery)
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
