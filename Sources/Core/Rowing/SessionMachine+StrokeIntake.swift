import PM5Codec
import Timeline

/// Handles packets of strokes and of current values. Changes `strokes`, `joiner`, `monitor`, and the
/// session's totals, intervals and pause detector.
extension SessionMachine {
    // MARK: - Current values

    mutating func receive(_ packet: AdditionalStatus1, at now: BootInstant) {
        monitor.update(with: packet)
        note(watts: packet.averagePowerWatts)
        if isOpen, monitor.phase != .waiting, let rate = packet.knownHeartRateBeatsPerMinute {
            session.note(heartRate: rate, at: now)
        }
        guard isOpen, monitor.phase == .working, !session.pauses.isPaused else { return }
        if let rate = packet.knownHeartRateBeatsPerMinute { session.totals.add(heartRate: rate) }
    }

    mutating func receive(_ packet: AdditionalStatus2) {
        monitor.update(with: packet)
        guard isCounting else { return }
        note(watts: packet.averagePowerWatts)
        if isOpen || monitor.phase == .over { session.count(packet, in: monitor.phase) }
        session.totals.note(calories: Int(packet.totalCalories))
        if monitor.phase == .over { session.noteFinal(packet) }
    }

    /// The average power of the piece: in 0x0033, or in 0x0032 when multiplexed.
    private mutating func note(watts: UInt16?) {
        guard let watts, watts > 0, isCounting else { return }
        session.totals.note(averageWatts: Int(watts))
    }

    /// Whether the monitor's sums belong to the session.
    private var isCounting: Bool {
        isCurrent && !link.isReturning && monitor.phase != .waiting
    }

    // MARK: - Strokes

    mutating func receive(_ packet: StrokeData, at now: BootInstant) {
        guard packet.strokeCount > 0 || strokes.highest > 0 else { return }
        let leg = leg(
            count: packet.strokeCount, elapsed: packet.elapsedCentiseconds, isPower: false, at: now)
        note(stroke: strokes.receive(packet, leg: leg, at: now), at: now)
        session.intervals.noteStroke(
            elapsed: packet.elapsedCentiseconds, distance: packet.distanceDecimeters, leg: leg)
    }

    mutating func receive(_ packet: AdditionalStrokeData, at now: BootInstant) {
        guard packet.strokeCount > 0 || strokes.highest > 0 else { return }
        let leg = leg(
            count: packet.strokeCount, elapsed: packet.elapsedCentiseconds, isPower: true, at: now)
        let number = strokes.receive(packet, leg: leg, at: now)
        if let number {
            session.note(packet)
            joiner.end(driveOf: number, at: now)
        }
        note(stroke: number, at: now)
    }

    private mutating func note(stroke number: Int?, at now: BootInstant) {
        guard let number else { return count(.duplicate) }
        session.pauses.noteStroke(at: now)
        joiner.add(stroke: number, at: now)
    }

    /// The leg in which a stroke packet was counted.
    private mutating func leg(
        count: UInt16, elapsed: UInt32, isPower: Bool, at now: BootInstant
    ) -> Int {
        guard count > 0, isCurrent, session.intervals.isInterval else { return strokes.leg }
        if strokes.isRestart(count: count, elapsedCentiseconds: elapsed, isPower: isPower),
            strokes.leg == session.intervals.leg.serial, !link.isReturning
        {
            session.openLegByStroke(at: now)
        }
        let present = session.intervals.leg
        let clock = present.elapsed + IntervalHistory.jitterCentiseconds
        let isAhead = Int64(elapsed) > clock && session.legOpened.duration(to: now) <= .seconds(3)
        if strokes.leg < present.serial {
            if isAhead, strokes.canContinue(count: count, elapsedCentiseconds: elapsed) {
                return strokes.leg
            }
            strokes.enter(leg: present.serial)
        } else if isAhead, strokes.belongsToPreviousLeg(count: count, elapsedCentiseconds: elapsed) {
            return strokes.previousLeg
        }
        return strokes.leg
    }
}
