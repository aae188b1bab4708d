import PM5Codec
import Timeline

/// A finished split or interval, from 0x0037 and 0x0038.
package struct Split: Equatable, Sendable {
    /// The session of the split.
    package var session: SessionID
    /// When it was published: after its rest, if it has one.
    package var at: BootInstant
    /// 1-based.
    package var number: Int
    /// Of the work; `.distance` in every single piece.
    package var type: IntervalType
    /// Of the work, truncated to 1 m.
    package var distance: Meters
    /// Of the work, truncated to 0.1 s.
    package var duration: Duration
    /// Nil if 0x0038 was lost.
    package var averagePowerWatts: Int?
    /// Nil if nothing was rowed, or if 0x0038 was lost.
    package var averagePace: Pace?
    /// Strokes per minute; nil if 0x0038 was lost.
    package var averageStrokeRate: Int?
    /// Beats per minute: our mean of the work, since the monitor reports none; nil without a belt.
    package var averageHeartRate: Int?
    /// Beats per minute at the end of the work, from the monitor; nil without a belt, or if 0x0038 was
    /// lost.
    package var workHeartRate: Int?
    /// Nil if not measured, or if 0x0038 was lost.
    package var averageDragFactor: Int?
    /// The rest after it; nil without one.
    package var rest: Duration?
    /// Rowed in that rest; nil without one.
    package var restDistance: Meters?
    /// Beats per minute at the end of the rest; nil without a belt or a rest, or if 0x0038 was lost.
    package var restHeartRate: Int?
    /// Of this split alone; nil if 0x0038 was lost.
    package var calories: Int?
    /// In a MultiErg workout the machine of this interval; nil on old firmware, or if 0x0038 was lost.
    package var machine: ErgMachineType?
    /// The targets of its strokes; nil without a target.
    package var targets: TargetBands?
    /// The target results of its strokes that were published before it; nil without a target.
    package var targetTally: TargetTally?
}

extension Split {
    /// Creates the published values of a split before its session counts it.
    init(_ split: AssembledSplit, of session: Session, at now: BootInstant) {
        let data = split.data
        self.init(
            session: session.head.id, at: now, number: split.number, type: data.splitType,
            distance: Meters(Int64(data.splitDistanceMeters)),
            duration: .milliseconds(Int64(data.splitDeciseconds) * 100))
        averageHeartRate = session.totals.splitHeartRate.average
        if data.restSeconds > 0 {
            rest = .seconds(data.restSeconds)
            restDistance = Meters(Int64(data.restDistanceMeters))
        }
        if let additional = split.additional { copyFields(from: additional) }
        targets = session.targets.bands(ofInterval: split.number)
        targetTally = session.targetTotals.tally(ofInterval: split.number)
    }

    private mutating func copyFields(from packet: AdditionalSplitData) {
        averagePowerWatts = Int(packet.powerWatts)
        averagePace = packet.knownAveragePaceDecisecondsPer500m.map {
            Pace(decisecondsPer500m: Int64($0))
        }
        averageStrokeRate = packet.knownAverageStrokeRatePerMinute.map(Int.init)
        workHeartRate = packet.knownWorkHeartRateBeatsPerMinute.map(Int.init)
        restHeartRate = packet.knownRestHeartRateBeatsPerMinute.map(Int.init)
        averageDragFactor = packet.knownAverageDragFactor.map(Int.init)
        calories = Int(packet.totalCalories)
        machine = packet.ergMachineType
    }
}

/// A split or interval from 0x0037 and 0x0038, still in the monitor's units.
struct AssembledSplit {
    /// 1, 2, 3, ... over the session, extended past the monitor's 8-bit number.
    let number: Int
    let data: SplitData
    /// Nil if 0x0038 was lost.
    let additional: AdditionalSplitData?
}

/// Merges the two packets of a split, in any order, and releases each split once.
struct SplitAssembler {
    /// 0x0038 follows 0x0037 within milliseconds (ErgometerJS recording).
    static let pairLimit = Duration.seconds(1)

    private var data: SplitData?
    private var additional: AdditionalSplitData?
    private var since = BootInstant(nanoseconds: 0)
    /// The number of the last released split.
    private(set) var released: Int

    /// - Parameter released: the number of the last released split of a restored session.
    init(released: Int = 0) { self.released = released }

    /// The session's number of a split.
    func number(_ wire: UInt8) -> Int { released.continued(by: wire) }

    /// Adds a packet; returns false if its split was already released.
    mutating func receive(_ packet: SplitData, at now: BootInstant) -> Bool {
        guard number(packet.splitNumber) > released, packet != data else { return false }
        if data == nil { since = now }
        data = packet
        if let other = additional, other.splitNumber != packet.splitNumber { additional = nil }
        return true
    }

    /// Adds a packet; returns false if its split was already released.
    mutating func receive(_ packet: AdditionalSplitData) -> Bool {
        guard number(packet.splitNumber) > released, packet != additional else { return false }
        if let data, data.splitNumber != packet.splitNumber { return false }
        additional = packet
        return true
    }

    /// Releases the split if both packets have arrived, or the second one is overdue.
    mutating func next(at now: BootInstant, flush: Bool = false) -> AssembledSplit? {
        guard let data else { return nil }
        let isDue = flush || since.duration(to: now) >= Self.pairLimit
        guard isDue || additional != nil else { return nil }
        defer {
            self.data = nil
            additional = nil
            released = number(data.splitNumber)
        }
        return AssembledSplit(
            number: number(data.splitNumber), data: data, additional: additional)
    }
}

extension Int {
    /// Extends an 8-bit count whose last extended value was `self`.
    func continued(by count: UInt8) -> Int {
        let (turn, last) = (self & ~0xFF, self & 0xFF)
        if last > 0xC0, count < 0x40 { return turn + 0x100 + Int(count) }
        if last < 0x40, count > 0xC0, turn > 0 { return turn - 0x100 + Int(count) }
        return turn + Int(count)
    }
}
