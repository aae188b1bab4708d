// GETPMDATA queries of the CSAFE definition rev 0.25. Where no unit is given, none is documented.

extension Query<WorkAmount> {
    /// 0.01 s through 0x1A.
    package static var workTime: Self { Self(0xA0, in: .getData) }
    /// 0.1 m through 0x1A.
    package static var workDistance: Self { Self(0xA3, in: .getData) }
}

extension Query<UInt32> {
    package static var projectedWorkTime: Self { Self(0xA1, in: .getData) }
    package static var totalRestTime: Self { Self(0xA2, in: .getData) }
    package static var totalWorkDistance: Self { Self(0xA4, in: .getData) }
    package static var projectedWorkDistance: Self { Self(0xA5, in: .getData) }
    package static var totalRestDistance: Self { Self(0xA7, in: .getData) }
    package static var strokePace: Self { Self(0xA8, in: .getData) }
    package static var strokePowerWatts: Self { Self(0xA9, in: .getData) }
    package static var strokeCaloriesPerHour: Self { Self(0xAA, in: .getData) }
    package static var splitAveragePace: Self { Self(0xAB, in: .getData) }
    package static var splitAveragePowerWatts: Self { Self(0xAC, in: .getData) }
    package static var splitAverageCaloriesPerHour: Self { Self(0xAD, in: .getData) }
    package static var splitCalories: Self { Self(0xAE, in: .getData) }
    package static var totalAveragePace: Self { Self(0xAF, in: .getData) }
    package static var totalAveragePowerWatts: Self { Self(0xB0, in: .getData) }
    package static var totalAverageCaloriesPerHour: Self { Self(0xB1, in: .getData) }
    package static var totalCalories: Self { Self(0xB2, in: .getData) }
    package static var splitTime: Self { Self(0xB9, in: .getData) }
    package static var lastSplitTime: Self { Self(0xBA, in: .getData) }
    package static var splitDistance: Self { Self(0xBB, in: .getData) }
    package static var lastSplitDistance: Self { Self(0xBC, in: .getData) }
    package static var lastRestDistance: Self { Self(0xBD, in: .getData) }
    package static var targetPace: Self { Self(0xBE, in: .getData) }
}

extension Query<UInt16> {
    package static var restDistance: Self { Self(0xA6, in: .getData) }
    /// Reading clears a latched error on older monitors.
    package static var errorValue: Self { Self(0xC9, in: .getData) }
    /// Least significant byte first in every wrapper.
    package static var restTime: Self { Self(0xCF, in: .getData, fixedOrder: .little) }
    package static var userInterfaceEvents: Self { Self(0x6D, in: .getData, [0]) }
}

extension Query<UInt8> {
    /// 1/min.
    package static var strokeRate: Self { Self(0xB3, in: .getData) }
    /// 1/min.
    package static var splitAverageStrokeRate: Self { Self(0xB4, in: .getData) }
    /// 1/min.
    package static var totalAverageStrokeRate: Self { Self(0xB5, in: .getData) }
    /// 1/min.
    package static var averageHeartRate: Self { Self(0xB6, in: .getData) }
    /// 1/min.
    package static var endingAverageHeartRate: Self { Self(0xB7, in: .getData) }
    /// 1/min.
    package static var restAverageHeartRate: Self { Self(0xB8, in: .getData) }
    package static var dragFactor: Self { Self(0xC1, in: .getData) }
    package static var heartRateState: Self { Self(0xC3, in: .getData) }
    package static var errorType: Self { Self(0xC8, in: .getData) }
    package static var statusValue: Self { Self(0xCB, in: .getData) }
}

extension Query<StrokeState> {
    package static var strokeState: Self { Self(0xBF, in: .getData) }
}

extension Query<StrokeRateState> {
    package static var strokeRateState: Self { Self(0xC0, in: .getData) }
}

extension Query<StatusType> {
    package static var statusType: Self { Self(0xCA, in: .getData) }
}

extension Query<LogMemoryReply> {
    /// At most 64 bytes of the log.
    package static func internalLogMemory(address: UInt32, byteCount: UInt8) -> Self {
        precondition(byteCount <= LogMemoryReply.capacity, "at most 64 bytes of log at once")
        var parameters = ByteWriter()
        parameters.uint32(address, Wrapper.getData.byteOrder)
        parameters.uint8(byteCount)
        return Self(0x6A, in: .getData, parameters.bytes)
    }
}

extension Query<SampleBlock> {
    /// At most 32 bytes, two to a sample of 1 lbf; poll until fewer come back than were asked for.
    package static func forcePlot(byteCount: UInt8) -> Self {
        precondition(byteCount <= 2 * SampleBlock.capacity, "at most 32 bytes of samples at once")
        return Self(0x6B, in: .getData, [byteCount])
    }

    /// At most 32 bytes; least significant byte first in every wrapper.
    package static func heartBeats(byteCount: UInt8) -> Self {
        precondition(byteCount <= 2 * SampleBlock.capacity, "at most 32 bytes of samples at once")
        return Self(0x6C, in: .getData, [byteCount], fixedOrder: .little)
    }
}

extension Query<StrokeStatistics> {
    package static var strokeStatistics: Self { Self(0x6E, in: .getData, [0]) }
}

extension Query<WorkoutHashReply> {
    package static var currentWorkoutHash: Self { Self(0x72, in: .getData, [0]) }
}

extension Query<GameScoreReply> {
    package static var gameScore: Self { Self(0x78, in: .getData, [0]) }
}
