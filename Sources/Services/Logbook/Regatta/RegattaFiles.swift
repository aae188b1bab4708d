import People
import TrainingFiles

/// The results of a regatta as a CSV table: one line for each entry in each heat.
enum RegattaResultsCSV {
    static let columns = [
        "event", "event_place", "round", "heat", "place", "lane", "name", "club", "standing", "reason",
        "result_time_s", "distance_m", "avg_pace_s_per_500m", "avg_power_w", "avg_stroke_rate_spm",
        "verified_against_pm5", "false_starts", "advances", "kind", "members",
    ]

    static func bytes(of regatta: Regatta, _ races: [String: Race]) -> [UInt8] {
        var output: [UInt8] = []
        CommaSeparatedTable.append(columns, to: &output)
        for event in regatta.events {
            let results = RegattaResults(event: event, races: races)
            var places: [String: Int] = [:]
            for line in results.standings { places[line.entry] = line.place }
            for heat in event.heats {
                for line in results.lines(of: heat) {
                    CommaSeparatedTable.append(cells(line, heat, event, places[line.entry]), to: &output)
                }
            }
        }
        return output
    }

    private static func cells(
        _ line: RegattaResults.Line, _ heat: RegattaHeat, _ event: RegattaEvent, _ place: Int?
    ) -> [String] {
        let (entry, result) = (event.entry(line.entry), line.result)
        func text(_ value: Int?) -> String { value.map { "\($0)" } ?? "" }
        let decimal = RaceResultsCSV.decimal
        let safe = RaceResultsCSV.escapedFormula
        return [
            safe(event.name), text(place), heat.isFinal ? "final" : "heat", "\(heat.number)",
            text(line.place), "\(line.lane)", safe(entry?.name ?? ""), safe(entry?.club ?? ""),
            line.status.rawValue, safe(line.reason ?? ""), decimal(result?.centiseconds, 2),
            decimal(result?.decimeters, 1), decimal(result?.paceCentiseconds, 2), decimal(result?.watts, 0),
            decimal(result?.strokeRate, 0), result?.isVerified.map { "\($0)" } ?? "", "\(line.falseStarts)",
            line.advances?.rawValue ?? "", event.kind.name,
            safe(entry?.members.map(\.name).joined(separator: "/") ?? ""),
        ]
    }
}

/// The results of a race in the text format of the Concept2 race programs, version 103.
///
/// The format has no published definition. Its source is a result file of the Venue Race application in the public
/// repository `cjrc/erg`, with the program there that reads such files. It lists finishers only, with times in tenths.
/// The first list has a line for each boat or team, the second one for each erg.
enum ErgRaceResults {
    /// - Parameters:
    ///   - names: The names of athletes whom the gateway did not name.
    ///   - marked: Entries whose result does not count.
    static func bytes(of race: Race, names: AthleteNames, without marked: Set<String>) -> [UInt8] {
        let finishers = boats(of: race, names).filter { boat in
            boat.place != nil && !(boat.entry.map(marked.contains) ?? false)
        }
        var lines = [
            "Race Results", "103", "",
            "Place,Time Rowed,Meters Rowed,Boat/Team Name,Avg. Pace,ID,Bib Number,Class",
        ]
        var details: [String] = []
        var places: [Int] = []
        for (index, boat) in finishers.enumerated() {
            guard let place = boat.place, let result = boat.result else { continue }
            // Places close up behind an entry that does not count.
            let isTie = index > 0 && finishers[index - 1].place == place
            let shown = isTie ? places.last ?? 1 : index + 1
            places.append(shown)
            let (time, meters, pace) = cells(result)
            let padded = String(repeating: " ", count: max(0, 8 - pace.utf8.count)) + pace
            // Readers demand a number; there are no bibs, so it is that of the (first) erg's lane.
            let bib = boat.lanes.first.map { number(of: $0, in: race) } ?? 0
            lines.append("\(shown),\(time),\(meters),\(plain(boat.name)),\(padded),,\(bib),")
            for lane in boat.lanes {
                guard let result = lane.result else { continue }
                let (time, meters, pace) = cells(result)
                let (number, name) = (number(of: lane, in: race), plain(name(of: lane, in: race, names)))
                details.append("\(shown),\(number),\(name),,\(time),\(meters),\(pace),,")
            }
        }
        lines += ["", "Detailed Results", "", "Place,Lane,Rower Name,,Time,Distance,Avg. Pace,ID,Class", ""]
        lines += details
        return Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }

    /// One erg, or a team with its ergs.
    private struct Boat {
        let place: Int?
        let entry: String?
        let name: String
        let result: RaceResult?
        let lanes: [RaceLane]
    }

    private static func boats(of race: Race, _ names: AthleteNames) -> [Boat] {
        guard race.hasTeams else {
            return race.results.map { place, lane in
                Boat(
                    place: place, entry: lane.entry, name: name(of: lane, in: race, names),
                    result: lane.result, lanes: [lane])
            }
        }
        return race.teamResults.map { place, team in
            Boat(
                place: place, entry: team.entry, name: team.name, result: team.result,
                lanes: race.lanes.filter { $0.entry == team.entry })
        }
    }

    private static func number(of lane: RaceLane, in race: Race) -> Int {
        (race.lanes.firstIndex { $0.place == lane.place } ?? 0) + 1
    }

    private static func name(of lane: RaceLane, in race: Race, _ names: AthleteNames) -> String {
        lane.name ?? lane.athlete.flatMap(names.known) ?? "Lane \(number(of: lane, in: race))"
    }

    private static func cells(_ result: RaceResult) -> (time: String, meters: Int64, pace: String) {
        let pace = result.paceCentiseconds.map { time($0, minutes: 1) } ?? ""
        return (time(result.centiseconds, minutes: 2), result.decimeters / 10, pace)
    }

    /// The format has no quotes, so a name has no commas.
    private static func plain(_ name: String) -> String {
        String(name.map { $0 == "," || $0.isNewline ? " " : $0 })
    }

    /// `06:27.4`, rounded to tenths.
    static func time(_ centiseconds: Int64, minutes digits: Int) -> String {
        let tenths = (centiseconds + 5) / 10
        let (minutes, rest) = (tenths / 600, tenths % 600)
        let seconds = rest / 10
        let padded = String(repeating: "0", count: max(0, digits - "\(minutes)".utf8.count)) + "\(minutes)"
        return padded + (seconds < 10 ? ":0" : ":") + "\(seconds).\(rest % 10)"
    }
}
