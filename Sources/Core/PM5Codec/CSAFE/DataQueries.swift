import Bytes

// GETPMDATA queries of the CSAFE definition rev 0.25. Values without a unit here have none in the document.

extension Query<WorkAmount> {
    /// 0.01 s through 0x1A.
    package static var workTime: Self { Self(0xA0, in: .getData) }
    /// 0.1 m through 0x1A.
    package static var workDistance: Self { Self(0xA3, in: .getData) }
}

extension Query<UInt32> {
    /// 0xA1: of a piece whose goal is not a time.
    package static var projectedWorkTime: Self { Self(0xA1, in: .getData) }
    /// 0xA2: of all rests so far.
    package static var totalRestTime: Self { Self(0xA2, in: .getData) }
    /// 0xA4: of all intervals so far.
    package static var totalWorkDistance: Self { Self(0xA4, in: .getData) }
    /// 0xA5: of a piece whose goal is not a distance.
    package static var projectedWorkDistance: Self { Self(0xA5, in: .getData) }
    /// 0xA7: of all rests so far.
    package static var totalRestDistance: Self { Self(0xA7, in: .getData) }
    /// 0xA8: of the last stroke.
    package static var strokePace: Self { Self(0xA8, in: .getData) }
    /// 0xA9: watts of the last stroke.
    package static var strokePowerWatts: Self { Self(0xA9, in: .getData) }
    /// 0xAA: at the power of the last stroke.
    package static var strokeCaloriesPerHour: Self { Self(0xAA, in: .getData) }
    /// 0xAB: of the current split.
    package static var splitAveragePace: Self { Self(0xAB, in: .getData) }
    /// 0xAC: watts of the current split.
    package static var splitAveragePowerWatts: Self { Self(0xAC, in: .getData) }
    /// 0xAD: of the current split.
    package static var splitAverageCaloriesPerHour: Self { Self(0xAD, in: .getData) }
    /// 0xAE: of the current split.
    package static var splitCalories: Self { Self(0xAE, in: .getData) }
    /// 0xAF: of the piece so far.
    package static var totalAveragePace: Self { Self(0xAF, in: .getData) }
    /// 0xB0: watts of the piece so far.
    package static var totalAveragePowerWatts: Self { Self(0xB0, in: .getData) }
    /// 0xB1: of the piece so far.
    package static var totalAverageCaloriesPerHour: Self { Self(0xB1, in: .getData) }
    /// 0xB2: of the piece so far.
    package static var totalCalories: Self { Self(0xB2, in: .getData) }
    /// 0xB9: of the current split so far.
    package static var splitTime: Self { Self(0xB9, in: .getData) }
    /// 0xBA: of the previous split.
    package static var lastSplitTime: Self { Self(0xBA, in: .getData) }
    /// 0xBB: of the current split so far.
    package static var splitDistance: Self { Self(0xBB, in: .getData) }
    /// 0xBC: of the previous split.
    package static var lastSplitDistance: Self { Self(0xBC, in: .getData) }
    /// 0xBD: of the previous rest.
    package static var lastRestDistance: Self { Self(0xBD, in: .getData) }
    /// 0xBE: as set by 0x06.
    package static var targetPace: Self { Self(0xBE, in: .getData) }
}

extension Query<UInt16> {
    /// 0xA6: of the current rest.
    package static var restDistance: Self { Self(0xA6, in: .getData) }
    /// Reading clears a latched error on older monitors.
    package static var errorValue: Self { Self(0xC9, in: .getData) }
    /// Least significant byte first in every wrapper.
    package static var restTime: Self { Self(0xCF, in: .getData, fixedOrder: .little) }
    /// 0x6D: bits not published.
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
    /// 0xC1: as in 0x0031; 0 not measured.
    package static var dragFactor: Self { Self(0xC1, in: .getData) }
    /// 0xC3: values not published.
    package static var heartRateState: Self { Self(0xC3, in: .getData) }
    /// 0xC8: why a frame was rejected; values not published.
    package static var errorType: Self { Self(0xC8, in: .getData) }
    /// 0xCB: the percentage of a battery warning.
    package static var statusValue: Self { Self(0xCB, in: .getData) }
}

extension Query<StrokeState> {
    /// 0xBF: as in 0x0031, but newer if the sample rate is low.
    package static var strokeState: Self { Self(0xBF, in: .getData) }
}

extension Query<StrokeRateState> {
    /// 0xC0: whether the rate increases or decreases.
    package static var strokeRateState: Self { Self(0xC0, in: .getData) }
}

extension Query<StatusType> {
    /// 0xCA: the kind of `statusValue`.
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
    /// At most 32 bytes, two for each sample of 1 lbf. Poll until a reply has fewer than requested.
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
    /// 0x6E: the last stroke, as in 0x0035.
    package static var strokeStatistics: Self { Self(0x6E, in: .getData, [0]) }
}

extension Query<WorkoutHashReply> {
    /// 0x72: the key of the current workout.
    package static var currentWorkoutHash: Self { Self(0x72, in: .getData, [0]) }
}

extension Query<GameScoreReply> {
    /// 0x78: as in 0x003E.
    package static var gameScore: Self { Self(0x78, in: .getData, [0]) }
}
