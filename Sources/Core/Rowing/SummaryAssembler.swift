import PM5Codec
import Timeline

/// Collects the monitor's summary of a piece: 0x0039, 0x003A and, inside 0x0080, 0x003C.
struct SummaryAssembler {
    /// The packets of a summary follow each other within milliseconds (ErgometerJS recording).
    static let companionLimit = Duration.seconds(2)
    /// How long 0x003C is waited for when nothing needs it.
    static let secondLimit = Duration.milliseconds(500)

    private(set) var main: WorkoutSummary?
    private(set) var additional: AdditionalWorkoutSummary?
    private(set) var second: WorkoutSummary2?
    /// Since when there is something that no summary has told yet.
    private(set) var newsSince: BootInstant?
    /// The newest summary that was published.
    private var published: Summary?

    init() {}

    /// Goes on after a restart with what had come; `newsSince` is nil where a summary has told it.
    init(
        main: WorkoutSummary?, additional: AdditionalWorkoutSummary?, second: WorkoutSummary2?,
        newsSince: BootInstant?
    ) {
        (self.main, self.additional, self.second) = (main, additional, second)
        self.newsSince = newsSince
    }

    /// Summaries without a result: what a monitor says of a log entry that was spoiled.
    static func isJunk(_ packet: WorkoutSummary) -> Bool {
        packet.distanceDecimeters == 0 || packet.averagePaceDecisecondsPer500m == .max
    }

    /// Takes a packet in; false when it says nothing new.
    mutating func receive(_ packet: WorkoutSummary, at now: BootInstant) -> Bool {
        guard packet != main else { return false }
        main = packet
        newsSince = newsSince ?? now
        return true
    }

    /// Takes a packet in; false when it says nothing new.
    mutating func receive(_ packet: AdditionalWorkoutSummary, at now: BootInstant) -> Bool {
        guard packet != additional else { return false }
        additional = packet
        newsSince = newsSince ?? now
        return true
    }

    /// Takes a packet in; false when it says nothing new.
    mutating func receive(_ packet: WorkoutSummary2, at now: BootInstant) -> Bool {
        guard packet != second else { return false }
        second = packet
        // Beside a dedicated 0x0039 it adds nothing that is published, and often comes after the
        // summary is out: no reason for a revision.
        if main?.averagePaceDecisecondsPer500m == nil { newsSince = newsSince ?? now }
        return true
    }

    /// Whether the monitor's result is here, with its companions unless they are not coming.
    func isReady(at now: BootInstant) -> Bool {
        guard let main, let newsSince else { return false }
        let waited = newsSince.duration(to: now)
        if waited >= Self.companionLimit { return true }
        // Nobody knows whether 0x003C comes beside a main packet that has the pace already.
        let hasSecond =
            secondOfMain != nil
            || main.averagePaceDecisecondsPer500m != nil && waited >= Self.secondLimit
        return additionalOfMain != nil && hasSecond
    }

    // Those of a spoiled log entry come as well, and are of another minute than the main packet.
    private var additionalOfMain: AdditionalWorkoutSummary? {
        additional?.logged == main?.logged ? additional : nil
    }

    private var secondOfMain: WorkoutSummary2? {
        second?.logged == main?.logged ? second : nil
    }

    /// How many splits or intervals the monitor logged; nil where it has not said so.
    var splitCount: Int? { additionalOfMain.map { Int($0.splitCount) } }

    /// Whether a summary says anything that the last one did not; it is the last one from then on.
    ///
    /// Companion packets may come after the summary is out, and often add nothing to it.
    mutating func isNews(_ summary: Summary) -> Bool {
        newsSince = nil
        if let published, published.says(sameAs: summary) { return false }
        published = summary
        return true
    }

    /// Puts the monitor's figures in the place of our own.
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

    /// Multiplexed summaries without 0x003C have none; the log truncates it to 0.1 s.
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
    /// Whether two summaries differ in nothing but their revision and the time of telling.
    fileprivate func says(sameAs other: Summary) -> Bool {
        var same = other
        same.revision = revision
        same.at = at
        return self == same
    }
}
