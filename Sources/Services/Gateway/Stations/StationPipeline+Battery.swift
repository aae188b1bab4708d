import PM5Codec
import Rowing
import Timeline

/// Battery level of the monitor. Changes `batteryWatch`.
extension StationPipeline {
    /// Requests the battery level periodically, if the monitor can send the answer.
    func watchBattery(at now: BootInstant) {
        guard let channel, identity?.notifying.contains(.csafeOut) == true,
            batteryWatch.isDue(at: now)
        else { return }
        channel.enqueue(.battery)
    }

    /// Handles the battery level that some firmware sends at the end of 0x003E.
    func noteBattery(
        in value: UnsafeRawBufferPointer, of characteristic: CharacteristicID, at now: BootInstant
    ) {
        if let percent = AdditionalStatus3.batteryPercent(in: value, of: characteristic) {
            noteBattery(percent, at: now)
        }
    }
}
