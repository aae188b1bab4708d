import Contract
import Rowing
import Timeline

/// The reading of an erg for the room.
package struct ErgReading: Sendable {
    package var erg: StationID
    /// Nil without a link.
    package var sample: MetricsSample?
    /// Of the strokes since the last reading.
    package var sums: ErgStrokeSums

    package init(erg: StationID, sample: MetricsSample?, sums: ErgStrokeSums) {
        self.erg = erg
        self.sample = sample
        self.sums = sums
    }
}

/// Values of all ergs of a room, and of each crew: now, and per minute.
///
/// A minute begins when an erg is rowed and none is running; the next one follows at once while
/// rowing continues. So each received stroke belongs to one minute of the room, and to one of each
/// of its crews.
package struct RoomInsights: Sendable {
    package static let minute = Duration.seconds(60)

    package var crews: [Crew] = []
    /// In the order of the readings.
    private var ergs: [Erg] = []
    /// The begin of the running minute.
    private var begin: BootInstant?
    private var lastRound: BootInstant?

    private struct Erg {
        var id: StationID
        var sample: MetricsSample?
        /// Of its last curves, while it is rowed.
        var form: [Int]?
        var minute = ErgStrokeSums()
    }

    package init() {}

    /// Adds the readings of all ergs at `now`. Returns the finished minutes.
    package mutating func add(_ readings: [ErgReading], at now: BootInstant) -> [RoomInsight] {
        for reading in readings { add(reading) }
        if begin == nil, ergs.contains(where: { $0.minute.strokes > 0 }) {
            begin = lastRound ?? now
        }
        lastRound = now
        guard let begin, begin.duration(to: now) >= Self.minute else { return [] }
        return end(at: now)
    }

    private mutating func add(_ reading: ErgReading) {
        let index = ergs.firstIndex { $0.id == reading.erg } ?? ergs.count
        if index == ergs.count { ergs.append(Erg(id: reading.erg)) }
        ergs[index].sample = reading.sample
        ergs[index].minute.add(reading.sums)
        if let form = reading.sums.curves.form { ergs[index].form = form }
        if reading.sample?.state != .rowing { ergs[index].form = nil }
    }

    /// Ends the running minute, if there is one.
    package mutating func end(at now: BootInstant) -> [RoomInsight] {
        guard let begin else { return [] }
        self.begin = nil
        let sums = ergs.map { ($0.id, $0.minute) }
        for index in ergs.indices { ergs[index].minute = ErgStrokeSums() }
        func rollup(_ ergs: (StationID) -> Bool) -> RoomRollup? {
            let included = sums.filter { ergs($0.0) }
            return RoomStatistics(included.compactMap { ErgStatistics($0, $1) }).map { statistics in
                RoomRollup(
                    begin: begin, at: now, strokes: included.reduce(0) { $0 + $1.1.strokes },
                    statistics: statistics)
            }
        }
        let room = rollup { _ in true }.map { RoomInsight.room($0) }
        let crews = crews.compactMap { crew in
            rollup(crew.ergs.contains).map { RoomInsight.crew(CrewRollup(crew: crew, minute: $0)) }
        }
        return (room.map { [$0] } ?? []) + crews
    }

    /// The values at this moment; nil if no erg is being rowed.
    package var room: RoomStatistics? { statistics { _ in true } }

    /// The same for a crew.
    package func statistics(of crew: Crew) -> RoomStatistics? { statistics(of: crew.ergs.contains) }

    private func statistics(of isOne: (StationID) -> Bool) -> RoomStatistics? {
        RoomStatistics(
            ergs.filter { isOne($0.id) }.compactMap { ErgStatistics($0.id, $0.sample, form: $0.form) })
    }
}
