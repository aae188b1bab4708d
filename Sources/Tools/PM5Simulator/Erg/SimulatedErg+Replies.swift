import PM5Codec

/// The answers to CSAFE queries. Changes the fetched force samples in `control`.
extension SimulatedErg {
    private var status: GeneralStatus { generalStatus() }
    private var averages: Piece.Averages { piece?.averages ?? Piece.Averages() }
    private var strokeRate: UInt8 { UInt8(averages.strokeRate.rounded()) }
    private var totalMeters: Double { piece?.meters(at: now) ?? 0 }
    private var firmwareNumber: UInt16 {
        identity.firmware.split(separator: "-").last.flatMap { $0.split(separator: ".").first }
            .flatMap { UInt16($0) } ?? 0
    }

    /// Returns the answer to a public get command; nil if a PM5 does not implement it.
    func publicReply(to id: UInt8, _ data: [UInt8]) -> Reply? {
        let speed = averages.currentSpeed
        let seconds = Int(elapsedCentiseconds) / 100
        func reply<Value>(_ query: Query<Value>, _ value: Value) -> Reply {
            Reply(answering: query, value, in: nil)
        }
        return switch id {
        case 0x91:
            reply(
                .version,
                VersionReply.with {
                    $0.hardware = UInt16(identity.hardware) ?? 0
                    $0.software = firmwareNumber
                })
        case 0x92: reply(.userID, String(identity.serial.suffix(5)))
        case 0x93: reply(.units, 0)
        case 0x94: reply(.serial, identity.serial)
        case 0xA0:
            reply(
                .publicWorkTime,
                WorkTimeReply.with {
                    $0.hours = UInt8(clamping: seconds / 3600)
                    $0.minutes = UInt8(seconds / 60 % 60)
                    $0.seconds = UInt8(seconds % 60)
                })
        case 0xA1: reply(.horizontal, UnitValue(UInt16(clamping: Int(totalMeters)), .meters))
        case 0xA3: reply(.calories, UInt16(clamping: averages.interval?.calories ?? 0))
        case 0xA4: reply(.program, .programmed)
        case 0xA6:
            reply(.pace, UnitValue(speed > 0.1 ? UInt16(1000 / speed) : 0, .secondsPerKilometer))
        case 0xA7: reply(.cadence, UnitValue(UInt16(strokeRate), .strokesPerMinute))
        case 0xB0: reply(.currentHeartRate, heartRate ?? 0)
        case 0xB4: reply(.power, UnitValue(UInt16(RowingFormulas.power(speed: speed)), .watts))
        case 0x70 where data == [0]:
            reply(
                .linkCapabilities,
                CapabilitiesReply.with {
                    $0.maximumReceiveBytes = 120
                    $0.maximumSendBytes = 120
                    $0.minimumFrameGap = 50
                })
        default: nil
        }
    }

    /// Returns the answer to a Concept2 get command; nil if it is not simulated, and then ignored.
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
        func reply<Value>(_ query: Query<Value>, _ value: Value) -> Reply {
            Reply(answering: query, value, in: wrapper)
        }
        return switch id {
        case 0x80: reply(.firmwareVersion, VersionText(String(identity.firmware.suffix(16))))
        case 0x81: reply(.hardwareVersion, VersionText(identity.hardware))
        case 0x82: reply(.hardwareAddress, UInt32(identity.serial) ?? 0)
        case 0x85: reply(.dateTime, clock)
        case 0x86: reply(.screenStatus, screenStatus)
        case 0x89: reply(.workoutType, status.workoutType)
        case 0x8A: reply(.displayType, .standard)
        case 0x8B: reply(.displayUnits, .pace)
        case 0x8D: reply(.workoutState, state)
        case 0x8E: reply(.intervalType, status.intervalType)
        case 0x8F: reply(.operationalState, operationalState)
        case 0x93: reply(.rowingState, status.rowingState)
        case 0x97: reply(.batteryLevelPercent, batteryLevel())
        case 0x9F: reply(.workoutIntervalCount, UInt8(clamping: piece?.lapCount ?? 0))
        case 0xE8:
            reply(
                .workoutDuration,
                WorkoutDurationReply.with {
                    $0.type = status.durationType
                    $0.amount = status.workoutDuration
                })
        case 0xED: reply(.ergMachineType, identity.machine.type)
        default: nil
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
        ScreenStatusReply.with {
            $0.type = .workout
            $0.value = control.screens.first ?? control.lastScreen
            $0.status = control.screens.isEmpty ? .inactive : .pending
        }
    }

    // MARK: - Measurements

    private func measurement(_ id: UInt8, in wrapper: Wrapper) -> Reply? {
        let (status, total) = (status, averages.interval)
        func reply<Value>(_ query: Query<Value>, _ value: Value) -> Reply {
            Reply(answering: query, value, in: wrapper)
        }
        return switch id {
        case 0xA0: reply(.workTime, amount(status.elapsedCentiseconds, step: 100, wrapper))
        case 0xA3: reply(.workDistance, amount(status.distanceDecimeters, step: 10, wrapper))
        case 0xA4: reply(.totalWorkDistance, status.totalWorkDistanceMeters)
        case 0xA9:
            reply(.strokePowerWatts, UInt32(RowingFormulas.power(speed: averages.currentSpeed)))
        case 0xB0: reply(.totalAveragePowerWatts, UInt32(total?.powerWatts ?? 0))
        case 0xB2: reply(.totalCalories, UInt32(total?.calories ?? 0))
        case 0xB3: reply(.strokeRate, strokeRate)
        case 0xBE: reply(.targetPace, targetPace)
        case 0xBF: reply(.strokeState, status.strokeState)
        case 0xC1: reply(.dragFactor, status.dragFactor)
        case 0xC8: reply(.errorType, 0)
        case 0xC9: reply(.errorValue, 0)
        default: nil
        }
    }

    /// Of the current interval or the armed workout; 0 if none was set.
    private var targetPace: UInt32 {
        let interval = piece?.currentInterval ?? workout.intervals[0]
        return interval.targetPaceCentisecondsPer500m ?? 0
    }

    /// Through 0x1A the base goes up in steps and a fraction byte carries the rest.
    private func amount(_ whole: UInt32, step: UInt32, _ wrapper: Wrapper) -> WorkAmount {
        guard wrapper == .userConfiguration else { return WorkAmount(base: whole, fraction: nil) }
        return WorkAmount(base: whole / step * step, fraction: UInt8(whole % step))
    }

    /// Returns the samples of the last drive that were not fetched yet; each is returned once.
    private mutating func forcePlot(byteCount: Int, in wrapper: Wrapper) -> Reply? {
        guard byteCount <= 32 else { return nil }
        var samples: [UInt16] = []
        let current = piece?.stroke.flatMap { now >= $0.catchMilliseconds ? $0 : nil }
        if let stroke = current ?? control.finishedDrive {
            if control.fetchedSamples.catchMilliseconds != stroke.catchMilliseconds {
                control.fetchedSamples = (stroke.catchMilliseconds, 0)
            }
            let measured = (now - stroke.catchMilliseconds) / SimulatedRower.sampleMilliseconds
            let new = stroke.forces.prefix(measured).dropFirst(control.fetchedSamples.count)
            samples = new.prefix(byteCount / 2).map { UInt16($0) }
            control.fetchedSamples.count += samples.count
        }
        return Reply(
            answering: .forcePlot(byteCount: UInt8(byteCount)), SampleBlock(samples), in: wrapper)
    }

    private func strokeStatistics(in wrapper: Wrapper) -> Reply {
        let data = piece?.pending?.data ?? StrokeData.with { $0.workPerStrokeDecijoules = 0 }
        let statistics = StrokeStatistics.with {
            $0.strokeDistanceCentimeters = data.strokeDistanceCentimeters
            $0.driveCentiseconds = data.driveCentiseconds
            $0.recoveryCentiseconds = data.recoveryCentiseconds
            $0.driveLengthCentimeters = data.driveLengthCentimeters
            $0.driveCounter = data.strokeCount
            $0.peakForceTenthsOfPound = data.peakDriveForceTenthsOfPound
            $0.averageForceTenthsOfPound = data.averageDriveForceTenthsOfPound
            $0.workPerStrokeDecijoules = data.workPerStrokeDecijoules ?? 0
        }
        return Reply(answering: .strokeStatistics, statistics, in: wrapper)
    }
}
