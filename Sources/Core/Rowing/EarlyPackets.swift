import PM5Codec
import Timeline

/// A buffer for packets that arrive before the status that shows which piece they belong to.
///
/// The status characteristic is subscribed last, so strokes, curves and splits can arrive seconds before
/// the first status of a link, on a busy monitor up to a minute. They can also arrive before the status
/// that begins their session. Summaries wait while a busy monitor has not reported the end of the piece.
struct EarlyPackets {
    /// Enough for two minutes without a status from a busy monitor: fifty strokes of eleven packets.
    static let capacity = 1024
    /// The longest time between a packet and the next status while statuses arrive regularly.
    static let limit = Duration.seconds(3)
    /// How far the time in a packet may be ahead of the status that was read before it.
    static let leadCentiseconds: UInt32 = 300

    struct Entry {
        let packet: Notification
        let at: BootInstant

        /// Whether the packet's time fits a piece whose status is `status`.
        func fits(_ status: GeneralStatus) -> Bool {
            packet.pieceCentiseconds.map {
                $0 <= status.elapsedCentiseconds + EarlyPackets.leadCentiseconds
            } ?? true
        }
    }

    private var entries: [Entry] = []

    var isEmpty: Bool { entries.isEmpty }

    /// Whether a stroke of the piece with this status is buffered.
    func hasStroke(of status: GeneralStatus) -> Bool {
        entries.contains { $0.packet.strokeCount ?? 0 > 0 && $0.fits(status) }
    }

    var hasStrokes: Bool { entries.contains { $0.packet.strokeCount != nil } }

    /// The first packet of a stroke.
    var firstStroke: Entry? { entries.first { $0.packet.strokeCount ?? 0 > 0 } }

    /// The first valid result of a piece, and when it arrived. Skips repeated results that carry the heart
    /// rate of a minute later.
    var result: (packet: WorkoutSummary, at: BootInstant)? {
        for entry in entries {
            guard case .workoutSummary(let packet) = entry.packet,
                !SummaryAssembler.isJunk(packet), packet.knownRecoveryHeartRateBeatsPerMinute == nil
            else { continue }
            return (packet, entry.at)
        }
        return nil
    }

    /// Whether strokes follow a result. They belong to the next piece, also if the result is a repeated
    /// one.
    var hasStrokeAfterResult: Bool {
        let result = entries.firstIndex { entry in
            guard case .workoutSummary(let packet) = entry.packet else { return false }
            return !SummaryAssembler.isJunk(packet)
        }
        return result.map { entries[$0...].contains { $0.packet.strokeCount ?? 0 > 0 } } ?? false
    }

    /// Whether strokes of more than one piece are buffered, the last of which `status` shows.
    func hasNext(isInterval: Bool, before status: GeneralStatus) -> Bool {
        guard !isInterval else { return entries[...].nextOfIntervals(before: status) != nil }
        return entries[...].legs.count > 1
    }

    /// Whether a stroke with number 1 is buffered.
    var hasBeginning: Bool { entries.contains { $0.packet.strokeCount == 1 } }

    /// Whether the first stroke of the piece with this status is buffered.
    func hasBeginning(of status: GeneralStatus) -> Bool {
        entries.contains { $0.packet.strokeCount == 1 && $0.fits(status) }
    }

    /// Buffers a packet that has to wait for a status. Returns false for other packets.
    mutating func buffer(_ packet: Notification, at now: BootInstant) -> Bool {
        switch packet {
        case .strokeData, .additionalStrokeData, .splitData, .additionalSplitData,
            .forceCurvePiece, .workoutSummary, .additionalWorkoutSummary, .workoutSummary2, .loggedWorkout:
            if entries.count < Self.capacity { entries.append(Entry(packet: packet, at: now)) }
            return true
        default: return false
        }
    }

    /// Removes and returns all packets in the order of arrival.
    mutating func drain() -> [Entry] {
        defer { entries = [] }
        return entries
    }

    /// Drops packets that are older than `limit`; returns how many.
    mutating func expire(at now: BootInstant) -> Int {
        let count = entries.count
        entries.removeAll { $0.at.duration(to: now) > Self.limit }
        return count - entries.count
    }

    /// Puts back packets that belong to no piece yet.
    mutating func prepend(_ rest: ArraySlice<Entry>) { entries = rest + entries }

    /// Removes and returns the summary packets.
    mutating func drainSummaries() -> [Entry] {
        let summaries = entries.filter(\.packet.isSummaryPacket)
        if !summaries.isEmpty { entries.removeAll(where: \.packet.isSummaryPacket) }
        return summaries
    }

    /// Drops the packets of a closed link. Summaries stay valid.
    mutating func discardAllButSummaries() { entries.removeAll { !$0.packet.isSummaryPacket } }
}

/// The pieces among buffered packets that were over before a status showed them.
///
/// A busy monitor may send no status for as long as a rower needs for a hundred metres. A piece may also end
/// before the first status of a link. Only its strokes, and perhaps its result, arrived.
struct UnseenPieces {
    /// A piece, from its first stroke to its result, or to the first stroke of the next piece.
    struct Piece {
        /// What arrived since the piece before: its result, and stray packets.
        let preceding: ArraySlice<EarlyPackets.Entry>
        let packets: ArraySlice<EarlyPackets.Entry>
        /// Whether it may have begun before the link opened, so that its first strokes are missing.
        let mayLackBeginning: Bool
        var first: EarlyPackets.Entry { packets[packets.startIndex] }
    }

    private(set) var pieces: [Piece] = []
    /// The packets after the last piece.
    private(set) var rest: ArraySlice<EarlyPackets.Entry>
    /// When the last piece ended, if the status does not end it: with its result, or before the next piece.
    private(set) var end: BootInstant?

    /// - Parameters:
    ///   - status: the first status after the packets; nil if the link closed instead.
    ///   - isInterval: whether stroke numbers restart within a piece.
    ///   - isFirstOfLink: whether the packets are the first of a link.
    init(
        in packets: [EarlyPackets.Entry], before status: GeneralStatus?, isInterval: Bool,
        isFirstOfLink: Bool
    ) {
        rest = packets[...]
        while true {
            let mayLackBeginning = isFirstOfLink && pieces.isEmpty
            let range = rest.unseenPiece(
                before: status, isInterval: isInterval, isJoined: mayLackBeginning)
            guard let range else { break }
            pieces.append(
                Piece(
                    preceding: rest[..<range.lowerBound], packets: rest[range],
                    mayLackBeginning: mayLackBeginning))
            rest = rest[range.upperBound...]
        }
        let isOver = status?.workoutState.phase == .over
        end = rest.first { $0.packet.strokeCount == 1 || !isOver && $0.packet.isSummaryPacket }?.at
    }
}

extension ArraySlice<EarlyPackets.Entry> {
    /// Returns the first piece that ended before `status`, if that status does not show it. The piece lasts
    /// from its first stroke to its result, or to the first stroke of the next piece.
    ///
    /// - Parameters:
    ///   - isInterval: whether stroke numbers restart within a piece.
    ///   - isJoined: whether the piece may have begun before the link opened.
    fileprivate func unseenPiece(
        before status: GeneralStatus?, isInterval: Bool, isJoined: Bool
    ) -> Range<Index>? {
        let begin = firstIndex { entry in
            entry.packet.strokeCount.map { $0 == 1 || isJoined && $0 > 0 } ?? false
        }
        guard let begin else { return nil }
        let rest = self[begin...]
        let second: Index = rest.firstIndex { $0.packet.strokeCount ?? 0 > 1 } ?? endIndex
        let end = rest.firstIndex { $0.packet.isSummaryPacket } ?? endIndex
        let next =
            isInterval
            ? self[begin..<end].nextOfIntervals(before: end == endIndex ? status : nil)
            : self[second...].firstIndex { $0.packet.strokeCount == 1 }
        let piece = begin..<Swift.min(end, next ?? endIndex)
        guard piece.upperBound == endIndex, let status, status.workoutState.phase == .working,
            self[piece].allSatisfy({ $0.fits(status) })
        else { return piece }
        // The piece is still in progress.
        return nil
    }

    /// Returns where another interval workout begins without a result in between; nil if that is unknown.
    ///
    /// Stroke numbers restart with each interval. They belong to another piece if the values of its first
    /// interval follow, or if `status` reports fewer finished metres than were rowed before.
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

    /// The strokes of an interval and the packets after them.
    fileprivate struct Leg {
        let begin: Index
        var decimeters: Int64 = 0
        var centiseconds: UInt32 = 0
        /// Whether a split packet marks it as the first interval of its piece.
        var isFirst = false

        mutating func add(_ packet: StrokeData) {
            decimeters = Swift.max(decimeters, Int64(packet.distanceDecimeters))
            centiseconds = Swift.max(centiseconds, packet.elapsedCentiseconds)
        }
    }

    /// One element for each restart of the stroke numbers.
    fileprivate var legs: [Leg] {
        // A leg with a single stroke is over once its split packet has arrived.
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
    /// Whether this is one of the summary packets.
    var isSummaryPacket: Bool {
        if case .loggedWorkout = self { return true }
        return logged != nil
    }

    /// When the monitor logged the piece of the packet. 0x003F does not say it.
    var logged: LogTimestamp? {
        switch self {
        case .workoutSummary(let packet): packet.logged
        case .additionalWorkoutSummary(let packet): packet.logged
        case .workoutSummary2(let packet): packet.logged
        default: nil
        }
    }

    /// The monitor's stroke number in a stroke packet.
    var strokeCount: UInt16? {
        switch self {
        case .strokeData(let packet): packet.strokeCount
        case .additionalStrokeData(let packet): packet.strokeCount
        default: nil
        }
    }

    /// The time within the piece at which the packet was sent; nil if it has none.
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
