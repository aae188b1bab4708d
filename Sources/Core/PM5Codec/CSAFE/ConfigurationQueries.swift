// GETPMCFG queries of the CSAFE definition rev 0.25, without race, log card and WiFi.

extension Query<VersionText> {
    /// 0x80: text of up to 16 characters.
    package static var firmwareVersion: Self { Self(0x80, in: .getConfiguration) }
    /// 0x81: text of up to 16 characters.
    package static var hardwareVersion: Self { Self(0x81, in: .getConfiguration) }
}

extension Query<UInt8> {
    /// 0x92: values not published.
    package static var powerUpState: Self { Self(0x92, in: .getConfiguration) }
    /// 0 to 100 %.
    package static var batteryLevelPercent: Self { Self(0x97, in: .getConfiguration) }
    /// 0x9F: the current interval, as in 0x0033.
    package static var workoutIntervalCount: Self { Self(0x9F, in: .getConfiguration) }
}

extension Query<UInt16> {
    /// Revolutions per minute.
    package static var flywheelSpeed: Self { Self(0xEC, in: .getConfiguration) }
}

extension Query<UInt32> {
    /// The serial number.
    package static var hardwareAddress: Self { Self(0x82, in: .getConfiguration) }
    /// 0xE9: unit not documented.
    package static var workOther: Self { Self(0xE9, in: .getConfiguration) }
}

extension Query<HeartRateChannel<UInt16>> {
    /// 0x84: the current sensor, with a 16-bit number.
    package static var heartRateMonitor: Self { Self(0x84, in: .getConfiguration) }
}

extension Query<HeartRateChannel<UInt32>> {
    /// 0xEA: the current sensor, with a 32-bit number.
    package static var extendedHeartRateMonitor: Self { Self(0xEA, in: .getConfiguration) }
}

extension Query<HeartRateBeltReply<UInt16>> {
    /// 0x56: the heart rate belt that the monitor remembers for one of its users, by the user's number in the monitor.
    /// The reply has a belt id of 16 bits.
    package static func heartRateBelt(user: UInt8) -> Self {
        Self(0x56, in: .getConfiguration, [user])
    }
}

extension Query<HeartRateBeltReply<UInt32>> {
    /// 0x57: the known belt of a user number, with a 32-bit number.
    package static func extendedHeartRateBelt(user: UInt8) -> Self {
        Self(0x57, in: .getConfiguration, [user])
    }
}

extension Query<MonitorClock> {
    /// 0x85: the clock of the monitor, which may be wrong.
    package static var dateTime: Self { Self(0x85, in: .getConfiguration) }
}

extension Query<ScreenStatusReply> {
    /// Whether the monitor has executed the last screen command.
    package static var screenStatus: Self { Self(0x86, in: .getConfiguration) }
}

extension Query<WorkoutType> {
    /// 0x89: as in 0x0031, offset 6.
    package static var workoutType: Self { Self(0x89, in: .getConfiguration) }
}

extension Query<DisplayType> {
    /// 0x8A: how values of a workout are displayed.
    package static var displayType: Self { Self(0x8A, in: .getConfiguration) }
}

extension Query<DisplayUnits> {
    /// 0x8B: the units of the display.
    package static var displayUnits: Self { Self(0x8B, in: .getConfiguration) }
}

extension Query<WorkoutState> {
    /// 0x8D: as in 0x0031, offset 8.
    package static var workoutState: Self { Self(0x8D, in: .getConfiguration) }
}

extension Query<IntervalType> {
    /// 0x8E: as in 0x0031, offset 7.
    package static var intervalType: Self { Self(0x8E, in: .getConfiguration) }
}

extension Query<OperationalState> {
    /// 0x8F: as in 0x003E, offset 0; also on firmware without 0x003E.
    package static var operationalState: Self { Self(0x8F, in: .getConfiguration) }
}

extension Query<RowingState> {
    /// 0x93: as in 0x0031, offset 9.
    package static var rowingState: Self { Self(0x93, in: .getConfiguration) }
}

extension Query<LogParametersReply> {
    /// 0x99: the state of the log, for `internalLogMemory`.
    package static var internalLogParameters: Self { Self(0x99, in: .getConfiguration) }
}

extension Query<ProductConfigurationReply> {
    /// 0x9A: version numbers of hardware and software.
    package static var productConfiguration: Self { Self(0x9A, in: .getConfiguration) }
}

extension Query<WorkoutDurationReply> {
    /// 0xE8: as in 0x0031, offsets 14 and 17.
    package static var workoutDuration: Self { Self(0xE8, in: .getConfiguration) }
}

extension Query<ErgMachineType> {
    /// 0xED: as in 0x0016.
    package static var ergMachineType: Self { Self(0xED, in: .getConfiguration) }
}

extension Query<FirmwareUpdateReply> {
    /// 0xEF: values not published.
    package static var firmwareUpdateStatus: Self { Self(0xEF, in: .getConfiguration) }
}

extension Query<LogStructureReply> {
    /// 0x58: a record of the log that is being written; the structures are not published.
    package static func currentLogStructure(_ structure: UInt8, splitNumber: UInt8) -> Self {
        Self(0x58, in: .getConfiguration, [structure, splitNumber])
    }
}
