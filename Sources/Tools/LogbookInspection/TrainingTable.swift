import Bests
import Bytes
import CommandLineText
import Timeline
import Training

/// An athlete's training, for people and programs.
package struct TrainingTable: Sendable {
    private let athlete: String
    private let training: AthleteTraining
    private let length: TrainingSpan.Length
    private let season: Season?
    private let calendar: ClubCalendar

    /// - Parameters:
    ///   - length: the spans of time in zone.
    ///   - season: only this season; nil for all.
    ///   - calendar: the club's calendar, for days in the output for people.
    package init(
        _ training: AthleteTraining, of athlete: String, by length: TrainingSpan.Length,
        in season: Season? = nil, calendar: ClubCalendar
    ) {
        self.calendar = calendar
        (self.training, self.athlete) = (training, athlete)
        (self.length, self.season) = (length, season)
    }

    /// Output for people.
    package var lines: [StyledLine] {
        let span = season.map { "season \($0.year)" } ?? "all time"
        var lines = [StyledLine("\(athlete), \(span)", .heading)]
        if training.machines.isEmpty { lines.append(StyledLine("no sessions", .faint)) }
        for machine in training.machines {
            lines += [StyledLine(), StyledLine(machine.machine.rawValue, .heading)]
            lines += zones(machine) + heart(machine)
            lines += law(machine) + power(machine) + force(machine)
        }
        lines += load
        return lines
    }

    /// JSON object for programs, as in the HTTP interface, with the athlete's slug.
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
        case .failure(let reason): return [reason.line("zones")]
        }
        let day = calendar.day(of: zones.basis.date).text
        let watts = ValueFormatter.units(zones.watts, "W")
        let head = StyledLine("zones from the 2000 m on \(day), \(watts), rule of thumb")
        return [head] + table(machine.times, zones, "W")
    }

    private func heart(_ machine: AthleteTraining.OnMachine) -> [StyledLine] {
        let zones: HeartZones
        switch training.heartZones {
        case .success(let found): zones = found
        case .failure(let reason): return [reason.line("heart rate zones")]
        }
        let day = calendar.day(of: zones.basis.date).text
        let head = StyledLine(
            "heart rate zones from \(zones.limits.resting) to \(zones.limits.maximal) bpm, "
                + "entered on \(day), rule of thumb")
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
                time > 0 ? StyledLine(ValueFormatter.clock(Double(time / 100))) : nil
            }
            table.add(
                [StyledLine(one.span.text)] + cells
                    + [StyledLine("\(one.time.basis.inputs.count)")])
        }
        return table.lines
    }

    // MARK: Predicted results

    private func law(_ machine: AthleteTraining.OnMachine) -> [StyledLine] {
        let law: PaulsLaw
        switch machine.law {
        case .success(let found): law = found
        case .failure(let reason): return [StyledLine(), reason.line("k")]
        }
        let k = "k \(ValueFormatter.tenths(law.k)) s per doubled distance, \(law.basis.kind.words)"
        var lines = [StyledLine(), StyledLine(k)]
        if let reason = law.missingFit { lines.append(reason.line("own k")) }
        guard !machine.predictions.isEmpty else { return lines }
        let paceMeters = machine.machine.paceMeters
        var table = TextTable([
            ("EVENT", .leading), ("PREDICTED", .trailing),
            (paceMeters == 500 ? "PACE" : "PACE/\(paceMeters) m", .trailing),
        ])
        for one in machine.predictions {
            let seconds = Double(one.figure.centiseconds) / 100
            let metres = Double(one.figure.decimetres) / 10
            var result = ValueFormatter.time(seconds)
            if case .seconds = one.event { result = ValueFormatter.units(metres, "m") }
            table.add([
                StyledLine(one.event.wireName), StyledLine(result),
                StyledLine(ValueFormatter.pace(seconds / metres * Double(paceMeters))),
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
                    "critical power \(ValueFormatter.units(critical.watts, "W")), "
                        + "W' \(ValueFormatter.tenths(critical.joules / 1000)) kJ, estimated"))
        case .failure(let reason): lines.append(reason.line("critical power"))
        }
        switch machine.curve {
        case .success(let curve):
            let points = [60.0, 240, 1200, 3600].filter(curve.durations.contains).map { seconds in
                "\(Int(seconds / 60)) min "
                    + ValueFormatter.units(curve.watts(for: seconds), "W")
            }
            lines.append(
                StyledLine("power curve " + points.joined(separator: ", ") + ", estimated"))
        case .failure(let reason): lines.append(reason.line("power curve"))
        }
        return lines
    }
}

extension TrainingTable {
    // MARK: Load and force

    private var load: [StyledLine] {
        guard !training.loads.isEmpty else { return [] }
        let head = StyledLine(
            "load: 100 is an hour at hour power; it does not predict injury", .heading)
        var table = TextTable([
            ("FROM", .leading), ("LOAD", .trailing), ("42 DAYS", .trailing),
            ("7 DAYS", .trailing), ("UNKNOWN", .trailing), ("", .leading),
        ])
        for one in training.loads {
            table.add([
                StyledLine(one.span.text),
                StyledLine(ValueFormatter.tenths(Double(one.tenths) / 10)),
                StyledLine(ValueFormatter.tenths(Double(one.longAverage) / 100)),
                StyledLine(ValueFormatter.tenths(Double(one.shortAverage) / 100)),
                one.unknown > 0 ? StyledLine("\(one.unknown)") : nil,
                one.isLow ? StyledLine("low: fewer than 42 days of data", .faint) : StyledLine(),
            ])
        }
        return [StyledLine(), head] + table.lines
    }

    private func force(_ machine: AthleteTraining.OnMachine) -> [StyledLine] {
        guard !machine.force.isEmpty else { return [] }
        var table = TextTable([
            ("FROM", .leading), ("AVG/PEAK", .trailing), ("PEAK AT", .trailing),
            ("SMOOTHNESS", .trailing), ("CONSISTENCY", .trailing), ("CURVES", .trailing),
        ])
        for one in machine.force {
            let shares = [
                one.features.averageToPeak, one.features.peakPosition, one.features.smoothness,
                one.features.similarity,
            ]
            table.add(
                [StyledLine(one.span.text)]
                    + shares.map { StyledLine(ValueFormatter.units($0 * 100, "%")) }
                    + [StyledLine("\(one.features.curves)")])
        }
        return [StyledLine(), StyledLine("force curves, computed")] + table.lines
    }
}

extension FigureKind {
    fileprivate var words: String {
        self == .ruleOfThumb ? "rule of thumb" : rawValue
    }
}

extension MissingReason {
    fileprivate func line(_ figure: String) -> StyledLine {
        StyledLine("no \(figure): \(words)", .faint)
    }

    private var words: String {
        let (has, needs) = (Self.plain(has), Self.plain(needs))
        return switch kind {
        case .noAthlete: "no athlete assigned"
        case .noHeartLimits: "enter resting and maximal heart rate with athlete heart"
        case .noRanked2000: "no ranked 2000 m yet"
        case .notOnBike: "not defined for a BikeErg"
        case .tooFewResults: "\(has) of \(needs) required ranked results"
        case .tooNarrow: "the longest result takes \(has) times the shortest, needs \(needs)"
        case .poorFit: "the model does not fit the results"
        case .intervals: "intervals"
        case .broken: "gap in the data"
        case .tooShort: "\(has) s long, needs \(needs)"
        case .noHeartRate: "heart rate known for \(has) %, needs \(needs)"
        case .notSteady: "power varies by \(has) %, at most \(needs)"
        case .noHourPower: "no ranked result that predicts 60 min"
        case .noPower: "power known for \(has) %, needs \(needs)"
        case .tooFewCurves: "\(has) complete force curves, needs \(needs)"
        case .tooFewStrokes: "\(has) strokes, needs \(needs)"
        }
    }

    /// Formats tenths, without a trailing `.0`.
    private static func plain(_ tenths: Int64?) -> String {
        guard let tenths else { return "?" }
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
