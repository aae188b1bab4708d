import Bytes
import PM5Codec

/// The Fitness Machine Service of a monitor that has none, made from the monitor's own values, for apps that
/// do not know Concept2's services.
///
/// Firmware before 2019 lacks the service. Where the monitor has it, the relay passes that on instead. Distance,
/// time and strokes are those on the monitor's display, so they restart at each interval.
///
/// Source: Fitness Machine Service 1.0, Bluetooth SIG: 4.3 (feature), 4.8 (rower data), 4.16 (control point);
/// which characteristics a machine must have: 3.1.
package struct FitnessMachineValues: Sendable {
    package static let serviceUUID = RelayTable.text(0x1826)
    package static let featureUUID = RelayTable.text(0x2ACC)
    package static let rowerDataUUID = RelayTable.text(0x2AD1)
    package static let controlPointUUID = RelayTable.text(0x2AD9)
    /// Required beside a control point; it reports changes of settings, of which there are none here.
    private static let statusUUID = RelayTable.text(0x2ADA)

    /// The service as a monitor would have it.
    package static let source = RelayTable.Source(
        uuid: serviceUUID,
        characteristics: [
            (featureUUID, ["read"]), (rowerDataUUID, ["notify"]), (controlPointUUID, ["write", "indicate"]),
            (statusUUID, ["notify"]),
        ])

    /// The value of 0x2ACC: stroke rate, distance, pace, energy, heart rate, time and power; no target can be set.
    package static let feature: [UInt8] = {
        var writer = ByteWriter()
        let bits: [UInt32] = [1, 2, 5, 9, 10, 12, 14]
        writer.uint32(bits.reduce(0) { $0 | 1 << $1 })
        writer.uint32(0)
        return writer.bytes
    }()

    private var status: GeneralStatus?
    private var status1: AdditionalStatus1?
    /// nil before the first stroke.
    private var stroke: AdditionalStrokeData?

    package init() {}

    /// Returns the indication that answers a write to 0x2AD9; nil for an empty one.
    ///
    /// Control is granted, because apps ask for it first, and nothing can be controlled: workouts are set through
    /// Concept2's services or by rowgate.
    package static func answer(to request: [UInt8]) -> [UInt8]? {
        guard let operation = request.first else { return nil }
        let (requestControl, success, notSupported): (UInt8, UInt8, UInt8) = (0x00, 0x01, 0x02)
        return [0x80, operation, operation == requestControl ? success : notSupported]
    }

    /// Returns a value of 0x2AD1 after the last of the three values of a status; nil after all others.
    ///
    /// - Parameter bytes: a value of `id`, which may be 0x0080.
    package mutating func rowerData(after id: CharacteristicID, _ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        switch try? Notification(characteristic: id, bytes: bytes) {
        case .generalStatus(let value): status = value
        case .additionalStatus1(let value): status1 = value
        case .additionalStrokeData(let value): stroke = value
        case .additionalStatus2(let value):
            if let status, let status1 { return rowerData(status, status1, calories: value.totalCalories) }
        default: break
        }
        return nil
    }

    /// 20 bytes, which fit the smallest packet: stroke rate and count (present while bit 0 is clear), distance,
    /// pace, power, energy, heart rate and elapsed time.
    private func rowerData(
        _ status: GeneralStatus, _ status1: AdditionalStatus1, calories: UInt16
    ) -> [UInt8] {
        let flags: [UInt16] = [2, 3, 5, 8, 9, 11]
        // The monitor freezes its rates in a pause.
        let isRowing = status.rowingState == .active
        let rate = isRowing ? min(status1.knownStrokeRatePerMinute ?? 0, 127) : 0
        let pace = isRowing ? ((status1.knownCurrentPaceCentisecondsPer500m ?? 0) + 50) / 100 : 0
        let caloriesPerHour = isRowing ? stroke?.strokeCaloriesPerHour ?? 0 : 0
        let power = isRowing ? min(stroke?.strokePowerWatts ?? 0, UInt16(Int16.max)) : 0
        var writer = ByteWriter()
        writer.uint16(flags.reduce(0) { $0 | 1 << $1 })
        writer.uint8(2 * rate)
        writer.uint16(stroke?.strokeCount ?? 0)
        writer.uint24(status.distanceDecimeters / 10)
        writer.uint16(pace)
        writer.uint16(power)
        writer.uint16(calories)
        writer.uint16(caloriesPerHour)
        // Per minute; 0xFF means that it is not known.
        writer.uint8(UInt8(min(caloriesPerHour / 60, 254)))
        writer.uint8(status1.knownHeartRateBeatsPerMinute ?? 0)
        writer.uint16(UInt16(min(status.elapsedCentiseconds / 100, 65_535)))
        return writer.bytes
    }
}
