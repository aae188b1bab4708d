// GETPMCFG queries of the CSAFE definition rev 0.25. Race, log card and WiFi ones are left out.

extension Query<VersionText> {
    package static var firmwareVersion: Self { Self(0x80, in: .getConfiguration) }
    package static var hardwareVersion: Self { Self(0x81, in: .getConfiguration) }
}

extension Query<UInt8> {
    package static var powerUpState: Self { Self(0x92, in: .getConfiguration) }
    /// 0 to 100 %.
    package static var batteryLevelPercent: Self { Self(0x97, in: .getConfiguration) }
    package static var workoutIntervalCount: Self { Self(0x9F, in: .getConfiguration) }
}

extension Query<UInt16> {
    /// Revolutions per minute.
    package static var flywheelSpeed: Self { Self(0xEC, in: .getConfiguration) }
}

extension Query<UInt32> {
    /// The serial number.
    package static var hardwareAddress: Self { Self(0x82, in: .getConfiguration) }
    package static var workOther: Self { Self(0xE9, in: .getConfiguration) }
}

extension Query<HeartRateChannel<UInt16>> {
    package static var heartRateMonitor: Self { Self(0x84, in: .getConfiguration) }
}

extension Query<HeartRateChannel<UInt32>> {
    package static var extendedHeartRateMonitor: Self { Self(0xEA, in: .getConfiguration) }
}

extension Query<HeartRateBeltReply<UInt16>> {
    package static func heartRateBelt(user: UInt8) -> Self {
        Self(0x56, in: .getConfiguration, [user])
    }
}

extension Query<HeartRateBeltReply<UInt32>> {
    package static func extendedHeartRateBelt(user: UInt8) -> Self {
        Self(0x57, in: .getConfiguration, [user])
    }
}

extension Query<MonitorClock> {
    package static var dateTime: Self { Self(0x85, in: .getConfiguration) }
}

extension Query<ScreenStatusReply> {
    /// Whether the monitor has obeyed the last screen command.
    package static var screenStatus: Self { Self(0x86, in: .getConfiguration) }
}

extension Query<WorkoutType> {
    package static var workoutType: Self { Self(0x89, in: .getConfiguration) }
}

extension Query<DisplayType> {
    package static var displayType: Self { Self(0x8A, in: .getConfiguration) }
}

extension Query<DisplayUnits> {
    package static var displayUnits: Self { Self(0x8B, in: .getConfiguration) }
}

extension Query<WorkoutState> {
    package static var workoutState: Self { Self(0x8D, in: .getConfiguration) }
}

extension Query<IntervalType> {
    package static var intervalType: Self { Self(0x8E, in: .getConfiguration) }
}

extension Query<OperationalState> {
    package static var operationalState: Self { Self(0x8F, in: .getConfiguration) }
}

extension Query<RowingState> {
    package static var rowingState: Self { Self(0x93, in: .getConfiguration) }
}

extension Query<LogParametersReply> {
    package static var internalLogParameters: Self { Self(0x99, in: .getConfiguration) }
}

extension Query<ProductConfigurationReply> {
    package static var productConfiguration: Self { Self(0x9A, in: .getConfiguration) }
}

extension Query<WorkoutDurationReply> {
    package static var workoutDuration: Self { Self(0xE8, in: .getConfiguration) }
}

extension Query<ErgMachineType> {
    package static var ergMachineType: Self { Self(0xED, in: .getConfiguration) }
}

extension Query<FirmwareUpdateReply> {
    package static var firmwareUpdateStatus: Self { Self(0xEF, in: .getConfiguration) }
}

extension Query<LogStructureReply> {
    package static func currentLogStructure(_ structure: UInt8, splitNumber: UInt8) -> Self {
        Self(0x58, in: .getConfiguration, [structure, splitNumber])
    }
}
