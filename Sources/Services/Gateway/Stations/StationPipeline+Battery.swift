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
        if let percent = AdditionalStatus3.batteryPercent(in: value, of: characteristic) {
            noteBattery(percent, at: now)
        }
    }
}
