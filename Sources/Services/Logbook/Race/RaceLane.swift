import Timeline

/// One erg of a race.
struct RaceLane: Equatable, Sendable {
    enum Standing: String, CaseIterable, Sendable {
        /// The monitor is not set to the piece.
        case waiting
        /// It is, and nobody has moved.
        case armed
        case rowing
        case finished
        case didNotFinish = "did_not_finish"
        case didNotStart = "did_not_start"
        /// The coach took it out.
        case scratched

        /// In a list of results.
        var order: Int {
            switch self {
            case .finished: 0
            case .rowing, .waiting, .armed: 1
            case .didNotFinish: 2
            case .didNotStart: 3
            case .scratched: 4
            }
        }
    }

    /// A message that leads back further by less than this says nothing new: each news is written down.
    private static let finest = Duration.milliseconds(20)

    let place: LiveBoard.Place
    var standing = Standing.waiting
    /// Who sits there, as the gateway says; the one of the result, once there is one.
    var athlete: String?
    var name: String?
    /// Of the piece that is raced.
    var session: String?
    /// The newest one that was there before.
    var earlierSession: String?
    /// When it began to row: never earlier than it did.
    var start: BootInstant?
    /// By how much that was before the signal.
    var early: Duration?
    /// How often it moved early, also in starts that were called back.
    var falseStarts = 0
    var result: RaceResult?

    init(at place: LiveBoard.Place) { self.place = place }

    /// Whether nothing more is waited for.
    var isSettled: Bool {
        switch standing {
        case .finished, .didNotFinish, .didNotStart, .scratched: true
        case .waiting, .armed, .rowing: false
        }
    }

    // MARK: What a coach does

    mutating func scratch() { standing = .scratched }

    mutating func recall() {
        guard standing != .scratched else { return }
        earlierSession = session ?? earlierSession
        (standing, session, start, early, result) = (.waiting, nil, nil, nil, nil)
    }

    mutating func giveUp() {
        guard !isSettled else { return }
        standing = start == nil ? .didNotStart : .didNotFinish
    }

    // MARK: What the erg does

    /// - Parameters:
    ///   - call: nil before the countdown.
    ///   - isOver: the race is, so that only its results are waited for.
    mutating func take(
        _ reading: RaceReading, _ piece: RaceTerms.Piece,
        call: RaceCall?, isOver: Bool
    ) {
        guard standing != .scratched else { return }
        if let call {
            if result == nil, !isOver { name(reading) }
            if let session = reading.session, session != earlierSession, reading.isUnderWay {
                takeStart(reading, session, call, isOver: isOver)
            } else if !isSettled, session == nil {
                standing = reading.isSet(to: piece) ? .armed : .waiting
            }
        } else if !isOver {
            name(reading)
            standing = reading.isSet(to: piece) ? .armed : .waiting
            if let session = reading.session { earlierSession = session }
        }
        if let result = reading.result { takeResult(result) }
    }

    private mutating func name(_ reading: RaceReading) {
        (athlete, name) = (reading.who.athlete, reading.who.name)
    }

    private mutating func takeStart(
        _ reading: RaceReading, _ session: String, _ call: RaceCall, isOver: Bool
    ) {
        guard self.session == nil || self.session == session, result == nil else { return }
        let roughly = reading.roughlyBegan(session)
        if self.session == nil,
            (reading.began ?? roughly ?? reading.stateHeard) < call.called
        {
            // It was under way when the start was called: another piece, or nobody waited.
            earlierSession = session
            return
        }
        // The monitor's clock runs from the first stroke: what it shows leads back to that, and the
        // message that was quickest leads there best. One that leads back roughly names nobody early.
        let seen =
            reading.began
            ?? roughly.map { max($0, start ?? call.signal) }
            ?? reading.stateHeard
        let began = start.map { seen < $0.earlier(by: Self.finest) ? seen : $0 } ?? seen
        guard began < call.signal.advanced(by: RaceCall.startPatience) else { return }
        if standing != .didNotFinish { standing = isOver ? .didNotFinish : .rowing }
        (self.session, start) = (session, began)
        guard began < call.signal else { return }
        if early == nil { falseStarts += 1 }
        early = began.duration(to: call.signal)
    }

    /// Of the race's session alone; a revision takes the place of the one before.
    private mutating func takeResult(_ new: RaceResult) {
        guard new.session == session, new.revision > result?.revision ?? 0 else { return }
        result = new
        standing = new.isComplete ? .finished : .didNotFinish
    }

    /// So long after the signal that nobody starts any more.
    mutating func missStart() {
        if standing == .waiting || standing == .armed { standing = .didNotStart }
    }
}
