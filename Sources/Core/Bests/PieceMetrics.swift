import Timeline

/// The metrics of one session, independent of other sessions. They are small; the strokes are many.
package struct PieceMetrics: Equatable, Sendable {
    package let name: PieceName
    package var machine: MachineKind
    /// Whether its records name the machine.
    package internal(set) var isMachineRecorded: Bool
    /// Start, in Unix milliseconds.
    package internal(set) var startedAt: Int64
    /// The club's day on which it began; it counts for this day.
    package internal(set) var startedOn: CalendarDay
    /// Work time and distance of the whole session.
    package internal(set) var total: WorkPoint
    package internal(set) var strokeCount: Int
    /// Sums over the strokes whose power and time are known: hundredths of a joule, and hundredths of a
    /// second.
    package internal(set) var work: Int64
    package internal(set) var poweredCentiseconds: Int64
    /// The event that the session was set to, if it was a single piece.
    package internal(set) var preset: RankedEvent?
    /// Why it is not a ranked result of `preset`; empty if it is one.
    package var faults: [RankingFault]
    /// The best window for each event that fits into the session.
    package internal(set) var efforts: [RankedEvent: EffortWindow]
    /// How the session was divided.
    package internal(set) var structure: PieceStructure

    /// - Parameter calendar: the club's calendar.
    package init(_ piece: RecordedPiece, in calendar: ClubCalendar) {
        name = piece.name
        machine = piece.machine
        isMachineRecorded = piece.isMachineRecorded
        startedAt = piece.startedAt
        startedOn = calendar.day(of: piece.startedAt)
        total = piece.total
        strokeCount = piece.strokeCount
        structure = piece.structure
        var (work, powered) = (Int64(0), Int64(0))
        for stroke in piece.strokes {
            guard let watts = stroke.watts, let duration = stroke.centiseconds else { continue }
            work += Int64(watts) * duration
            powered += duration
        }
        (self.work, self.poweredCentiseconds) = (work, powered)
        preset = piece.preset
        faults = piece.preset == nil ? [] : piece.rankingFaults
        var efforts: [RankedEvent: EffortWindow] = [:]
        for event in RankedEvent.all {
            for window in piece.runs.compactMap({ EffortWindow(event, in: $0) })
            where efforts[event].map({ window.isBetter(than: $0) }) ?? true {
                efforts[event] = window
            }
        }
        self.efforts = efforts
    }

    /// Sets the machine of a session whose records do not name it.
    package mutating func assume(_ kind: MachineKind?) {
        if let kind, !isMachineRecorded { machine = kind }
    }

    /// The season that the session counts for.
    package var season: Season { Season(of: startedOn) }

    /// The event that it is a ranked result of.
    package var rankedEvent: RankedEvent? { faults.isEmpty ? preset : nil }

    /// The result of an event as the monitor measured it.
    package func ranked(over event: RankedEvent) -> EventResult? {
        guard rankedEvent == event else { return nil }
        return EventResult(ranked: event, of: name, total: total, startedAt: startedAt)
    }

    /// The best window within the session. A ranked result does not also count as an effort of the same
    /// event.
    func effort(over event: RankedEvent) -> EventResult? {
        guard rankedEvent != event, let window = efforts[event] else { return nil }
        return EventResult(
            kind: .computed, formula: event.windowFormula, centiseconds: window.centiseconds,
            decimetres: window.decimetres, from: window.from, inputs: [name], date: startedAt)
    }
}

extension RankedEvent {
    fileprivate var windowFormula: String {
        switch self {
        case .metres(let metres):
            "least t(d + \(metres) m) - t(d) over all d, distance linear within a stroke"
        case .seconds(let seconds):
            "most d(t + \(seconds) s) - d(t) over all t, distance linear within a stroke"
        }
    }
}
