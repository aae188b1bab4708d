import ArgumentParser
import Contract
import HostRuntime
import Logbook
import LogbookInspection
import LogbookStores
import Suggestions
import Timeline

/// The suggestions to an athlete: `rowgate-logbook suggestions`.
struct SuggestionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suggestions",
        abstract: "Show and answer workout suggestions for an athlete.",
        discussion: """
            Suggestions are computed from the sessions by fixed rules; the answers are stored. An accepted \
            suggestion is set on the monitor at the athlete's next assignment. All sessions count as \
            sessions of rowers.

            Exit status: 0, or 2 if reading or storing failed, the athlete is unknown, or there is no such \
            suggestion now.
            """,
        subcommands: [List.self, Accept.self, Dismiss.self, Snooze.self],
        defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show open suggestions with their reasons, and the results of earlier ones.")

        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @OptionGroup var whose: WhoseOption

        func run() throws {
            let history = AthleteHistory(in: try configurationOption.calendar(options.choice))
            _ = try options.show(
                configurationOption,
                { store in
                    SuggestionTable(
                        try SuggestionService(history: history).suggestions(
                            to: whose.athlete, in: store, at: SystemClock.unixMilliseconds()),
                        to: whose.athlete, names: try PeopleRepository.names(in: store),
                        calendar: history.calendar)
                },
                lines: \.lines, json: \.json)
        }
    }

    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a suggestion the athlete's next workout.")

        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @OptionGroup var whose: WhoseOption
        @OptionGroup var which: WhichOption

        func run() throws { try options.record(.accept, which.id, to: whose.athlete, configurationOption) }
    }

    struct Dismiss: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Dismiss a suggestion: its rule suggests nothing for four weeks.")

        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @OptionGroup var whose: WhoseOption
        @OptionGroup var which: WhichOption
        @Option(help: "The reason, in one line.") var reason: String

        func validate() throws {
            do throws(CommandFault) { _ = try SuggestionAnswer.validatedReason(reason) } catch {
                throw ValidationError(error.message)
            }
        }

        func run() throws {
            try options.record(.dismiss(why: reason), which.id, to: whose.athlete, configurationOption)
        }
    }

    struct Snooze: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Postpone a suggestion to a later day.")

        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @OptionGroup var whose: WhoseOption
        @OptionGroup var which: WhichOption
        @Option(help: ArgumentHelp("The day, such as 2026-12-01.", valueName: "day"))
        var until: String

        /// The start of the day; nil if it is over or too far in the future.
        private func moment(in calendar: ClubCalendar) -> Int64? {
            CalendarDay(until).flatMap { day in
                try? SuggestionAnswer.validatedTime(
                    calendar.start(of: day), at: SystemClock.unixMilliseconds())
            }
        }

        func validate() throws {
            // Configuration errors are reported when the command runs.
            let isNeeded = options.choice.store == nil
            let calendar = (try? configurationOption.club(isNeeded: isNeeded).calendar) ?? .utc
            guard moment(in: calendar) == nil else { return }
            throw ValidationError(
                "--until takes a day within the next \(SuggestionAnswer.maximumSnoozeDays) days, such as "
                    + "2026-12-01, not '\(until)'")
        }

        func run() throws {
            guard let moment = moment(in: try configurationOption.calendar(options.choice)) else { return }
            try options.record(.snooze(until: moment), which.id, to: whose.athlete, configurationOption)
        }
    }
}

struct WhoseOption: ParsableArguments {
    @Argument(help: "The athlete's id, as listed by athletes.")
    var athlete: String

    func validate() throws {
        guard AthleteID.isValid(athlete) else {
            throw ValidationError("an athlete id is \(AthleteID.rule), not '\(athlete)'")
        }
    }
}

struct WhichOption: ParsableArguments {
    @Argument(help: "The suggestion's id, as shown by list.")
    var id: String
}

extension StoreOptions {
    /// Stores a response, and shows the suggestions afterwards.
    fileprivate func record(
        _ answer: SuggestionAnswer, _ id: String, to athlete: String,
        _ configurationOption: ConfigurationOption
    ) throws {
        let history = AthleteHistory(in: try configurationOption.calendar(choice))
        _ = try show(
            configurationOption, for: .editing,
            { store in
                SuggestionTable(
                    try SuggestionService(history: history).apply(
                        answer, to: id, of: athlete, by: "rowgate-logbook", in: store,
                        at: SystemClock.unixMilliseconds()),
                    to: athlete, names: try PeopleRepository.names(in: store), calendar: history.calendar)
            },
            lines: \.lines, json: \.json)
    }
}
