@testable import Bytes
@testable import Contract
@testable import Insights
@testable import Rowing
@testable import Timeline

/// A sample of each type with all fields, with realistic values.
enum Sample {
    static let gateway = GatewayID("boathouse")!
    static let erg = StationID("seat-3")!
    static let session = SessionID("01J7ZK3Q5XQ4W8G9T2V6B0C1DE")
    static let epoch = "01J0EP0CH000000000000000AA"
    static let clock = WallClock(
        bootID: "5b1f5b1f5b1f5b1f5b1f5b1f5b1f5b1f", unixMillisecondsAtBoot: 1_788_627_000_000,
        isSynchronized: true)
    static let unsynchronizedClock = WallClock(
        bootID: "5b1f5b1f5b1f5b1f5b1f5b1f5b1f5b1f", unixMillisecondsAtBoot: 1_788_627_000_000,
        isSynchronized: false)
    static let now = BootInstant(nanoseconds: 900_120_999_999)
    static let context = RecordContext(
        athlete: "a-17", monitorSerial: "430012345", clock: clock)
    static let workout = Workout(type: .fixedDistanceWithSplits, target: .distance(Meters(500)))
    static let workouts = [
        workout, Workout(type: .fixedTimeInterval, target: .time(.seconds(90))),
        Workout(type: .fixedCaloriesWithSplits, target: .calories(100)),
        Workout(type: .fixedWattMinutesWithSplits, target: .wattMinutes(800)),
        equalIntervals, ofPhone,
    ]
    static let ofPhone = {
        var workout = Workout(type: .fixedDistanceWithSplits, target: .distance(Meters(2000)))
        workout.isSetByPhone = true
        return workout
    }()
    static let relays = RelayReport([
        .init(adapter: "hci1", erg: erg, state: "advertising"),
        .init(adapter: "hci2", erg: nil, state: "waiting_for_monitor"),
    ])
    static let equalIntervals = Workout(
        type: .variableInterval, target: .distance(Meters(500)),
        repetition: Workout.Repetition(count: 8, rest: .seconds(60)))
    /// The rest after the second interval.
    static let rested = IntervalProgress(
        number: 2, elapsed: .milliseconds(105_300), distance: Meters(500), isOver: true)

    /// The stored form of a body, numbered 7, at `now`.
    static func stored(_ body: some RecordBody, clock: WallClock = clock) -> String {
        let kind = type(of: body).recordKind
        let head = RecordHead(
            gateway: gateway,
            stream: StreamID(station: kind.isGatewayOnly ? nil : erg, kind: kind),
            epoch: epoch, sequence: 7, time: clock.stamp(at: now))
        var encoder = RecordEncoder()
        return String(decoding: encoder.encode(body, head: head, context: context), as: UTF8.self)
    }

    static func retained(_ body: some RetainedBody, of station: StationID?) -> String {
        String(
            decoding: body.payload(gateway: gateway, station: station, at: now, clock: clock),
            as: UTF8.self)
    }

    static let stroke: Stroke = {
        var stroke = Stroke(
            session: session, at: now, number: 42, elapsed: .centiseconds(12_345),
            distance: Meters(decimeters: 5_000))
        stroke.strokeRate = 24
        stroke.powerWatts = 179
        stroke.pace = Pace(centisecondsPer500m: 12_503)
        stroke.heartRate = 151
        stroke.driveLength = Meters(centimeters: 138)
        stroke.driveTime = .centiseconds(81)
        stroke.recoveryTime = .centiseconds(169)
        stroke.strokeDistance = Meters(centimeters: 1003)
        stroke.peakForce = Newtons(deciPoundsForce: 1234)
        stroke.averageForce = Newtons(deciPoundsForce: 789)
        stroke.work = Joules(decijoules: 6155)
        stroke.calories = 31
        stroke.interval = 2
        stroke.projectedTime = .seconds(125)
        stroke.projectedDistance = Meters(500)
        return stroke
    }()

    static let force = ForceCurve(
        session: session, at: now, stroke: 42, isComplete: true, poundsForce: [0, 50, 100, 70])

    static func edge(_ workout: Workout) -> SessionTransition {
        var edge = SessionTransition(
            kind: .started, session: session, startedAt: BootInstant(nanoseconds: 1_000_000_000),
            workout: workout, at: now)
        edge.machine = .modelD
        return edge
    }

    static let split: Split = {
        var split = Split(
            session: session, at: now, number: 2, type: .distanceUndefinedRest,
            distance: Meters(500), duration: .milliseconds(105_300))
        split.averagePowerWatts = 200
        split.averagePace = Pace(decisecondsPer500m: 1053)
        split.averageStrokeRate = 28
        split.averageHeartRate = 160
        split.averageDragFactor = 128
        split.rest = .seconds(60)
        split.restDistance = Meters(35)
        split.workHeartRate = 171
        split.calories = 32
        return split
    }()

    static func summary(_ workout: Workout) -> Summary {
        var summary = Summary(
            revision: 2, session: session, workout: workout,
            startedAt: BootInstant(nanoseconds: 1_000_000_000), endedAt: now, at: now,
            result: .milliseconds(105_300), distance: Meters(500), strokes: 52, splits: 5,
            isComplete: true)
        summary.averagePace = Pace(decisecondsPer500m: 1053)
        summary.averagePowerWatts = 300
        summary.maximumPowerWatts = 410
        summary.averageStrokeRate = 30
        summary.averageHeartRate = 165
        summary.minimumHeartRate = 120
        summary.maximumHeartRate = 181
        summary.endingHeartRate = 180
        summary.recoveryHeartRate = 130
        summary.averageDragFactor = 127
        summary.calories = 34
        summary.machine = .modelD
        summary.monitorLogDate = "2026-09-05T19:04"
        summary.monitorLogEntry = .init(workoutHash: "41a09a0c97a37088", address: 17_359_306)
        summary.isVerifiedAgainstMonitor = true
        return summary
    }

    static let partialSummary: Summary = {
        var summary = Self.summary(workout)
        (summary.receivedThousandths, summary.isPartial) = (873, true)
        summary.isVerifiedAgainstMonitor = nil
        return summary
    }()

    static let alerts: [Alert] = {
        var alert = Alert(
            id: "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", rule: .offPace,
            since: BootInstant(nanoseconds: 880_000_000_000), session: session, at: now)
        (alert.value, alert.threshold) = (12_650, 12_200)
        var seen = alert
        seen.acknowledgement = Alert.Acknowledgement(at: now, by: "anna")
        var resolved = seen
        resolved.resolution = .recovered
        return [alert, seen, resolved]
    }()

    static let rollup: Rollup = {
        var rollup = Rollup(.minute, 2, from: stroke, follows: true)
        var next = stroke
        next.number += 1
        rollup.add(next)
        rollup.add(force)
        return rollup
    }()

    static let pair = Crew(CrewID("bow-pair")!, [erg, StationID("seat-4")!])!

    /// Two rowing ergs: current values, and at the end of a minute.
    static let (room, minutes): (RoomInsights, [RoomInsight]) = {
        var room = RoomInsights()
        room.crews = [pair]
        let readings = pair.ergs.map { erg in
            var share = ErgStrokeSums()
            for event in [SessionEvent.stroke(stroke), .force(force)] { share.add(event) }
            return ErgReading(erg: erg, sample: live, sums: share)
        }
        let begin = now.advanced(by: .zero - RoomInsights.minute)
        _ = room.add(readings, at: begin)
        return (room, room.add([], at: now))
    }()

    static func storedMinutes(_ kind: StreamKind) -> [String] {
        minutes.compactMap { minute in
            switch (minute, kind) {
            case (.room(let rollup), .roomRollup): stored(rollup)
            case (.crew(let rollup), .crewRollup): stored(rollup)
            default: nil
            }
        }
    }

    static func together(_ crew: Crew?) -> String {
        let figures = crew.map(room.statistics(of:)) ?? room.room
        return String(
            decoding: RoomLive(figures!, of: crew).payload(
                gateway: gateway, number: 99, at: now, clock: clock), as: UTF8.self)
    }

    static let gap = Gap(
        session: session, at: now, reason: .linkLost, strokes: 17...21,
        duration: .milliseconds(12_345), isRecovered: true)

    static let uncountedGap: Gap = {
        var uncounted = gap
        uncounted.strokes = nil
        uncounted.isUncounted = true
        return uncounted
    }()

    static let splitGap: Gap = {
        var splits = gap
        splits.strokes = nil
        splits.splits = 2...3
        splits.duration = .zero
        return splits
    }()

    // MARK: - With a target

    /// A target band for each value.
    static let bands: TargetBands = {
        var bands = TargetBands()
        bands.pace = TargetBand(low: 11_800, high: 12_250)
        bands.watts = TargetBand(low: 200, high: 220)
        bands.rate = TargetBand(low: 18, high: 20)
        bands.heartRate = TargetBand(low: 140, high: 150)
        return bands
    }()

    static let targetStroke: Stroke = {
        var stroke = Self.stroke
        stroke.target = TargetCheck(
            bands, pace: stroke.pace, watts: stroke.powerWatts, rate: stroke.strokeRate,
            heartRate: stroke.heartRate)
        return stroke
    }()

    /// Three strokes, two of them in target.
    static let tally: TargetTally = {
        var inside = TargetBands()
        inside.watts = TargetBand(low: 100, high: 300)
        var tally = TargetTally()
        for watts in [179, 200, 90] {
            tally.add(TargetCheck(inside, pace: nil, watts: watts, rate: nil, heartRate: nil))
        }
        return tally
    }()

    static let targetSplit: Split = {
        var split = Self.split
        (split.targets, split.targetTally) = (bands, tally)
        return split
    }()

    static let targetSummary: Summary = {
        var summary = Self.summary(workout)
        summary.targetTally = tally
        return summary
    }()

    static let targetRollup = Rollup(.interval, 1, from: targetStroke, follows: true)

    static let targetLive: MetricsSample = {
        var live = Self.live
        live.target = targetStroke.target
        return live
    }()

    static let namedWorkouts = ["steady-state": "30:00@18-20spm", "sprints": "8x100m/1:00r"]
        .sorted { $0.key < $1.key }.compactMap { try? NamedWorkout($0.key, row: $0.value) }

    static let manifest = Manifest(
        session: session, strokes: 11...62, strokeCount: 52,
        strokeDigest: String(repeating: "ab", count: 32), forceCount: 51, splitCount: 5,
        gapCount: 0, monitorStrokes: 52)

    static let events: [GatewayEvent] = [
        .gatewayStarted(version: "1.0.0"), .configurationReloaded,
        .adapterReset(adapter: "hci0", reason: "tx timeout"),
        .ringDropped(
            stream: StreamID(station: erg, kind: .stroke), sequences: 3...9,
            reason: .overwritten),
        .ringRecovered(droppedBytes: 812, reason: "torn write"),
        .clockStepped(milliseconds: -31_536_000_000),
        .epochBegan(
            reason: "the disk does not store the numbers",
            firstSequences: [
                StreamID(station: erg, kind: .stroke): 47,
                StreamID(station: erg, kind: .force): 45,
            ]),
    ]

    static let live: MetricsSample = {
        var sample = MetricsSample(
            at: now, state: .rowing, elapsed: .centiseconds(4_210),
            distance: Meters(decimeters: 1873))
        sample.strokeRate = 26
        sample.pace = Pace(centisecondsPer500m: 11_217)
        sample.averagePace = Pace(centisecondsPer500m: 11_239)
        sample.powerWatts = 248
        sample.heartRate = 158
        sample.dragFactor = 129
        sample.strokePhase = .driving
        sample.rest = .seconds(30)
        sample.restDistance = Meters(12)
        sample.speedMillimetersPerSecond = 4_457
        return sample
    }()

    /// Live samples in intervals and in each type of piece.
    static let intervalLives: [MetricsSample] = {
        var sample = live
        (sample.interval, sample.intervalCount) = (rested, 8)
        return [
            Remainder(distance: Meters(decimeters: 3127)), Remainder(time: .seconds(47)),
            Remainder(calories: 12),
        ].map { remainder in
            sample.remainder = remainder
            return sample
        }
    }()

    static let staleLive: MetricsSample = {
        var sample = MetricsSample(
            at: now, state: .rowing, elapsed: .milliseconds(42_100),
            distance: Meters(decimeters: 1873))
        sample.isStale = true
        return sample
    }()

    static func livePayload(_ sample: MetricsSample = live, into json: inout JSONWriter) -> String {
        sample.encode(of: erg, gateway: gateway, number: 99, clock: clock, into: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    static let monitor: MonitorIdentity = {
        var monitor = MonitorIdentity(
            serial: "430012345", address: "F4:30:00:00:00:01", adapter: "hci0")
        monitor.model = "PM5"
        monitor.manufacturer = "Concept2"
        monitor.hardwareRevision = "907"
        monitor.firmwareRevision = "218.013"
        monitor.machineType = .modelD
        monitor.batteryPercent = 64
        monitor.notifying = [.generalStatus, .additionalStatus3]
        return monitor
    }()

    static let birth = Birth(
        version: "1.0.0", epoch: epoch, stations: [erg], discovery: .listed,
        streams: [
            StreamID(station: nil, kind: .gatewayEvent): .init(next: 3, oldest: 1),
            StreamID(station: erg, kind: .stroke): .init(next: 63, oldest: 12),
        ])

    /// One reply for each kind of details.
    static let replies: [CommandReply] =
        [
            CommandReply.Details.greeting(version: "1.0.0", uptime: .seconds(70)), .health(health),
            .reload(applied: ["commands.enabled"], needRestart: ["broker.host"]),
            .replayed(count: 12), .crew(pair.id, members: pair.ergs), .assigned(athlete: "a-17"),
            .erased(records: 12, damagedRanges: 0),
            .identity(monitor, signalDBm: -61),
        ].map { CommandReply(to: "r-1", verb: "ping", from: erg, .done, "done", $0) }
        + workouts.map {
            CommandReply(to: "r-1", verb: "workout", from: erg, .done, "armed", .workout($0))
        }

    static let health: Health = {
        var health = Health([
            HealthProblem(.battery, erg: erg, "seat-3: low", remedy: "put in new cells"),
            HealthProblem(.recordsLost, "7 records were lost"),
        ])
        health.adaptersUp = 1
        health.slotsUsed = 7
        health.slotsTotal = 7
        health.ergsOnline = 7
        health.ergsAsleep = 1
        health.ergsConfigured = 8
        health.isBrokerConnected = true
        health.backlogMessages = 12
        health.backlogAgeSeconds = 3
        health.rejectedTotal = 0
        health.unsubscribedTotal = 4
        health.tooLongTotal = 2
        (health.brokerCertificateEnd, health.ownCertificateEnd) = (1_800_000_000_000, 0)
        health.skippedTopics = ["rowgate/v1/boathouse/erg/seat-1/force"]
        health.commandsRejectedTotal = 1
        health.ringUsedPermille = 15
        health.ringReachSeconds = 187_200
        health.ringDroppedTotal = 0
        health.diskBehindSeconds = 0
        health.worstCommit = .milliseconds(31)
        health.loadStep = 1
        health.queueDelay = .milliseconds(240)
        health.processorPercent = 93
        health.diskFreeBytes = 5_000_000_000
        health.cpuTemperatureDecidegrees = 512
        health.isUndervoltage = false
        health.notificationRate = Rate(tenthsPerSecond: 801)
        health.publishLatency = .milliseconds(4)
        health.lastSequencesOfGateway = [.gatewayEvent: 2, .alert: 2, .roomRollup: 7, .crewRollup: 5]
        var talking = ErgHealth(erg: "seat-3", reconnects: 2)
        talking.rssiDBm = -61
        talking.batteryPercent = 64
        talking.linkAgeSeconds = 4210
        talking.notificationRate = Rate(tenthsPerSecond: 102)
        talking.silenceDeciseconds = 3
        health.ergs = [talking, ErgHealth(erg: "seat-4", reconnects: 0)]
        var known = AdapterHealth(address: "B8:27:EB:00:00:01", links: 7, powerCycles: 1)
        known.linkLimit = 7
        known.bytesReceived = 123_456
        known.bytesSent = 7890
        known.errors = 2
        health.adapters = [
            known, AdapterHealth(address: "B8:27:EB:00:00:02", links: 0, powerCycles: 0),
        ]
        return health
    }()
}
