import Bytes
import PM5Codec
import Timeline

/// Folds the notifications of one monitor into the events of its sessions.
///
/// Pure: time comes in with each call, session names from a function. What happened is appended
/// to a buffer that the caller reuses; a notification that causes no event allocates nothing.
/// Call `tick` at least once a second, also while the link is down.
package struct SessionMachine: Sendable {
    /// How long the monitor's summary is waited for: it comes 1.2 to 3.5 s after the end.
    package static let summaryLimit = Duration.seconds(5)
    /// How long a session is held open for a monitor that is gone.
    package static let absenceLimit = Duration.seconds(600)
    /// Without a stroke for this long the rower pauses, as the monitor sees it too.
    static let pauseLimit = Duration.seconds(6)
    /// When the monitor calls the rower inactive, a stroke sign this fresh still outweighs it.
    static let inactivityLimit = Duration.seconds(2)
    /// A session that is this old when it is first seen was joined in the middle.
    static let joinLimitCentiseconds: UInt32 = 1000

    /// Where the present or last session stands.
    enum Phase: Equatable {
        case open
        /// Over; its last packets and the monitor's summary may still come.
        case ending
        /// Its summary is out; a later one of the monitor revises it.
        case closed
    }

    /// What names and frames a session.
    struct Head: Equatable {
        var id: SessionID
        var started: BootInstant
        var workout: Workout
        var phase = Phase.open
        var ended = BootInstant(nanoseconds: 0)
        var isComplete = false
        /// Summaries published.
        var revision = 0
    }

    /// A time in which we heard nothing of a session under way.
    struct Outage: Equatable {
        var reason: Gap.Reason
        var since: BootInstant
        /// Since when we wait for the monitor; later than `since` after a restart.
        var waiting: BootInstant
        /// nil until the monitor is heard again.
        var returned: BootInstant?
        /// Cleared when nobody knows how long the gateway was down.
        var isTimed = true
        /// Whether time and distance are known to be right again.
        var isRecovered = true
    }

    package internal(set) var counters = NotificationCounters()

    let makeSessionID: @Sendable () -> SessionID
    var head: Head?
    var strokes = StrokeAssembler()
    var curves = ForceCurveAssembler()
    var joiner = CurveJoiner()
    var splits = SplitAssembler()
    var ledger = IntervalHistory()
    var totals = SessionTotals()
    var summary = SummaryAssembler()
    var outage: Outage?
    /// What came on the present link and waits for its first status.
    var early = EarlyPackets()
    /// Why splits may be missing: what kept us from hearing since the last one.
    var outageOfSplits: Gap.Reason?
    /// The newest summary that was told, of any session.
    var reportedSummary: Summary?

    // What the monitor said last.
    var status: GeneralStatus?
    var status1: AdditionalStatus1?
    var status2: AdditionalStatus2?
    /// The monitor's time before it last went back to 0.
    var elapsedBeforeReset: UInt32 = 0
    var power: AdditionalStrokeData?
    var machine: ErgMachineType?
    var phase = PiecePhase.waiting

    var isLinkOpen = false
    /// The link is back and the first status will tell whether it is the same piece.
    var isReturning = false
    var isPaused = false
    var lastHeard = BootInstant(nanoseconds: 0)
    /// When the status came at which the ledger stands: others may be heard when that is lost.
    var lastStatusHeard = BootInstant(nanoseconds: 0)
    var lastStrokeSign = BootInstant(nanoseconds: 0)
    var lastStrokeReported = BootInstant(nanoseconds: 0)
    var legOpened = BootInstant(nanoseconds: 0)
    var told: StationState?

    /// - Parameter makeSessionID: a new name, unique over all gateways.
    package init(makeSessionID: @escaping @Sendable () -> SessionID) {
        self.makeSessionID = makeSessionID
    }

    var isOpen: Bool { head?.phase == .open }

    /// Whether packets of strokes and splits belong to a session: also shortly after its end.
    var isCurrent: Bool { head.map { $0.phase != .closed } ?? false }

    // MARK: - Input

    /// Takes a value as it came; counts it when it cannot be decoded. `bytes` is not kept.
    package mutating func receive(
        _ characteristic: CharacteristicID, _ bytes: UnsafeRawBufferPointer, at now: BootInstant,
        into events: inout [SessionEvent]
    ) {
        do throws(DecodeError) {
            let decoded = try DecodedNotification(characteristic: characteristic, bytes: bytes)
            if decoded.extraBytes > 0 { counters.extended += 1 }
            receive(decoded.value, at: now, into: &events)
        } catch {
            counters.received += 1
            switch error {
            case .truncated: counters.truncated += 1
            case .unknownCharacteristic: counters.unknown += 1
            }
        }
    }

    /// Takes a decoded value.
    package mutating func receive(
        _ notification: Notification, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        counters.received += 1
        guard isPlausible(notification) else {
            counters.implausible += 1
            return
        }
        if case .generalStatus(let packet) = notification { noteReset(by: packet) }
        // Characteristics of several sockets share the queue; none may turn time back.
        lastHeard = max(lastHeard, now)
        if isLinkOpen, status == nil, early.hold(notification, at: now) { return }
        take(notification, at: now, into: &events)
        settle(at: now, into: &events)
    }

    private mutating func take(
        _ notification: Notification, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        switch notification {
        case .generalStatus(let packet):
            let isFirst = status == nil
            let before = head?.id
            receive(packet, at: now, into: &events)
            lastStatusHeard = max(lastStatusHeard, now)
            if isFirst { takeEarly(before: packet, isNew: head?.id != before, into: &events) }
        case .additionalStatus1(let packet): receive(packet)
        case .additionalStatus2(let packet): receive(packet)
        case .strokeData(let packet): receive(packet, at: now)
        case .additionalStrokeData(let packet): receive(packet, at: now)
        case .splitData(let packet): receive(packet, at: now)
        case .additionalSplitData(let packet): receive(packet)
        case .workoutSummary(let packet): receive(packet, at: now)
        case .additionalWorkoutSummary(let packet): receive(packet, at: now)
        case .workoutSummary2(let packet): receive(packet, at: now)
        case .forceCurvePiece(let packet): receive(packet, at: now)
        case .additionalStatus3, .sampleRate, .heartRateBelt, .loggedWorkout, .heartRateInput:
            break
        }
    }

    /// What came before a link's first status, each at its own time.
    ///
    /// - Parameter isNew: the status began a session, of which a piece before it is no part.
    private mutating func takeEarly(
        before status: GeneralStatus, isNew: Bool, into events: inout [SessionEvent]
    ) {
        for entry in early.take() {
            if isNew, !entry.fits(status) {
                counters.strayPackets += 1
                continue
            }
            take(entry.packet, at: entry.at, into: &events)
            settle(at: entry.at, into: &events)
        }
    }

    /// Lets time pass: what was waited for and does not come.
    package mutating func tick(at now: BootInstant, into events: inout [SessionEvent]) {
        if let outage, outage.returned == nil, isOpen,
            outage.waiting.duration(to: now) >= Self.absenceLimit
        {
            self.outage?.isRecovered = false
            end(at: outage.since, isComplete: false)
        }
        settle(at: now, into: &events)
    }

    // MARK: - What time or any packet may have completed

    mutating func settle(at now: BootInstant, into events: inout [SessionEvent]) {
        if let curve = curves.expire(at: now) { add(curve) }
        counters.strayCurves += joiner.expire(at: now)
        if isCurrent, !isReturning {
            releaseCurves(at: now, into: &events)
            releaseStrokes(at: now, into: &events)
            releaseSplit(at: now, into: &events)
        }
        settleSummary(at: now, into: &events)
        settlePause(at: now, into: &events)
        reportState(into: &events)
    }

    private mutating func settlePause(at now: BootInstant, into events: inout [SessionEvent]) {
        guard isOpen, !isReturning, isLinkOpen, let status else { return }
        let silence = lastStrokeSign.duration(to: now)
        let isInactive = status.rowingState == .inactive && silence >= Self.inactivityLimit
        let pauses = phase == .working && (isInactive || silence >= Self.pauseLimit)
        guard pauses != isPaused else { return }
        isPaused = pauses
        reportEdge(pauses ? .paused : .resumed, at: now, into: &events)
    }

    mutating func reportEdge(
        _ kind: SessionEdge.Kind, at now: BootInstant, into events: inout [SessionEvent]
    ) {
        guard let head else { return }
        var edge = SessionEdge(
            kind: kind, session: head.id, started: head.started, workout: head.workout, at: now)
        edge.machine = machine
        if kind == .ended, strokes.highest > 0 { edge.monitorStrokes = strokes.highest }
        events.append(.session(edge))
    }
}
