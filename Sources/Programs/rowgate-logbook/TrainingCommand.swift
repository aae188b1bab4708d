import ArgumentParser
import Bests
import Contract
import Logbook
import LogbookInspection
import Training

struct TrainingCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "training",
        abstract: "Show an athlete's zones, time in zones, predicted results and load.",
        discussion: """
            Power zones are shares of the mean power of the best ranked 2000 m: UT2 55 to 65 percent, \
            UT1 to 75, AT to 85, TR to 95, AN to 105. Heart rate zones are shares of the reserve between \
            the resting and the maximal rate, which "athlete heart" sets. Predictions use Paul's law with \
            the athlete's own k, or else 5 s. Load is 100 h (P_n / P_60min)^2, with averages over 42 and 7 \
            days; it does not predict injury. Critical power and power curve need enough results; if a \
            figure is missing, the reason is shown. All sessions count as sessions of rowers.

            Exit status: 0, or 2 if nothing could be read or the athlete is unknown.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var options: StoreOptions
    @Argument(help: "The athlete's id, as listed by athletes.")
    var athlete: String
    @Option(help: "Time in zones by day, week or season.")
    var by = TrainingSpan.Length.week
    @OptionGroup var seasonChoice: SeasonChoice

    func validate() throws {
        guard AthleteID.isValid(athlete) else {
            throw ValidationError("an athlete id is \(AthleteID.rule), not '\(athlete)'")
        }
    }

    func run() throws {
        let history = AthleteHistory(in: try configurationOption.calendar(options.choice))
        _ = try options.show(
            configurationOption,
            { store in
                let (sessions, pieces) = try history.pieces(of: athlete, in: store)
                if sessions.isEmpty { throw UnknownAthlete(slug: athlete) }
                let season = seasonChoice.value
                let heart = try HeartLimitsRepository.limits(of: athlete, in: store)
                return TrainingTable(
                    AthleteTraining(pieces, by: by, in: season, heart: heart), of: athlete, by: by,
                    in: season, calendar: history.calendar)
            },
            lines: \.lines, json: \.json)
    }
}

extension TrainingSpan.Length: ExpressibleByArgument {}
