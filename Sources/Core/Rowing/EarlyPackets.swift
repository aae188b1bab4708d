import PM5Codec
import Timeline

/// Packets that came before the status that tells what they are of.
///
/// Strokes, curves and splits come before the first status of a link, which is subscribed last, so
/// that seconds may pass until it is there, and on a busy machine much of a minute; and before the
/// status that begins their session. Summaries wait where a busy monitor has not told of the end.
struct EarlyPackets {
    /// More than comes in the two minutes in which a busy monitor may send no status: fifty strokes of
    /// eleven packets.
    static let capacity = 1024
    /// While statuses come, a packet is read at most this long before the one that tells of its piece.
    static let limit = Duration.seconds(3)
    /// A packet may be this much ahead of the status that is read before it.
    static let leadCentiseconds: UInt32 = 300

    struct Entry {
        let packet: Notification
        let at: BootInstant

        /// Whether it was counted on the clock of a piece whose status is `status`.
        func fits(_ status: GeneralStatus) -> Bool {
            packet.pieceCentiseconds.map {
                $0 <= status.elapsedCentiseconds + EarlyPackets.leadCentiseconds
            } ?? true
        }
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Whether a stroke was made in the piece whose status is `status`.
    func hasStroke(of status: GeneralStatus) -> Bool {
        entries.contains { $0.packet.strokeCount ?? 0 > 0 && $0.fits(status) }
    }

    var hasStrokes: Bool { entries.contains { $0.packet.strokeCount != nil } }

    /// The first packet of a stroke.
    var firstStroke: Entry? { entries.first { $0.packet.strokeCount ?? 0 > 0 } }

    /// The first result of a piece, and when it came: as the piece ended, unless it is told once more
    /// for the heart rate of a minute later.
    var result: (packet: WorkoutSummary, at: BootInstant)? {
        for entry in entries {
            guard case .workoutSummary(let packet) = entry.packet,
                !SummaryAssembler.isJunk(packet), packet.knownRecoveryHeartRateBeatsPerMinute == nil
            else { continue }
            return (packet, entry.at)
        }
        return nil
    }

    /// Whether strokes were made behind a result, told for the first time or once more: in another piece.
    var hasStrokeBehindResult: Bool {
        let result = entries.firstIndex { entry in
            guard case .workoutSummary(let packet) = entry.packet else { return false }
            return !SummaryAssembler.isJunk(packet)
        }
        return result.map { entries[$0...].contains { $0.packet.strokeCount ?? 0 > 0 } } ?? false
    }

    /// Whether strokes were made in more than one piece, of which `status` shows the last.
    func hasNext(isInterval: Bool, before status: GeneralStatus) -> Bool {
        guard !isInterval else { return entries[...].nextOfIntervals(before: status) != nil }
        return entries[...].legs.count > 1
    }

    /// Whether a first stroke was made.
    var hasBeginning: Bool { entries.contains { $0.packet.strokeCount == 1 } }

    /// Whether the piece whose status is `status` was heard from its first stroke on.
    func hasBeginning(of status: GeneralStatus) -> Bool {
        entries.contains { $0.packet.strokeCount == 1 && $0.fits(status) }
    }

    /// Keeps a packet that has to wait for the status; false for any other.
    mutating func hold(_ packet: Notification, at now: BootInstant) -> Bool {
        switch packet {
        case .strokeData, .additionalStrokeData, .splitData, .additionalSplitData,
            .forceCurvePiece, .workoutSummary, .additionalWorkoutSummary, .workoutSummary2:
            if entries.count < Self.capacity { entries.append(Entry(packet: packet, at: now)) }
            return true
        default: return false
        }
    }

    /// Gives out what was kept, in the order in which it came.
    mutating func take() -> [Entry] {
        defer { entries = [] }
        return entries
    }

    /// Drops what the statuses since have said nothing of; gives back how many.
    mutating func expire(at now: BootInstant) -> Int {
        let count = entries.count
        entries.removeAll { $0.at.duration(to: now) > Self.limit }
        return count - entries.count
    }

    /// Keeps once more what was given out and belongs to none.
    mutating func putBack(_ rest: ArraySlice<Entry>) { entries = rest + entries }

    /// The summaries alone.
    mutating func takeSummaries() -> [Entry] {
        let summaries = entries.filter(\.packet.isOfSummary)
        if !summaries.isEmpty { entries.removeAll(where: \.packet.isOfSummary) }
        return summaries
    }

    /// Forgets what came on a link that is gone; a summary stays what it is.
    mutating func drop() { entries.removeAll { !$0.packet.isOfSummary } }
}

extension ArraySlice<EarlyPackets.Entry> {
    /// The first piece that was rowed to its end before `status`, which tells nothing of it: from its
    /// first stroke to its result, or to the first stroke of the next piece; nil without any.
    ///
    /// - Parameters:
    ///   - isInterval: strokes begin anew within a piece too.
    ///   - isJoined: it may have begun before the link.
    func unseenPiece(
        before status: GeneralStatus?, isInterval: Bool, isJoined: Bool
    ) -> Range<Index>? {
        let begin = firstIndex { entry in
            entry.packet.strokeCount.map { $0 == 1 || isJoined && $0 > 0 } ?? false
        }
        guard let begin else { return nil }
        let rest = self[begin...]
        let second: Index = rest.firstIndex { $0.packet.strokeCount ?? 0 > 1 } ?? endIndex
        let end = rest.firstIndex { $0.packet.isOfSummary } ?? endIndex
        let next =
            isInterval
            ? self[begin..<end].nextOfIntervals(before: end == endIndex ? status : nil)
            : self[second...].firstIndex { $0.packet.strokeCount == 1 }
        let piece = begin..<Swift.min(end, next ?? endIndex)
        guard piece.upperBound == endIndex, let status, status.workoutState.phase == .working,
            self[piece].allSatisfy({ $0.fits(status) })
        else { return piece }
        // It is under way.
        return nil
    }

    /// Where strokes of another piece of intervals begin, without a result between the two; nil where
    /// nothing tells of one.
    ///
    /// Strokes begin anew with each interval. They are another piece's where its first interval is
    /// told behind them, or where `status` counts fewer finished metres than were rowed before.
    fileprivate func nextOfIntervals(before status: GeneralStatus?) -> Index? {
        let legs = legs
        if let next = legs.dropFirst().first(where: \.isFirst) { return next.begin }
        guard let last = legs.last, let status, status.workoutState.phase != .over else {
            return nil
        }
        let most = status.elapsedCentiseconds + EarlyPackets.leadCentiseconds
        let isLastOver = status.phase == .resting || last.centiseconds > most
        var finished = isLastOver ? last.decimeters : 0
        var begin = last.begin
        for leg in legs.dropLast().reversed() {
            finished += leg.decimeters
            guard IntervalHistory.hasFinished(status, decimeters: finished) else {
                return begin
            }
            begin = leg.begin
        }
        return nil
    }

    /// The strokes of an interval, and what came behind them.
    fileprivate struct Leg {
        let begin: Index
        var decimeters: Int64 = 0
        var centiseconds: UInt32 = 0
        /// Its own figures say that it is the first one of its piece.
        var isFirst = false

        mutating func add(_ packet: StrokeData) {
            decimeters = Swift.max(decimeters, Int64(packet.distanceDecimeters))
            centiseconds = Swift.max(centiseconds, packet.elapsedCentiseconds)
        }
    }

    /// One for each time that strokes began anew.
    fileprivate var legs: [Leg] {
        // A leg of a single stroke is over where its figures have come.
        var (legs, last, isOver) = ([Leg](), UInt16(0), false)
        for (index, entry) in zip(indices, self) {
            switch entry.packet {
            case .strokeData(let packet) where packet.strokeCount > 0:
                if legs.isEmpty || packet.strokeCount == 1 && (last > 1 || isOver) {
                    legs.append(Leg(begin: index))
                }
                (last, isOver) = (packet.strokeCount, false)
                legs[legs.endIndex - 1].add(packet)
            case .splitData(let packet) where !legs.isEmpty:
                if packet.splitNumber == 1 { legs[legs.endIndex - 1].isFirst = true }
                isOver = true
            default: break
            }
        }
        return legs
    }
}

extension Notification {
    /// Whether it is a part of the monitor's result of a piece.
    var isOfSummary: Bool { logged != nil }

    /// Of which entry of the monitor's log it is a part.
    var logged: LogTimestamp? {
        switch self {
        case .workoutSummary(let packet): packet.logged
        case .additionalWorkoutSummary(let packet): packet.logged
        case .workoutSummary2(let packet): packet.logged
        default: nil
        }
    }

    /// The monitor's count in a packet of a stroke.
    var strokeCount: UInt16? {
        switch self {
        case .strokeData(let packet): packet.strokeCount
        case .additionalStrokeData(let packet): packet.strokeCount
        default: nil
        }
    }

    /// The time of the piece at which it was sent, where it tells.
    var pieceCentiseconds: UInt32? {
        switch self {
        case .strokeData(let packet): packet.elapsedCentiseconds
        case .additionalStrokeData(let packet): packet.elapsedCentiseconds
        case .splitData(let packet): packet.elapsedCentiseconds
        case .additionalSplitData(let packet): packet.elapsedCentiseconds
        default: nil
        }
    }
}
