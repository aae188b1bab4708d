import PM5Codec

/// Executes CSAFE commands. Changes the piece (`piece`, `isProgrammed`), the rower's intentions
/// (`wantsToRow`, `rowerStop`, `breakUntil`), and the state in `control`.
extension SimulatedErg {
    mutating func execute(_ command: Command) -> Outcome {
        switch command {
        case .wrapped(let wrapper, let commands): execute(commands, in: wrapper)
        case .other(let id, let data): .done(publicReply(to: id, data))
        case .reset, .goReady:
            enterPublicState(.ready)
        case .goIdle:
            goIdle()
        case .goHaveID: enterPublicState(.haveID)
        case .goInUse: goInUse()
        case .goFinished:
            // Always rejected on an armed or logged workout (captures of 2026).
            piece?.isOver == false ? enterPublicState(.finished) : .rejected
        case .setHorizontal(let value, let unit): setPublic(meters: value, unit)
        case .setWorkTime(let hours, let minutes, let seconds):
            setPublic(seconds: (Int(hours) * 60 + Int(minutes)) * 60 + Int(seconds))
        case .setProgram(let number): setProgram(number)
        case .badID, .autoUpload, .idDigits, .setTime, .setDate, .setTimeout, .setCalories,
            .setPower:
            .done(nil)
        }
    }

    // MARK: - Public state machine

    private mutating func enterPublicState(_ next: CSAFEState) -> Outcome {
        guard piece == nil || piece?.isOver == true else { return .rejected }
        control.publicState = next
        return .done(nil)
    }

    /// After an armed or pending log entry this spoils it: distance 0, no pace, type 1.
    private mutating func goIdle() -> Outcome {
        if ended != nil, schedule.contains(.piece(.summary)) { ended?.isSpoiled = true }
        return enterPublicState(.idle)
    }

    /// Shows the public workout, if SETPROGRAM has checked it.
    private mutating func goInUse() -> Outcome {
        guard publicState == .ready || publicState == .idle || publicState == .haveID else {
            return .rejected
        }
        if control.isPublicDraftChecked, let goal = control.publicDraft {
            let type: WorkoutType =
                goal.durationType == .time ? .fixedTimeWithSplits : .fixedDistanceWithSplits
            armSoon(Workout(type, [WorkoutInterval(goal)], splitLength: goal.count))
        }
        control.isPublicDraftChecked = false
        return enterPublicState(.inUse)
    }

    private mutating func setPublic(meters value: UInt16, _ unit: CSAFEUnit) -> Outcome {
        let meters: Int? =
            switch unit {
            case .meters: Int(value)
            case .kilometers: Int(value) * 1000
            case .tenthsOfKilometer: Int(value) * 100
            case .hundredthsOfKilometer: Int(value) * 10
            default: nil
            }
        guard let meters, (100...50_000).contains(meters) else { return .rejected }
        control.publicDraft = .meters(meters)
        return .done(nil)
    }

    private mutating func setPublic(seconds: Int) -> Outcome {
        guard (20...35_999).contains(seconds) else { return .rejected }
        control.publicDraft = .centiseconds(seconds * 100)
        return .done(nil)
    }

    /// Checks the public workout. The lists of stored workouts are empty here.
    private mutating func setProgram(_ number: WorkoutNumber) -> Outcome {
        guard number == .programmed, control.publicDraft != nil else { return .rejected }
        control.isPublicDraftChecked = true
        return .done(nil)
    }

    // MARK: - Proprietary commands

    private mutating func execute(
        _ commands: [ProprietaryCommand], in wrapper: Wrapper
    ) -> Outcome {
        var replies: [Reply] = []
        for command in commands {
            if case .other(let id, let data) = command {
                if let reply = proprietaryReply(to: id, data, in: wrapper) {
                    replies.append(reply)
                }
            } else {
                guard set(command, in: wrapper) else { return .rejected }
                replies.append(.acknowledging(command))
            }
        }
        return .done(Reply(wrapper, replies))
    }

    /// Returns false if the monitor rejects a set command.
    ///
    /// Programming is accepted in the states ready, idle, manual and in use; through 0x1A it is
    /// acknowledged but never arms anything. Screen commands are accepted in every state.
    private mutating func set(_ command: ProprietaryCommand, in wrapper: Wrapper) -> Bool {
        guard wrapper != .userConfiguration else { return true }
        if case .screenState(let type, let value) = command {
            guard type == .workout else { return false }
            queueScreen(value)
            return true
        }
        let accepting: [CSAFEState] = [.ready, .idle, .manual, .inUse]
        guard accepting.contains(publicState) else { return false }
        if case .dateTime(let clock) = command {
            guard clock.isValid else { return false }
            calendar.set(clock, at: now)
            return true
        }
        let isAccepted = control.draft.apply(command)
        if !isAccepted { control.draft = ProgramDraft() }
        return isAccepted
    }

    // MARK: - Screen

    /// The display task runs two to five times a second.
    private mutating func queueScreen(_ value: ScreenValue) {
        control.screens.append(value)
        if control.screens.count == 1 {
            schedule.add(.screenTask, at: now + generator.integer(200...500))
        }
    }

    mutating func executeScreenCommand() {
        guard let value = control.screens.first else { return }
        control.screens.removeFirst()
        control.lastScreen = value
        switch value {
        case .prepareToRowWorkout: arm(control.draft.workout)
        case .terminateWorkout: terminate()
        case .rearmWorkout: rearm()
        case .goToMainScreen, .virtualKeyMenu: goToMainScreen()
        case .virtualKeyD: leaveUndefinedRest()
        default: break
        }
        if !control.screens.isEmpty {
            schedule.add(.screenTask, at: now + generator.integer(200...500))
        }
    }

    private mutating func armSoon(_ workout: Workout) {
        schedule.add(.arm(workout), at: now + generator.integer(200...500))
    }

    /// Shows a workout for the rower to begin.
    ///
    /// The next status still shows the previous one, and the status after it the previous length,
    /// although the screen already reports success. During a piece the monitor arms an empty
    /// workout instead (captures of 2026): a just row with splits and no duration; the piece is
    /// lost.
    mutating func arm(_ next: Workout?) {
        guard let next else { return }
        control.draft = ProgramDraft()
        let before = generalStatus()
        if let piece, !piece.isOver {
            abandonPiece()
            workout = Workout(.justRowWithSplits, [WorkoutInterval(.none)])
        } else {
            workout = next
        }
        schedule.remove { if case .state = $0 { true } else { false } }
        piece = nil
        control.lag = [before.workoutType, workout.type].map {
            ($0, before.workoutDuration, before.durationType)
        }
        state = .waitToBegin
        isProgrammed = true
        rowerStop = .never
        wantsToRow = true
        breakUntil = 0
        awaitRower()
    }

    /// Works on running, armed, finished and logged workouts; the same workout is armed again.
    private mutating func terminate() {
        control.publicState = .ready
        schedule.remove { $0 == .rowerBegins }
        // A rower who was stopped does not start the same workout again at once.
        breakUntil = now + 20_000
        if let piece, !piece.isOver {
            stopEarly()
        } else if piece != nil {
            enter(.waitToBegin)
        } else {
            enter(.rearm)
        }
    }

    mutating func goToMainScreen() {
        control.publicState = .ready
        if let piece, !piece.isOver {
            stopEarly()
        } else if piece != nil {
            rearm()
        } else {
            workout = .justRow
        }
    }

    /// The command of ErgData to continue after an undefined rest.
    private mutating func leaveUndefinedRest() {
        guard case .rest(_, nil)? = piece?.phase else { return }
        schedule.remove { $0 == .restOver }
        endRest()
    }
}
