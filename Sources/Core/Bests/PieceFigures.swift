import Timeline

/// What a session comes to, whatever became of others: small, where its strokes are many.
package struct PieceFigures: Equatable, Sendable {
    package let name: PieceName
    package var machine: MachineKind
    /// Whether its records name the machine.
    package let isMachineRecorded: Bool
    /// Unix milliseconds.
    package let startedAt: Int64
    /// The day of the club on which it began, which is the day that it counts for.
    package let startedOn: CalendarDay
    /// Of all of it.
    package let total: RowedPoint
    package let strokes: Int
    /// Of the strokes whose power and time are known: hundredths of a joule, and of a second.
    package let work: Int64
    package let powered: Int64
    /// The event that it was set to, as a single piece.
    package let preset: RankedEvent?
    /// Why that is no ranked result; empty where it is one.
    package var faults: [RankingFault]
    /// The best windows within it, of the events that it is long enough for.
    package let efforts: [RankedEvent: EffortWindow]
    /// What it was made of.
    package let madeOf: PieceParts

    /// - Parameter calendar: of the club.
    package init(_ piece: RowedPiece, in calendar: ClubCalendar) {
        name = piece.name
        machine = piece.machine
        isMachineRecorded = piece.isMachineRecorded
        startedAt = piece.startedAt
        startedOn = calendar.day(of: piece.startedAt)
        total = piece.total
        strokes = piece.strokes
        madeOf = piece.madeOf
        var (work, powered) = (Int64(0), Int64(0))
        for stroke in piece.rowed {
            guard let watts = stroke.watts, let long = stroke.centiseconds else { continue }
            work += Int64(watts) * long
            powered += long
        }
        (self.work, self.powered) = (work, powered)
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

    /// The season that it counts for.
    package var season: Season { Season(of: startedOn) }

    /// The event of which it is a ranked result.
    package var rankedEvent: RankedEvent? { faults.isEmpty ? preset : nil }

    /// The result of an event, as the monitor measured it.
    func ranked(over event: RankedEvent) -> RowedFigure? {
        guard rankedEvent == event else { return nil }
        return RowedFigure(
            kind: .measured, formula: "result of the \(event.word) piece, as the monitor tells it",
            centiseconds: total.centiseconds, decimetres: total.decimetres, inputs: [name],
            date: startedAt)
    }

    /// The best window within it. A ranked result is no effort of the same event as well.
    func effort(over event: RankedEvent) -> RowedFigure? {
        guard rankedEvent != event, let window = efforts[event] else { return nil }
        return RowedFigure(
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
