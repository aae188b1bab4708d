import PM5Codec
import Timeline

/// Two generations of monitors, which send different characteristics.
package enum MonitorGeneration: String, Sendable, CaseIterable {
    /// 2016: 16 bytes of 0x0032, 18 of 0x0038, no force curve, no 0x003E and 0x003F.
    case old
    /// 2022 and later.
    case new

    /// The characteristics that notify.
    package var notifying: [CharacteristicID] {
        let common: [CharacteristicID] = [
            .csafeOut, .generalStatus, .additionalStatus1, .additionalStatus2, .strokeData,
            .additionalStrokeData, .splitData, .additionalSplitData, .workoutSummary,
            .additionalWorkoutSummary, .heartRateBelt, .multiplexed,
        ]
        switch self {
        case .old: return common
        case .new: return common + [.forceCurve, .additionalStatus3, .loggedWorkout]
        }
    }
}

/// The machine of a simulated monitor.
package enum SimulatedMachine: String, Sendable, CaseIterable {
    case row, slides, dynamic, ski, bike

    package var type: ErgMachineType {
        switch self {
        case .row: .modelD
        case .slides: .modelDOnSlides
        case .dynamic: .dynamic
        case .ski: .skiErg
        case .bike: .bikeWithoutArms
        }
    }

    fileprivate var hint: AdvertisedName.MachineHint {
        switch self {
        case .row, .slides, .dynamic: .row
        case .ski: .ski
        case .bike: .bike
        }
    }
}

/// The identity of a simulated monitor.
package struct SimulatedIdentity: Equatable, Sendable {
    /// Nine digits.
    package let serial: String
    package let generation: MonitorGeneration
    /// The machine type; old firmware does not report it.
    package var machine: SimulatedMachine
    package var hardware: String
    package var firmware: String

    package init(
        serial: String, generation: MonitorGeneration, machine: SimulatedMachine = .row
    ) {
        self.serial = serial
        self.machine = machine
        self.generation = generation
        switch generation {
        case .old: (hardware, firmware) = ("340", "8200-000320-020.000")
        case .new: (hardware, firmware) = ("634", "8200-000372-176.000")
        }
    }

    /// The advertised name; only newer firmware says which machine it is on.
    package var name: String {
        AdvertisedName(serial: serial, machineHint: generation == .new ? machine.hint : nil).text
    }

    /// The value of a characteristic of the device information service; nil when it has none.
    package func value(of id: CharacteristicID) -> [UInt8]? {
        switch id {
        case .serialNumber: Array(serial.utf8)
        case .hardwareRevision: Array(hardware.utf8)
        case .firmwareRevision: Self.padded(firmware, to: 20)
        case .manufacturerName: Self.padded("Concept2", to: 16)
        case .modelNumber where generation == .new: Self.padded("PM5", to: 16)
        case .ergMachineType where generation == .new: [machine.type.rawValue]
        case .attributeTransferUnit where generation == .new: [23, 0]
        case .linkLayerDataLength where generation == .new: [27, 0]
        default: nil
        }
    }

    private static func padded(_ text: String, to length: Int) -> [UInt8] {
        let bytes = Array(text.utf8.prefix(length))
        return bytes + [UInt8](repeating: 0, count: length - bytes.count)
    }
}

/// The monitor's own calendar, for the dates of its log.
package struct MonitorCalendar: Equatable, Sendable {
    /// Local milliseconds since 1970-01-01 00:00 when the simulation starts.
    private var millisecondsAtStart: Int

    package init(millisecondsAtStart: Int) { self.millisecondsAtStart = millisecondsAtStart }

    package init(minutesAtStart: Int) { self.init(millisecondsAtStart: minutesAtStart * 60_000) }

    /// The local time in milliseconds since 1970-01-01 00:00, `milliseconds` after the start.
    package func local(at milliseconds: Int) -> Int { millisecondsAtStart + milliseconds }

    /// Sets date and minute, `milliseconds` after the start. The seconds begin again.
    mutating func set(_ clock: MonitorClock, at milliseconds: Int) {
        let day = CalendarDay(year: Int64(clock.year), month: Int64(clock.month), day: Int64(clock.day))
        let minutes = Int(day.number) * 1440 + Int(clock.hour) * 60 + Int(clock.minute)
        millisecondsAtStart = minutes * 60_000 - milliseconds
    }

    /// Moves the time forward; back if negative.
    mutating func advance(byMilliseconds milliseconds: Int) { millisecondsAtStart += milliseconds }

    /// Date and minute, `milliseconds` after the start.
    func timestamp(at milliseconds: Int) -> LogTimestamp {
        let local = CivilTime(unixMilliseconds: Int64(local(at: milliseconds)))
        return LogTimestamp(
            date: LogDate(year: Int(local.year), month: Int(local.month), day: Int(local.day)),
            time: LogTime(hour: Int(local.hour), minute: Int(local.minute)))
    }
}
