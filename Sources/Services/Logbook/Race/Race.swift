import Timeline

/// A piece that several ergs row against each other: who is in it, when it starts, how it stands.
///
/// A value without a clock: moments are handed in, and what ergs do is read from the board. No monitor
/// takes a common start, so each is set to the piece, and the signal is seen on the page; see Race.md.
struct Race: Equatable, Sendable {
    enum Phase: String, CaseIterable, Sendable {
        /// Monitors are being set to the piece.
        case ready
        /// The signal has a time, which is to come.
        case countdown
        case rowing
        /// Every lane has its result, or none to come.
        case over
    }

    /// Ergs in one race.
    static let lanes = 2...64
    /// From the coach's tap to the signal.
    static let countdown = 5...60
    static let usualCountdown = 10
    /// Nothing that is raced takes longer: who is not done then did not finish.
    static let longest = Duration.seconds(4 * 3600)

    let id: String
    let terms: RaceTerms
    let made: BootInstant
    private(set) var phase = Phase.ready
    /// When "row" is said; nil before the countdown.
    private(set) var signal: BootInstant?
    /// When the present countdown began: what was rowed earlier is no start.
    private(set) var called: BootInstant?
    private(set) var ended: BootInstant?
    private(set) var lanes: [RaceLane]

    init(_ id: String, _ terms: RaceTerms, _ places: [LiveBoard.Place], at now: BootInstant) {
        (self.id, self.terms, made) = (id, terms, now)
        lanes = places.map { RaceLane(at: $0) }
    }

    /// One that was kept; see `Race+Keeping.swift`.
    init(
        _ id: String, _ terms: RaceTerms, made: BootInstant, _ phase: Phase,
        signal: BootInstant?, called: BootInstant?, ended: BootInstant?, lanes: [RaceLane]
    ) {
        (self.id, self.terms, self.made, self.phase) = (id, terms, made, phase)
        (self.signal, self.called, self.ended, self.lanes) = (signal, called, ended, lanes)
    }

    /// Those that are in it now.
    var entered: [RaceLane] { lanes.filter { $0.standing != .scratched } }

    // MARK: What a coach does

    /// Begins the countdown. Nothing changes, and false comes back, unless monitors wait for it.
    mutating func begin(in wait: Duration, at now: BootInstant) -> Bool {
        guard phase == .ready, entered.count >= Self.lanes.lowerBound else { return false }
        (phase, called, signal) = (.countdown, now, now.advanced(by: wait))
        return true
    }

    /// Back to the start: who moved early keeps that, everything else is as if nobody had rowed.
    mutating func recall() -> Bool {
        guard phase == .countdown || phase == .rowing else { return false }
        (phase, called, signal) = (.ready, nil, nil)
        for index in lanes.indices { lanes[index].recall() }
        return true
    }

    /// Takes an erg out, before the start or under way; false where it is not in, or all is over.
    mutating func scratch(_ place: LiveBoard.Place) -> Bool {
        guard phase != .over, let index = lanes.firstIndex(where: { $0.place == place }),
            lanes[index].standing != .scratched
        else { return false }
        lanes[index].scratch()
        return true
    }

    /// Who has no result now has none; one that comes later still counts.
    mutating func end(at now: BootInstant) -> Bool {
        guard phase != .over else { return false }
        for index in lanes.indices { lanes[index].giveUp() }
        (phase, ended) = (.over, now)
        return true
    }

    // MARK: What time and the ergs do

    /// Takes in what the board has of each lane by now.
    mutating func advance(
        to now: BootInstant, reading: (LiveBoard.Place) -> RaceReading?
    ) {
        if phase == .countdown, let signal, signal <= now { phase = .rowing }
        let call = called.flatMap { called in signal.map { RaceCall(called: called, signal: $0) } }
        for index in lanes.indices {
            guard let reading = reading(lanes[index].place) else { continue }
            lanes[index].take(reading, terms.piece, call: call, isOver: phase == .over)
        }
        guard phase == .rowing, let signal else { return }
        let passed = signal.duration(to: now)
        if passed >= RaceCall.startPatience {
            for index in lanes.indices { lanes[index].missStart() }
        }
        if passed >= Self.longest { _ = end(at: now) }
        if lanes.allSatisfy(\.isSettled) { (phase, ended) = (.over, now) }
    }

    // MARK: How it stands

    /// The lanes as a result list has them, with the place of those that finished: the monitor's time
    /// over a distance, its distance in a time. The same result shares a place.
    var results: [(place: Int?, lane: RaceLane)] {
        let sorted = lanes.indices.sorted { left, right in
            let (one, other) = (lanes[left], lanes[right])
            if one.standing.order != other.standing.order {
                return one.standing.order < other.standing.order
            }
            if let first = one.result, let second = other.result, !first.equals(second, terms.piece)
            {
                return first.isBetter(than: second, over: terms.piece)
            }
            return left < right
        }
        var found: [(place: Int?, lane: RaceLane)] = []
        for index in sorted {
            let lane = lanes[index]
            guard lane.standing == .finished, let result = lane.result else {
                found.append((nil, lane))
                continue
            }
            let before = found.last
            let isTie = before?.lane.result.map { result.equals($0, terms.piece) } ?? false
            found.append((isTie ? before?.place : found.count + 1, lane))
        }
        return found
    }
}
