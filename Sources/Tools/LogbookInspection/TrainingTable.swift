import Bests
import Bytes
import CommandLineText
import Timeline
import Training

/// An athlete's training for people and programs.
package struct TrainingTable: Sendable {
    private let athlete: String
    private let training: AthleteTraining
    private let length: TrainingSpan.Length
    private let season: Season?
    private let calendar: ClubCalendar

    /// - Parameters:
    ///   - length: what time in zone was asked by.
    ///   - season: of which it was asked; nil for all.
    ///   - calendar: of the club, whose days are shown to people.
    package init(
        _ training: AthleteTraining, of athlete: String, by length: TrainingSpan.Length,
        in season: Season? = nil, calendar: ClubCalendar
    ) {
        self.calendar = calendar
        (self.training, self.athlete) = (training, athlete)
        (self.length, self.season) = (length, season)
    }

    /// For people.
    package var lines: [StyledLine] {
        let span = season.map { "season \($0.year)" } ?? "all time"
        var lines = [StyledLine("\(athlete), \(span)", .heading)]
        if training.machines.isEmpty { lines.append(StyledLine("nothing was rowed", .faint)) }
        for machine in training.machines {
            lines += [StyledLine(), StyledLine(machine.machine.rawValue, .heading)]
            lines += zones(machine) + heart(machine)
            lines += law(machine) + power(machine) + force(machine)
        }
        lines += load
        return lines
    }

    /// An object, for programs: as the interface tells it, with the athlete's slug.
    package var json: String {
        let bytes = JSONWriter.object { json in
            json.field("athlete_id", athlete)
            json.field("by", length.rawValue)
            json.field("season", season?.year)
            training.write(into: &json)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Zones

    private func zones(_ machine: AthleteTraining.OnMachine) -> [StyledLine] {
        let zones: PowerZones
        switch machine.zones {
        case .success(let found): zones = found
        case .failure(let lack): return [lack.line("zones")]
        }
        let day = calendar.day(of: zones.basis.date).text
        let watts = ReadableFigures.units(zones.watts, "W")
        let head = StyledLine("zones of the 2000 m on \(day), \(watts), a rule of thumb")
        return [head] + table(machine.times, zones, "W")
    }

    private func heart(_ machine: AthleteTraining.OnMachine) -> [StyledLine] {
        let zones: HeartZones
        switch training.heartZones {
        case .success(let found): zones = found
        case .failure(let lack): return [lack.line("heart zones")]
        }
        let day = calendar.day(of: zones.basis.date).text
        let head = StyledLine(
            "heart zones of \(zones.limits.resting) to \(zones.limits.maximal) bpm, given on \(day), "
                + "a rule of thumb")
        return [StyledLine(), head] + table(machine.heartTimes, zones, "bpm")
    }

    private func table(
        _ times: [AthleteTraining.InSpan], _ zones: any TrainingZones, _ unit: String
    ) -> [StyledLine] {
        let names = PowerZone.allCases.prefix(zones.bounds.count + 1).map { zone in
            (title: zone.rawValue.uppercased(), alignment: TextTable.Alignment.trailing)
        }
        var table = TextTable(
            [("FROM", .leading)] + names + [("UNKNOWN", .trailing), ("SESSIONS", .trailing)])
        let bounds = zones.bounds.map { "<\($0) \(unit)" } + [""]
        table.add([StyledLine("")] + bounds.map { StyledLine($0, .faint) } + [nil, nil])
        for one in times {
            let cells = (one.time.centiseconds + [one.time.unknown]).map { time in
                time > 0 ? StyledLine(ReadableFigures.clock(Double(time / 100))) : nil
            }
            table.add(
                [StyledLine(one.span.text)] + cells
                    + [StyledLine("\(one.time.basis.inputs.count)")])
        }
        return table.lines
    }

    // MARK: What results let expect

    private func law(_ machine: AthleteTraining.OnMachine) -> [StyledLine] {
        let law: PaulsLaw
        switch machine.law {
        case .success(let found): law = found
        case .failure(let lack): return [StyledLine(), lack.line("k")]
        }
        let k = "k \(ReadableFigures.tenths(law.k)) s for each doubling, \(law.basis.kind.words)"
        var lines = [StyledLine(), StyledLine(k)]
        if let lack = law.lack { lines.append(lack.line("own k")) }
        guard !machine.predictions.isEmpty else { return lines }
        let perMetres = machine.machine == .bike ? 1000.0 : 500
        var table = TextTable([
            ("EVENT", .leading), ("EXPECTED", .trailing),
            (perMetres == 500 ? "PACE" : "PACE/1000 m", .trailing),
        ])
        for one in machine.predictions {
            let seconds = Double(one.figure.centiseconds) / 100
            let metres = Double(one.figure.decimetres) / 10
            var result = ReadableFigures.time(seconds)
            if case .seconds = one.event { result = ReadableFigures.units(metres, "m") }
            table.add([
                StyledLine(one.event.word), StyledLine(result),
                StyledLine(ReadableFigures.pace(seconds / metres * perMetres)),
            ])
        }
        return lines + table.lines
    }

    private func power(_ machine: AthleteTraining.OnMachine) -> [StyledLine] {
        var lines = [StyledLine()]
        switch machine.critical {
        case .success(let critical):
            lines.append(
                StyledLine(
                    "critical power \(ReadableFigures.units(critical.watts, "W")), "
                        + "W' \(ReadableFigures.tenths(critical.joules / 1000)) kJ, estimated"))
        case .failure(let lack): lines.append(lack.line("critical power"))
        }
        switch machine.curve {
        case .success(let curve):
            let points = [60.0, 240, 1200, 3600].filter(curve.durations.contains).map { seconds in
                "\(Int(seconds / 60)) min "
                    + ReadableFigures.units(curve.watts(for: seconds), "W")
            }
            lines.append(
                StyledLine("power curve " + points.joined(separator: ", ") + ", estimated"))
        case .failure(let lack): lines.append(lack.line("power curve"))
        }
        return lines
    }
}

extension TrainingTable {
    // MARK: Load and force

    private var load: [StyledLine] {
        guard !training.loads.isEmpty else { return [] }
        let head = StyledLine(
            "load: 100 is an hour as hard as can be; it says nothing of injuries", .heading)
        var table = TextTable([
            ("FROM", .leading), ("LOAD", .trailing), ("42 DAYS", .trailing),
            ("7 DAYS", .trailing), ("UNKNOWN", .trailing), ("", .leading),
        ])
        for one in training.loads {
            table.add([
                StyledLine(one.span.text),
                StyledLine(ReadableFigures.tenths(Double(one.tenths) / 10)),
                StyledLine(ReadableFigures.tenths(Double(one.longAverage) / 100)),
                StyledLine(ReadableFigures.tenths(Double(one.shortAverage) / 100)),
                one.unknown > 0 ? StyledLine("\(one.unknown)") : nil,
                one.isLow ? StyledLine("low: of fewer than 42 days", .faint) : StyledLine(),
            ])
        }
        return [StyledLine(), head] + table.lines
    }

    private func force(_ machine: AthleteTraining.OnMachine) -> [StyledLine] {
        guard !machine.force.isEmpty else { return [] }
        var table = TextTable([
            ("FROM", .leading), ("AVG/PEAK", .trailing), ("PEAK AT", .trailing),
            ("SMOOTH", .trailing), ("ALIKE", .trailing), ("CURVES", .trailing),
        ])
        for one in machine.force {
            let shares = [
                one.features.averageToPeak, one.features.peakPosition, one.features.smoothness,
                one.features.similarity,
            ]
            table.add(
                [StyledLine(one.span.text)]
                    + shares.map { StyledLine(ReadableFigures.units($0 * 100, "%")) }
                    + [StyledLine("\(one.features.curves)")])
        }
        return [StyledLine(), StyledLine("force curves, computed")] + table.lines
    }
}

extension FigureKind {
    fileprivate var words: String {
        self == .ruleOfThumb ? "a rule of thumb" : rawValue
    }
}

extension Lack {
    fileprivate func line(_ figure: String) -> StyledLine {
        StyledLine("no \(figure): \(words)", .faint)
    }

    private var words: String {
        let (has, needs) = (Self.plain(has), Self.plain(needs))
        return switch reason {
        case .noAthlete: "nobody was assigned"
        case .noHeartLimits: "no resting and maximal rate was given, see athlete heart"
        case .noRanked2000: "no ranked 2000 m yet"
        case .notOnBike: "there are none for a BikeErg"
        case .tooFewResults: "\(has) of \(needs) ranked results that it takes"
        case .tooNarrow: "the longest took \(has) times the shortest, \(needs) are needed"
        case .poorFit: "the results do not follow such a law"
        case .intervals: "intervals"
        case .broken: "not all of it was heard"
        case .tooShort: "\(has) s long, \(needs) are needed"
        case .noHeartRate: "a heart rate in \(has) % of it, \(needs) are needed"
        case .notSteady: "watts vary by \(has) %, \(needs) at most are steady"
        case .noHourPower: "no ranked result from which 60 min follow"
        case .noPower: "the power of \(has) % of it is known, \(needs) are needed"
        case .tooFewCurves: "\(has) whole force curves, \(needs) are needed"
        case .tooFewStrokes: "\(has) strokes, \(needs) are needed"
        }
    }

    /// Tenths, without those that are nothing.
    private static func plain(_ tenths: Int64?) -> String {
        guard let tenths else { return "?" }
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
