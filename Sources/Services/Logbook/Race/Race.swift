import Timeline

/// A race between several ergs: its lanes, its start and its results.
///
/// It has no clock: times are parameters, and the state of the ergs comes from the board. The monitors have
/// no common start, so each monitor is set to the piece and the page shows the start signal; see Race.md.
struct Race: Equatable, Sendable {
    enum Phase: String, CaseIterable, Sendable {
        /// The monitors are being set to the piece.
        case ready
        /// The countdown to the start signal is running.
        case countdown
        case rowing
        /// Every lane has a result or can no longer get one.
        case over
    }

    /// The valid number of ergs in one race.
    static let laneCount = 2...128
    /// The valid length of the countdown in seconds.
    static let countdownSeconds = 5...60
    static let defaultCountdown = 10
    /// The time limit of a race. A lane without a result by then did not finish.
    static let timeLimit = Duration.seconds(4 * 3600)

    let id: String
    let settings: RaceSettings
    let createdAt: BootInstant
    private(set) var phase = Phase.ready
    /// The time of the start signal; nil before the countdown.
    private(set) var signal: BootInstant?
    /// The time at which the current countdown began. Pieces from before are not a start of this race.
    private(set) var countdownBegan: BootInstant?
    private(set) var ended: BootInstant?
    private(set) var lanes: [RaceLane]
    /// The earlier attempts, which were recalled after a start. The oldest first.
    private(set) var attempts: [Attempt] = []

    /// A start that the coach recalled.
    struct Attempt: Equatable, Sendable {
        let countdownBegan: BootInstant
        let signal: BootInstant
        let recalled: BootInstant
        let lanes: [RaceLane]
    }

    /// The maximum number of stored attempts.
    static let maximumAttempts = 8

    init(_ id: String, _ settings: RaceSettings, _ places: [LiveBoard.Place], at now: BootInstant) {
        self.init(id, settings, lanes: places.map { RaceLane(at: $0) }, at: now)
    }

    init(_ id: String, _ settings: RaceSettings, lanes: [RaceLane], at now: BootInstant) {
        (self.id, self.settings, createdAt, self.lanes) = (id, settings, now, lanes)
    }

    /// Restores a stored race; see `Race+JSON.swift`.
    init(
        _ id: String, _ settings: RaceSettings, createdAt: BootInstant, _ phase: Phase,
        signal: BootInstant?, countdownBegan: BootInstant?, ended: BootInstant?, lanes: [RaceLane],
        attempts: [Attempt]
    ) {
        (self.id, self.settings, self.createdAt, self.phase) = (id, settings, createdAt, phase)
        (self.signal, self.countdownBegan) = (signal, countdownBegan)
        (self.ended, self.lanes, self.attempts) = (ended, lanes, attempts)
    }

    /// The lanes that are not scratched.
    var activeLanes: [RaceLane] { lanes.filter { $0.status != .scratched } }

    // MARK: Actions of the coach

    /// Starts the countdown. Returns false without a change if the race is not ready.
    mutating func begin(in wait: Duration, at now: BootInstant) -> Bool {
        guard phase == .ready, activeLanes.count >= Self.laneCount.lowerBound else { return false }
        (phase, countdownBegan, signal) = (.countdown, now, now.advanced(by: wait))
        return true
    }

    /// Returns to the phase before the countdown. Each lane keeps its number of false starts and loses the
    /// rest, which stays in the attempts if a lane has started. Returns false if the race is in another phase.
    mutating func recall(at now: BootInstant) -> Bool {
        guard phase == .countdown || phase == .rowing else { return false }
        if let countdownBegan, let signal, lanes.contains(where: { $0.start != nil }) {
            let attempt = Attempt(countdownBegan: countdownBegan, signal: signal, recalled: now, lanes: lanes)
            attempts = attempts.suffix(Self.maximumAttempts - 1) + [attempt]
        }
        (phase, countdownBegan, signal) = (.ready, nil, nil)
        for index in lanes.indices { lanes[index].recall() }
        return true
    }

    /// Scratches an erg, before the start or during the race. Returns false if it is not in the race or the
    /// race is over.
    mutating func scratch(_ place: LiveBoard.Place) -> Bool {
        guard phase != .over, let index = lanes.firstIndex(where: { $0.place == place }),
            lanes[index].status != .scratched
        else { return false }
        lanes[index].scratch()
        return true
    }

    /// Disqualifies an erg that rowed, after the race, or undoes that. Returns false in another phase, for an erg that
    /// did not row, and in a regatta, whose heats have such decisions of their own.
    mutating func setDisqualified(_ place: LiveBoard.Place, _ isDisqualified: Bool) -> Bool {
        guard phase == .over, settings.regatta == nil,
            let index = lanes.firstIndex(where: { $0.place == place }),
            lanes[index].status == .finished || lanes[index].status == .didNotFinish,
            lanes[index].isDisqualified != isDisqualified
        else { return false }
        lanes[index].isDisqualified = isDisqualified
        return true
    }

    /// Ends the race. Lanes without a result did not finish, but a later result still counts.
    mutating func end(at now: BootInstant) -> Bool {
        guard phase != .over else { return false }
        for index in lanes.indices { lanes[index].endWithoutResult() }
        (phase, ended) = (.over, now)
        return true
    }

    // MARK: Time and the state of the ergs

    /// Applies the current state of each erg and the time.
    mutating func advance(
        to now: BootInstant, snapshot: (LiveBoard.Place) -> ErgSnapshot?
    ) {
        if phase == .countdown, let signal, signal <= now { phase = .rowing }
        let countdown = countdownBegan.flatMap { began in
            signal.map { RaceCountdown(began: began, signal: $0) }
        }
        for index in lanes.indices {
            guard let snapshot = snapshot(lanes[index].place) else { continue }
            lanes[index].apply(snapshot, settings.piece, countdown: countdown, isOver: phase == .over)
        }
        guard phase == .rowing, let signal else { return }
        let passed = signal.duration(to: now)
        if passed >= RaceCountdown.startTimeout {
            for index in lanes.indices { lanes[index].markNotStarted() }
        }
        if passed >= Self.timeLimit { _ = end(at: now) }
        if lanes.allSatisfy(\.isSettled) { (phase, ended) = (.over, now) }
    }

    // MARK: Results

    /// The lanes in the order of the results, with the places of the finishers. The monitor's time decides
    /// over a distance, and its distance over a time. Equal results share a place.
    var results: [(place: Int?, lane: RaceLane)] {
        RaceRanking.places(
            of: lanes.map { lane in
                (lane.sortOrder, lane.status == .finished && !lane.isDisqualified, lane.result)
            }, over: settings.piece
        ).map { (place: $0.place, lane: lanes[$0.index]) }
    }
}
