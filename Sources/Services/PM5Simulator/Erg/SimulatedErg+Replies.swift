import PM5Codec

extension SimulatedErg {
    private var status: GeneralStatus { generalStatus() }
    private var averages: Piece.Averages { piece?.averages ?? Piece.Averages() }
    private var totalMeters: Double { piece?.meters(at: now) ?? 0 }
    private var firmwareNumber: UInt16 {
        identity.firmware.split(separator: "-").last.flatMap { $0.split(separator: ".").first }
            .flatMap { UInt16($0) } ?? 0
    }

    /// The answer to a public get command; nil for what a PM5 does not implement.
    func publicReply(to id: UInt8, _ data: [UInt8]) -> Reply? {
        let speed = averages.currentSpeed
        let watts = UInt16(RowingFormulas.power(speed: speed))
        switch id {
        case 0x91:
            let version = VersionReply(
                hardware: UInt16(identity.hardware) ?? 0, software: firmwareNumber)
            return Reply(answering: .version, version, in: nil)
        case 0x92: return Reply(answering: .userID, String(identity.serial.suffix(5)), in: nil)
        case 0x93: return Reply(answering: .units, 0, in: nil)
        case 0x94: return Reply(answering: .serial, identity.serial, in: nil)
        case 0xA0:
            let seconds = Int(elapsedCentiseconds) / 100
            let time = WorkTimeReply(
                hours: UInt8(clamping: seconds / 3600), minutes: UInt8(seconds / 60 % 60),
                seconds: UInt8(seconds % 60))
            return Reply(answering: .publicWorkTime, time, in: nil)
        case 0xA1:
            return Reply(
                answering: .horizontal, UnitValue(UInt16(clamping: Int(totalMeters)), .meters),
                in: nil)
        case 0xA3:
            return Reply(
                answering: .calories, UInt16(clamping: averages.interval?.calories ?? 0), in: nil)
        case 0xA4: return Reply(answering: .program, .programmed, in: nil)
        case 0xA6:
            let pace = speed > 0.1 ? UInt16(1000 / speed) : 0
            return Reply(answering: .pace, UnitValue(pace, .secondsPerKilometer), in: nil)
        case 0xA7:
            let rate = UInt16(averages.strokeRate.rounded())
            return Reply(answering: .cadence, UnitValue(rate, .strokesPerMinute), in: nil)
        case 0xB0: return Reply(answering: .currentHeartRate, heartRate ?? 0, in: nil)
        case 0xB4: return Reply(answering: .power, UnitValue(watts, .watts), in: nil)
        case 0x70 where data == [0]:
            let limits = CapabilitiesReply(
                maximumReceiveBytes: 120, maximumSendBytes: 120, minimumFrameGap: 50)
            return Reply(answering: .linkCapabilities, limits, in: nil)
        default: return nil
        }
    }

    /// The answer to a Concept2 get command; nil for what is not modelled, which is ignored.
    mutating func proprietaryReply(
        to id: UInt8, _ data: [UInt8], in wrapper: Wrapper
    ) -> Reply? {
        switch id {
        case 0x6B: forcePlot(byteCount: Int(data.first ?? 0), in: wrapper)
        case 0x6E: strokeStatistics(in: wrapper)
        case 0x80..<0xA0, 0xE8...: configuration(id, in: wrapper)
        default: measurement(id, in: wrapper)
        }
    }

    // MARK: - Configuration

    private func configuration(_ id: UInt8, in wrapper: Wrapper) -> Reply? {
        let status = status
        switch id {
        case 0x80:
            return Reply(
                answering: .firmwareVersion,
                VersionText(
                    String(identity.firmware.suffix(16))), in: wrapper)
        case 0x81:
            return Reply(answering: .hardwareVersion, VersionText(identity.hardware), in: wrapper)
        case 0x82:
            return Reply(answering: .hardwareAddress, UInt32(identity.serial) ?? 0, in: wrapper)
        case 0x85: return Reply(answering: .dateTime, clock, in: wrapper)
        case 0x86: return Reply(answering: .screenStatus, screenStatus, in: wrapper)
        case 0x89: return Reply(answering: .workoutType, status.workoutType, in: wrapper)
        case 0x8A: return Reply(answering: .displayType, .standard, in: wrapper)
        case 0x8B: return Reply(answering: .displayUnits, .pace, in: wrapper)
        case 0x8D: return Reply(answering: .workoutState, state, in: wrapper)
        case 0x8E: return Reply(answering: .intervalType, status.intervalType, in: wrapper)
        case 0x8F: return Reply(answering: .operationalState, operationalState, in: wrapper)
        case 0x93: return Reply(answering: .rowingState, status.rowingState, in: wrapper)
        case 0x97: return Reply(answering: .batteryLevelPercent, 80, in: wrapper)
        case 0x9F:
            let count = UInt8(clamping: piece?.lapCount ?? 0)
            return Reply(answering: .workoutIntervalCount, count, in: wrapper)
        case 0xE8:
            let duration = WorkoutDurationReply(
                type: status.durationType, amount: status.workoutDuration)
            return Reply(answering: .workoutDuration, duration, in: wrapper)
        case 0xED: return Reply(answering: .ergMachineType, .modelD, in: wrapper)
        default: return nil
        }
    }

    private var clock: MonitorClock {
        let stamp = calendar.timestamp(at: now)
        return MonitorClock(
            year: UInt16(stamp.date.year), month: UInt8(stamp.date.month),
            day: UInt8(stamp.date.day), hour: UInt8(stamp.time.hour),
            minute: UInt8(stamp.time.minute))
    }

    private var screenStatus: ScreenStatusReply {
        ScreenStatusReply(
            type: .workout, value: control.screens.first ?? control.lastScreen,
            status: control.screens.isEmpty ? .inactive : .pending)
    }

    // MARK: - Measurements

    private func measurement(_ id: UInt8, in wrapper: Wrapper) -> Reply? {
        let status = status
        let total = averages.interval
        switch id {
        case 0xA0:
            return Reply(
                answering: .workTime, amount(status.elapsedCentiseconds, step: 100, wrapper),
                in: wrapper)
        case 0xA3:
            return Reply(
                answering: .workDistance, amount(status.distanceDecimeters, step: 10, wrapper),
                in: wrapper)
        case 0xA4:
            return Reply(
                answering: .totalWorkDistance, status.totalWorkDistanceMeters, in: wrapper)
        case 0xA9:
            let watts = UInt32(RowingFormulas.power(speed: averages.currentSpeed))
            return Reply(answering: .strokePowerWatts, watts, in: wrapper)
        case 0xB0:
            return Reply(
                answering: .totalAveragePowerWatts, UInt32(total?.powerWatts ?? 0), in: wrapper)
        case 0xB2:
            return Reply(answering: .totalCalories, UInt32(total?.calories ?? 0), in: wrapper)
        case 0xB3:
            return Reply(
                answering: .strokeRate, UInt8(averages.strokeRate.rounded()), in: wrapper)
        case 0xBF: return Reply(answering: .strokeState, status.strokeState, in: wrapper)
        case 0xC1: return Reply(answering: .dragFactor, status.dragFactor, in: wrapper)
        case 0xC8: return Reply(answering: .errorType, 0, in: wrapper)
        case 0xC9: return Reply(answering: .errorValue, 0, in: wrapper)
        default: return nil
        }
    }

    /// Through 0x1A the base goes up in steps and a fraction byte carries the rest.
    private func amount(_ whole: UInt32, step: UInt32, _ wrapper: Wrapper) -> WorkAmount {
        guard wrapper == .userConfiguration else { return WorkAmount(base: whole, fraction: nil) }
        return WorkAmount(base: whole / step * step, fraction: UInt8(whole % step))
    }

    /// Samples of the last drive so far that nobody has fetched yet: each is handed out once.
    private mutating func forcePlot(byteCount: Int, in wrapper: Wrapper) -> Reply? {
        guard byteCount <= 32 else { return nil }
        var samples: [UInt16] = []
        let rowed = piece?.stroke.flatMap { now >= $0.catchMilliseconds ? $0 : nil }
        if let stroke = rowed ?? control.finishedDrive {
            if control.handedOut.catchMilliseconds != stroke.catchMilliseconds {
                control.handedOut = (stroke.catchMilliseconds, 0)
            }
            let measured = (now - stroke.catchMilliseconds) / StrokeModel.sampleMilliseconds
            let new = stroke.forces.prefix(measured).dropFirst(control.handedOut.samples)
            samples = new.prefix(byteCount / 2).map { UInt16($0) }
            control.handedOut.samples += samples.count
        }
        return Reply(
            answering: .forcePlot(byteCount: UInt8(byteCount)), SampleBlock(samples), in: wrapper)
    }

    private func strokeStatistics(in wrapper: Wrapper) -> Reply {
        let data = piece?.pending?.data ?? StrokeData(workPerStrokeDecijoules: 0)
        let statistics = StrokeStatistics(
            strokeDistanceCentimeters: data.strokeDistanceCentimeters,
            driveCentiseconds: data.driveCentiseconds,
            recoveryCentiseconds: data.recoveryCentiseconds,
            driveLengthCentimeters: data.driveLengthCentimeters, driveCounter: data.strokeCount,
            peakForceTenthsOfPound: data.peakDriveForceTenthsOfPound, impulse: 0,
            averageForceTenthsOfPound: data.averageDriveForceTenthsOfPound,
            workPerStrokeDecijoules: data.workPerStrokeDecijoules ?? 0)
        return Reply(answering: .strokeStatistics, statistics, in: wrapper)
    }
}
