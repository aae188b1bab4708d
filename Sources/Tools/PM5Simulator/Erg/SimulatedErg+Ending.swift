import PM5Codec

/// A finished piece, until the monitor has reported its log entry.
struct EndedPiece: Equatable, Sendable {
    var piece: Piece
    var total: LapResult
    /// The interval type when the piece ended: 0x003A byte 4.
    var splitType: IntervalType
    var logged: LogTimestamp
    var endingHeartRate: UInt8?
    /// GOIDLE arrived between the end and the summary.
    var isSpoiled = false
}

/// The end of a piece: its last values and the log entry. Changes `piece` and `ended`.
extension SimulatedErg {
    /// The goal is reached: 0x0031 with state 10 at once, then the last split, the summary later.
    ///
    /// Source: ErgometerJS recording (0x0037 three milliseconds after the status, 0x0039 after 1.5
    /// s, state 12 after 1.8 s); other monitors 1.2 to 3.5 s.
    mutating func finishPiece() {
        endPiece(.workoutEnd, reason: "finished")
        logPiece(delay: generator.integer(1200...3500))
        schedule.add(.piece(.logged), at: now + generator.integer(1200...2300))
        if repeats { schedule.add(.rowerPressesMenu, at: now + pauseMilliseconds) }
    }

    /// Ends the piece by Menu, or by the terminate command.
    ///
    /// A piece of at least a minute or 100 m is logged.
    mutating func stopEarly() {
        guard let piece, !piece.isOver else { return rearm() }
        endPiece(.terminate, reason: "terminated")
        let total = ended?.total
        if let total, total.span.meters >= 100 || total.span.deciseconds >= 600 {
            logPiece(delay: generator.integer(1200...3500))
        } else {
            ended = nil
        }
        schedule.add(.state(.rearm), at: now + 600)
    }

    /// Drops a piece that was replaced by a new workout: no split, no summary.
    mutating func abandonPiece() {
        closeLastStroke()
        freeze()
        cancelEndEvents()
        record(
            .init(.session, sessionFields(edge: "ended") + [Field("reason", .text("lost"))]))
    }

    private mutating func cancelEndEvents() {
        schedule.remove { event in
            switch event {
            case .restOver, .rowerPressesMenu, .state: true
            default: false
            }
        }
    }

    /// Arms the same workout again.
    mutating func rearm() {
        guard state == .workoutEnd || state == .workoutLogged else { return }
        schedule.add(.state(.rearm), at: now)
    }

    mutating func enter(_ next: WorkoutState) {
        state = next
        switch next {
        case .rearm: schedule.add(.state(.waitToBegin), at: now + 600)
        case .waitToBegin:
            piece = nil
            awaitRower()
        default: break
        }
    }

    private mutating func endPiece(_ final: WorkoutState, reason: String) {
        closeLastStroke()
        if piece?.isWorking == true {
            freeze()
            if let piece, piece.finishedWork == nil {
                addToTotals(piece.result(of: piece.interval, at: now))
            }
        }
        cancelEndEvents()
        state = final
        sendGeneralStatus()
        let splitType = generalStatus().intervalType
        reportLastLap()
        guard var piece else { return }
        if piece.isWorking {
            piece.averages.interval = piece.result(of: piece.interval, at: now)
        } else {
            piece.frozen = Piece.Standstill(
                milliseconds: piece.elapsedMilliseconds(at: now), meters: piece.meters(at: now))
        }
        piece.phase = .over
        self.piece = piece
        let entry = EndedPiece(
            piece: piece, total: piece.total, splitType: splitType,
            logged: calendar.timestamp(at: now), endingHeartRate: heartRate)
        ended = entry
        record(.init(.result, resultFields(entry, revision: 1, recovery: nil)))
        record(.init(.session, sessionFields(edge: "ended") + [Field("reason", .text(reason))]))
    }

    /// Reports the split or interval that the end cut short, or that ended with the piece.
    private mutating func reportLastLap() {
        guard let piece else { return }
        if case .rest = piece.phase {
            reportInterval(rest: finishRest())
        } else if piece.finishedWork != nil {
            reportInterval(rest: (0, 0))
        } else if piece.isWorking {
            let result = piece.result(of: piece.lap, at: now)
            if result.span.deciseconds > 0 { sendLap(result, rest: (0, 0)) }
        }
    }

    private mutating func logPiece(delay: Int) {
        schedule.add(.piece(.summary), at: now + delay)
        if heartRate != nil {
            schedule.add(.piece(.recoveryHeartRate), at: now + delay + 60_000)
        }
    }

    mutating func sendSummary() {
        guard let ended else { return }
        send(summary(ended, recovery: nil))
        send(additionalSummary(ended))
        sendSummary2(ended)
        if identity.generation == .new { send(loggedWorkout(ended)) }
        if !schedule.contains(.piece(.recoveryHeartRate)) { self.ended = nil }
    }

    mutating func sendRecoveryHeartRate() {
        guard let ended, let heartRate else { return }
        send(summary(ended, recovery: heartRate))
        record(.init(.result, resultFields(ended, revision: 2, recovery: heartRate)))
        self.ended = nil
    }
}
