import PM5Codec
import Timeline

/// Collects the monitor's summary of a piece: 0x0039, 0x003A, 0x003F with new firmware and, inside 0x0080, 0x003C.
struct SummaryAssembler {
    /// How long after the end to wait for 0x0039, which arrives after 1.2 to 3.5 s. Without it, the summary has the
    /// gateway's own sums.
    static let mainLimit = Duration.seconds(5)
    /// The packets of a summary follow each other within milliseconds (ErgometerJS recording).
    static let companionLimit = Duration.seconds(2)
    /// How long to wait for 0x003C if it is not needed, and for 0x003F, which old firmware does not have.
    static let optionalLimit = Duration.milliseconds(500)

    private(set) var main: WorkoutSummary?
    private(set) var additional: AdditionalWorkoutSummary?
    private(set) var second: WorkoutSummary2?
    private(set) var log: LoggedWorkout?
    /// When content arrived that is not published yet; nil if there is none.
    private(set) var unpublishedSince: BootInstant?
    /// The newest summary that was published.
    private var published: Summary?

    init() {}

    /// Restores the packets after a restart; `unpublishedSince` is nil if they were published.
    init(
        main: WorkoutSummary?, additional: AdditionalWorkoutSummary?, second: WorkoutSummary2?,
        log: LoggedWorkout?, unpublishedSince: BootInstant?
    ) {
        (self.main, self.additional, self.second, self.log) = (main, additional, second, log)
        self.unpublishedSince = unpublishedSince
    }

    /// Whether the summary has no result, as for a spoiled log entry.
    static func isJunk(_ packet: WorkoutSummary) -> Bool {
        packet.distanceDecimeters == 0 || packet.averagePaceDecisecondsPer500m == .max
    }

    /// Adds a packet; returns false if it has no new content.
    mutating func receive(_ packet: WorkoutSummary, at now: BootInstant) -> Bool {
        guard packet != main else { return false }
        main = packet
        unpublishedSince = unpublishedSince ?? now
        return true
    }

    /// Adds a packet; returns false if it has no new content.
    mutating func receive(_ packet: AdditionalWorkoutSummary, at now: BootInstant) -> Bool {
        guard packet != additional else { return false }
        additional = packet
        unpublishedSince = unpublishedSince ?? now
        return true
    }

    /// Adds a packet; returns false if it has no new content.
    mutating func receive(_ packet: WorkoutSummary2, at now: BootInstant) -> Bool {
        guard packet != second else { return false }
        second = packet
        // A dedicated 0x0039 already has everything that is published. A late 0x003C needs no revision.
        if main?.averagePaceDecisecondsPer500m == nil { unpublishedSince = unpublishedSince ?? now }
        return true
    }

    /// Adds the entry in the monitor's log, of which there is one for each result; returns false if it has one.
    mutating func receive(_ packet: LoggedWorkout, at now: BootInstant) -> Bool {
        guard log == nil else { return false }
        log = packet
        unpublishedSince = unpublishedSince ?? now
        return true
    }

    /// Whether the monitor's result has arrived, with its companion packets unless they are overdue.
    func isReady(at now: BootInstant) -> Bool {
        guard let main, let unpublishedSince else { return false }
        let waited = unpublishedSince.duration(to: now)
        if waited >= Self.companionLimit { return true }
        // It is unknown whether 0x003C follows a main packet that already has the pace, and whether 0x003F follows.
        let mayBeComplete = waited >= Self.optionalLimit
        let hasSecond =
            secondOfMain != nil || main.averagePaceDecisecondsPer500m != nil && mayBeComplete
        return additionalOfMain != nil && hasSecond && (log != nil || mayBeComplete)
    }

    // Packets of a spoiled log entry also arrive; their log time differs from the main packet's.
    private var additionalOfMain: AdditionalWorkoutSummary? {
        additional?.logged == main?.logged ? additional : nil
    }

    private var secondOfMain: WorkoutSummary2? {
        second?.logged == main?.logged ? second : nil
    }

    /// The number of splits or intervals in the monitor's log; nil before it is reported.
    var splitCount: Int? { additionalOfMain.map { Int($0.splitCount) } }

    /// Stores the summary and returns true if its content differs from the last one.
    ///
    /// Companion packets may arrive after the summary was published, and often add nothing.
    mutating func recordIfChanged(_ summary: Summary) -> Bool {
        unpublishedSince = nil
        if let published, published.hasSameContent(as: summary) { return false }
        published = summary
        return true
    }

    /// Replaces our own values with the monitor's.
    func apply(to summary: inout Summary) {
        guard let main else { return }
        summary.result = .centiseconds(main.elapsedCentiseconds)
        summary.distance = Meters(decimeters: Int64(main.distanceDecimeters))
        summary.averagePace = averagePace(main)
        summary.averageStrokeRate = known(
            main.knownAverageStrokeRatePerMinute(on: summary.machine))
        summary.averageHeartRate =
            known(main.knownAverageHeartRateBeatsPerMinute) ?? summary.averageHeartRate
        summary.minimumHeartRate =
            known(main.knownMinimumHeartRateBeatsPerMinute) ?? summary.minimumHeartRate
        summary.maximumHeartRate =
            known(main.knownMaximumHeartRateBeatsPerMinute) ?? summary.maximumHeartRate
        summary.endingHeartRate =
            known(main.knownEndingHeartRateBeatsPerMinute) ?? summary.endingHeartRate
        summary.recoveryHeartRate = known(main.knownRecoveryHeartRateBeatsPerMinute)
        summary.averageDragFactor =
            known(main.knownAverageDragFactor) ?? summary.averageDragFactor
        summary.monitorLogDate = main.logged.text
        summary.monitorLogEntry = log.map { .init(workoutHash: $0.workoutHashText, address: $0.logAddress) }
        applyCompanions(to: &summary)
    }

    private func applyCompanions(to summary: inout Summary) {
        if let additional = additionalOfMain {
            summary.averagePowerWatts = Int(additional.averagePowerWatts)
            summary.calories = Int(additional.totalCalories)
            if summary.workout.type.isInterval {
                summary.restDistance = Meters(Int64(additional.totalRestDistanceMeters))
            }
        }
        if let second = secondOfMain {
            summary.isVerifiedByMonitor = second.isVerified
            summary.machine = second.ergMachineType
        }
    }

    /// Multiplexed summaries without 0x003C have no pace. The monitor's log truncates it to 0.1 s.
    private func averagePace(_ main: WorkoutSummary) -> Pace? {
        let wire =
            main.knownAveragePaceDecisecondsPer500m
            ?? secondOfMain?.knownAveragePaceDecisecondsPer500m
        if let wire { return Pace(decisecondsPer500m: Int64(wire)) }
        return Pace(
            rowing: Meters(decimeters: Int64(main.distanceDecimeters)),
            in: .centiseconds(main.elapsedCentiseconds)
        ).map { Pace(decisecondsPer500m: $0.millisecondsPer500m / 100) }
    }
}

private func known(_ value: UInt8?) -> Int? { value.map(Int.init) }

extension Summary {
    /// Whether two summaries differ only in their revision and publishing time.
    fileprivate func hasSameContent(as other: Summary) -> Bool {
        var same = other
        same.revision = revision
        same.at = at
        return self == same
    }
}
