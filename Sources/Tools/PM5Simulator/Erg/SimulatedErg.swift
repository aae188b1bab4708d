import PM5Codec

/// A rower on a machine with a PM5: a pure state machine with an external clock.
///
/// Times are milliseconds since the erg was switched on. `step(to:)` returns what happened up to a
/// time, in order; `nextMilliseconds` is the time of the next event. The same seed and the
/// same calls give the same bytes.
package struct SimulatedErg: Sendable {
    /// A scheduled event of the rower, the monitor or the link.
    enum Event: Equatable, Sendable {
        /// The timed group 0x0031, 0x0032, 0x0033, 0x003E.
        case timedStatus
        case rowerBegins
        case finish
        case catchOfNextStroke
        case splitReached
        case goalReached
        case rowerPressesMenu
        /// A short state that leads to another one.
        case state(WorkoutState)
        case restOver
        case piece(PieceEnding)
        /// A piece of a frame for 0x0022.
        case controlAnswer([UInt8])
        /// The display executes a queued screen command.
        case screenTask
        case rowerResumes
        case arm(Workout)
        case sleepDue
    }

    /// Events after the end of a piece.
    enum PieceEnding: Equatable, Sendable {
        case summary, logged, recoveryHeartRate
    }

    /// The device information.
    package internal(set) var identity: SimulatedIdentity
    /// The simulated rower.
    package let profile: RowerProfile
    /// Its clock.
    package internal(set) var calendar: MonitorCalendar
    var generator: SeededGenerator
    var schedule = EventSchedule<Int, Event>()
    var output: [ErgOutput] = []
    /// The time that has been reached.
    package internal(set) var now = 0

    // The link.
    /// Whether a central is connected.
    package internal(set) var isConnected = false
    /// The subscriptions of the link, which end with it.
    package internal(set) var subscriptions: Set<CharacteristicID> = []
    var sampleRate = SampleRate.every500Milliseconds

    // The monitor.
    /// On the screen, or being rowed.
    package internal(set) var workout: Workout
    /// As reported in 0x0031.
    package internal(set) var state = WorkoutState.waitToBegin
    var piece: Piece?
    /// The piece that ended last, until its log entry is done with.
    var ended: EndedPiece?
    var pieceCount = 0
    var announcedBelt = false
    var control = ControlPort()
    /// The workout was put there by a host, not with the monitor's keys.
    var isProgrammed = false
    var power: BatteryPower

    // The rower.
    var rowerStop: WorkoutScript.Stop
    /// Whether the rower's belt, if there is one, reaches the monitor.
    private var isBeltReceived = true
    /// How long the rower is about to stop.
    var wantedPause: Int?
    /// The rower does not begin before this.
    var breakUntil = 0
    let startDelayMilliseconds: Int
    let repeats: Bool
    /// Between the end of a piece and the keys for the next one.
    let pauseMilliseconds: Int
    var strokes: SimulatedRower
    var heart: HeartModel
    /// The rower rows an armed workout once; programming the monitor requests another piece.
    var wantsToRow = true
    /// The rower waits for a start signal, as in a race.
    var waitsForStartSignal = false

    /// - Parameters:
    ///   - startDelayMilliseconds: how long the rower waits after the last new subscription, so
    ///     that a gateway has all of its subscriptions when the first stroke is rowed.
    ///   - repeats: whether the rower, or the next one, rows the same again after each piece.
    ///   - pauseMilliseconds: about how long after it.
    ///   - power: by default it never switches off.
    ///   - rower: nil for the random rower of the seed.
    package init(
        _ identity: SimulatedIdentity, script: WorkoutScript, calendar: MonitorCalendar,
        seed: UInt64, rower: RowerProfile? = nil, startDelayMilliseconds: Int = 1000, repeats: Bool = false,
        pauseMilliseconds: Int = 70_000, power: BatteryPower = BatteryPower()
    ) {
        self.identity = identity
        rowerStop = script.stop
        self.calendar = calendar
        self.startDelayMilliseconds = startDelayMilliseconds
        self.repeats = repeats
        self.pauseMilliseconds = pauseMilliseconds
        self.power = power
        workout = script.workout
        wantsToRow = !script.waitsForHost
        generator = SeededGenerator(seed: seed)
        let drawn = RowerProfile(drawnFrom: &generator)
        profile = rower ?? drawn
        strokes = SimulatedRower(profile, seed: generator.next())
        heart = HeartModel(profile)
        // Monitors that were switched on together would otherwise all send at the same moment.
        schedule.add(.timedStatus, at: generator.integer(1...500))
        scheduleSleep()
    }

    /// The seed of an erg in a room.
    ///
    /// - Parameters:
    ///   - number: 1 for the first erg.
    ///   - start: how often the monitor was switched on before; each time it has other random values.
    package static func seed(ofErg number: Int, start: Int = 0, in room: UInt64) -> UInt64 {
        room &* 1000 &+ UInt64(number + 100 * start)
    }

    // MARK: - Time

    /// The time of the next event.
    package var nextMilliseconds: Int { schedule.next ?? .max }

    /// Advances the time to `milliseconds` and returns the outputs.
    package mutating func step(to milliseconds: Int) -> [ErgOutput] {
        while let (time, event) = schedule.popFirst(upTo: milliseconds) {
            now = max(now, time)
            handle(event)
        }
        now = max(now, milliseconds)
        defer { output.removeAll(keepingCapacity: true) }
        return output
    }

    /// Whether the rower is done and everything about the piece has been sent.
    package var isDone: Bool {
        pieceCount > 0 && !wantsToRow && ended == nil && piece?.isOver != false
    }

    private mutating func handle(_ event: Event) {
        heart.advance(to: now, watts: piece?.stroke?.watts ?? 0)
        let heartRate = heartRate
        piece?.note(heartRate: heartRate, at: now)
        switch event {
        case .timedStatus:
            sendTimedStatus()
            schedule.add(.timedStatus, at: now + (sampleRate.periodMilliseconds ?? 500))
        case .rowerBegins: beginPiece()
        case .finish: finishDrive()
        case .catchOfNextStroke: completeStroke()
        case .splitReached: endSplit()
        case .goalReached: reachGoal()
        case .rowerPressesMenu: stopEarly()
        case .state(let next): enter(next)
        case .restOver: endRest()
        case .piece(.summary): sendSummary()
        case .piece(.logged): if state == .workoutEnd { state = .workoutLogged }
        case .piece(.recoveryHeartRate): sendRecoveryHeartRate()
        case .controlAnswer(let bytes): sendControl(bytes)
        case .screenTask: executeScreenCommand()
        case .rowerResumes: resumeRowing()
        case .arm(let workout): arm(workout)
        case .sleepDue: sleepIfUnused()
        }
    }

    // MARK: - Link

    /// Handles a new or lost link; both reset the state of the connection.
    package mutating func setConnected(_ connected: Bool) {
        isConnected = connected
        power.noteUse(at: now)
        scheduleSleep()
        subscriptions = []
        sampleRate = .every500Milliseconds
        announcedBelt = false
        control.parser = FrameParser()
        control.answers = 0
        if connected { control.joinedRunningPiece = piece?.isOver == false }
        schedule.remove { event in
            switch event {
            case .controlAnswer: true
            case .rowerBegins: !connected
            default: false
            }
        }
    }

    /// A client switched the notifications of a characteristic on or off.
    package mutating func setSubscribed(_ subscribed: Bool, to id: CharacteristicID) {
        guard isConnected, identity.generation.notifying.contains(id) else { return }
        if subscribed { subscriptions.insert(id) } else { subscriptions.remove(id) }
        if subscribed { awaitRower() }
    }

    /// The value of a readable characteristic; nil when reading is not permitted.
    package func read(_ id: CharacteristicID) -> [UInt8]? {
        id == .sampleRate
            ? sampleRate.notificationBytes(carrier: .dedicated) : identity.value(of: id)
    }

    /// A client wrote to a characteristic. A sample rate takes effect with the next status.
    package mutating func write(_ bytes: [UInt8], to id: CharacteristicID) {
        guard isConnected, let first = bytes.first else { return }
        if id == .csafeIn { receiveControl(bytes) }
        if id == .sampleRate, SampleRate(rawValue: first).periodMilliseconds != nil {
            sampleRate = SampleRate(rawValue: first)
            schedule.remove { $0 == .timedStatus }
            schedule.add(.timedStatus, at: now + (sampleRate.periodMilliseconds ?? 500))
        }
    }

    /// Sends on the characteristic itself or, only while that is not notifying, inside 0x0080.
    ///
    /// Returns false if neither is subscribed.
    @discardableResult
    mutating func send(_ payload: some CharacteristicPayload) -> Bool {
        let id = type(of: payload).characteristic
        let carrier: Carrier
        if subscriptions.contains(id) {
            carrier = .dedicated
        } else if subscriptions.contains(.multiplexed) {
            carrier = .multiplexed
        } else {
            return false
        }
        let bytes = payload.notificationBytes(carrier: carrier)
        output.append(
            .notification(
                characteristic: carrier == .dedicated ? id : .multiplexed,
                bytes: Array(bytes.prefix(20))))
        return true
    }

    // MARK: - Rower

    /// The rower begins a while after the last new subscription, if the monitor is ready.
    mutating func awaitRower() {
        let listened =
            subscriptions.contains(.generalStatus) || subscriptions.contains(.multiplexed)
        guard listened, wantsToRow, !waitsForStartSignal, piece == nil, state == .waitToBegin else { return }
        schedule.remove { $0 == .rowerBegins }
        let ready = max(now + startDelayMilliseconds, breakUntil)
        schedule.add(.rowerBegins, at: ready + generator.integer(0...800))
    }

    package mutating func hold(_ isHeld: Bool) {
        waitsForStartSignal = isHeld
        if isHeld { schedule.remove { $0 == .rowerBegins } } else { awaitRower() }
    }

    package mutating func begin(afterMilliseconds milliseconds: Int) {
        schedule.remove { $0 == .rowerBegins }
        schedule.add(.rowerBegins, at: now + milliseconds)
    }

    /// Nil without a belt, or if it is not received.
    var heartRate: UInt8? { beltID == nil ? nil : UInt8(heart.beatsPerMinute.rounded()) }

    /// Nil without a belt, or if it is not received.
    var beltID: UInt32? { isBeltReceived ? profile.beltID : nil }

    package mutating func fade(to part: Double, withinMilliseconds milliseconds: Int) {
        strokes.fade(to: part, from: now, within: milliseconds)
    }

    package mutating func setBelt(isReceived: Bool) { isBeltReceived = isReceived }
}

extension SimulatedErg: SimulatedMonitor {
    package mutating func updateFirmware(to version: String) { identity.firmware = version }
}
