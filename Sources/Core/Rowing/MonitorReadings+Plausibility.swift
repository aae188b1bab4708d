import PM5Codec

/// Detects noise that happens to have the right length. Such packets are counted and dropped, because they
/// could disrupt a session.
///
/// Checks whole packets; the codec checks single values (`known...`). Changes nothing.
extension MonitorReadings {
    /// Packets of one moment differ by less than this in the monitor's time.
    private static let spreadCentiseconds: Int64 = 3000

    /// - Parameter silence: time since the newest status, while the monitor's time went on.
    func isPlausible(_ notification: Notification, after silence: Duration) -> Bool {
        func fits(_ elapsed: UInt32) -> Bool { self.fits(elapsed, after: silence) }
        return switch notification {
        case .generalStatus(let packet): Self.isPlausible(packet)
        case .additionalStatus1(let packet): fits(packet.elapsedCentiseconds)
        case .additionalStatus2(let packet): fits(packet.elapsedCentiseconds)
        case .strokeData(let packet): fits(packet.elapsedCentiseconds)
        case .additionalStrokeData(let packet): fits(packet.elapsedCentiseconds)
        case .splitData(let packet): fits(packet.elapsedCentiseconds)
        case .additionalSplitData(let packet): fits(packet.elapsedCentiseconds)
        case .additionalStatus3, .sampleRate, .workoutSummary, .additionalWorkoutSummary,
            .heartRateBelt, .workoutSummary2, .forceCurvePiece, .loggedWorkout, .heartRateInput:
            true
        }
    }

    /// New firmware may add a value to one enumeration; random bytes are unknown in most of the six.
    private static func isPlausible(_ packet: GeneralStatus) -> Bool {
        var unknown = 0
        if case .unrecognized = packet.workoutType { unknown += 1 }
        if case .unrecognized = packet.intervalType { unknown += 1 }
        if case .unrecognized = packet.workoutState { unknown += 1 }
        if case .unrecognized = packet.rowingState { unknown += 1 }
        if case .unrecognized = packet.strokeState { unknown += 1 }
        if case .unrecognized = packet.durationType { unknown += 1 }
        return unknown < 2
    }

    /// Whether a packet's time is near that of the newest status, of the one before its last reset, or near
    /// 0. Before the first status of a link every time fits.
    private func fits(_ elapsedCentiseconds: UInt32, after silence: Duration) -> Bool {
        guard let status else { return true }
        let most = Self.spreadCentiseconds + max(0, silence.wholeMilliseconds / 10)
        let anchors = [status.elapsedCentiseconds, elapsedBeforeReset, 0]
        return anchors.contains {
            (-Self.spreadCentiseconds...most).contains(Int64(elapsedCentiseconds) - Int64($0))
        }
    }
}
