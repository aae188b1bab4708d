import Timeline

/// One erg of a race.
struct RaceLane: Equatable, Sendable {
    enum Status: String, CaseIterable, Sendable {
        /// The monitor is not set to the piece.
        case waiting
        /// The monitor is set to the piece and waits for the first stroke.
        case armed
        case rowing
        case finished
        case didNotFinish = "did_not_finish"
        case didNotStart = "did_not_start"
        /// The coach scratched the erg.
        case scratched

        /// The sort order in the list of results.
        var sortOrder: Int {
            switch self {
            case .finished: 0
            case .rowing, .waiting, .armed: 1
            case .didNotFinish: 2
            case .didNotStart: 3
            case .scratched: 4
            }
        }
    }

    /// An earlier start replaces the known one only if it differs by at least this, because each change is
    /// stored.
    private static let minimumStartChange = Duration.milliseconds(20)

    let place: LiveBoard.Place
    /// The entry of a regatta; its name stays, whatever the gateway reports.
    var entry: String?
    /// The name of the team whose member rows here; nil for others.
    var team: String?
    var status = Status.waiting
    /// The athlete that the gateway reports. Does not change after the result.
    var athlete: String?
    var name: String?
    /// The session of the race.
    var session: String?
    /// The last session before the race.
    var earlierSession: String?
    /// The earliest known time at which the erg started; never earlier than the real start.
    var start: BootInstant?
    /// The time from an early start to the signal; nil without an early start.
    var earlyBy: Duration?
    /// The number of early starts, including recalled ones.
    var falseStarts = 0
    var result: RaceResult?
    /// Whether the coach disqualified the erg after the race. Its status and result stay, so that this can be undone.
    var isDisqualified = false

    init(at place: LiveBoard.Place) { self.place = place }

    /// The status for people and programs: that of the lane, or `disqualified`.
    var standing: String { isDisqualified ? Self.disqualified : status.rawValue }
    static let disqualified = "disqualified"

    /// The sort order in the list of results: the disqualified after those who did not start.
    var sortOrder: Int { isDisqualified ? Status.didNotStart.sortOrder : status.sortOrder }

    /// Whether the lane has its final status.
    var isSettled: Bool {
        switch status {
        case .finished, .didNotFinish, .didNotStart, .scratched: true
        case .waiting, .armed, .rowing: false
        }
    }

    // MARK: Actions of the coach

    mutating func scratch() { status = .scratched }

    mutating func recall() {
        guard status != .scratched else { return }
        earlierSession = session ?? earlierSession
        (status, session, start, earlyBy, result) = (.waiting, nil, nil, nil, nil)
    }

    mutating func endWithoutResult() {
        guard !isSettled else { return }
        status = start == nil ? .didNotStart : .didNotFinish
    }

    // MARK: The state of the erg

    /// Applies the current state of the erg.
    ///
    /// - Parameters:
    ///   - countdown: nil before the countdown.
    ///   - isOver: Whether the race is over, so that only results count.
    mutating func apply(
        _ snapshot: ErgSnapshot, _ piece: RaceSettings.Piece,
        countdown: RaceCountdown?, isOver: Bool
    ) {
        guard status != .scratched else { return }
        if let countdown {
            if result == nil, !isOver { updateRower(snapshot) }
            if let session = snapshot.session, session != earlierSession, snapshot.hasStarted {
                applyStart(snapshot, session, countdown, isOver: isOver)
            } else if !isSettled, session == nil {
                status = snapshot.isSet(to: piece) ? .armed : .waiting
            }
        } else if !isOver {
            updateRower(snapshot)
            status = snapshot.isSet(to: piece) ? .armed : .waiting
            if let session = snapshot.session { earlierSession = session }
        }
        if let result = snapshot.result { applyResult(result) }
    }

    private mutating func updateRower(_ snapshot: ErgSnapshot) {
        athlete = snapshot.rower.athlete
        if entry == nil { name = snapshot.rower.name }
    }

    private mutating func applyStart(
        _ snapshot: ErgSnapshot, _ session: String, _ countdown: RaceCountdown, isOver: Bool
    ) {
        guard self.session == nil || self.session == session, result == nil else { return }
        let approximate = snapshot.approximateStart(of: session)
        if self.session == nil,
            (snapshot.pieceBegan ?? approximate ?? snapshot.stateTime) < countdown.began
        {
            // The piece started before the countdown, so it is not the race's piece.
            earlierSession = session
            return
        }
        // The monitor's elapsed time counts from the first stroke, so each message gives a start time. The
        // earliest one is the most exact, because its message had the shortest delay. An approximate start
        // never counts as early.
        let calculated =
            snapshot.pieceBegan
            ?? approximate.map { max($0, start ?? countdown.signal) }
            ?? snapshot.stateTime
        let began =
            start.map { calculated < $0.earlier(by: Self.minimumStartChange) ? calculated : $0 }
            ?? calculated
        guard began < countdown.signal.advanced(by: RaceCountdown.startTimeout) else { return }
        if status != .didNotFinish { status = isOver ? .didNotFinish : .rowing }
        (self.session, start) = (session, began)
        guard began < countdown.signal else { return }
        if earlyBy == nil { falseStarts += 1 }
        earlyBy = began.duration(to: countdown.signal)
    }

    /// Applies a result of the race's session. A newer revision replaces an older one.
    private mutating func applyResult(_ new: RaceResult) {
        guard new.session == session, new.revision > result?.revision ?? 0 else { return }
        result = new
        status = new.isComplete ? .finished : .didNotFinish
    }

    /// Marks a lane that has not started within the time limit.
    mutating func markNotStarted() {
        if status == .waiting || status == .armed { status = .didNotStart }
    }
}
