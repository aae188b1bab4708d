import ArgumentParser
import Contract
import HostRuntime
import Logbook
import LogbookInspection
import LogbookStores
import Suggestions
import Timeline

/// What is suggested to an athlete: `rowgate-logbook suggestions`.
struct SuggestionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suggestions",
        abstract: "Show what an athlete may row next and why, and say yes, no or not now.",
        discussion: """
            What is offered follows from the sessions by fixed rules; what was said of it is kept in \
            the store. What is accepted is put on the monitor when its athlete next sits down. All \
            sessions count as those of a rower here.

            Exit status: 0, or 2 when nothing could be read or kept, no session names the athlete, or \
            there is no such suggestion now.
            """,
        subcommands: [List.self, Accept.self, Dismiss.self, Snooze.self],
        defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what is open, with its reasons, and what became of the last ones.")

        @OptionGroup var place: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @OptionGroup var whose: WhoseOption

        func run() throws {
            let book = AthleteBook(in: try place.calendar(options.choice))
            _ = try options.show(
                place,
                { store in
                    SuggestionTable(
                        try SuggestionDesk(book: book).suggestions(
                            to: whose.athlete, in: store, at: SystemClock.unixMilliseconds()),
                        to: whose.athlete, calendar: book.calendar)
                },
                lines: \.lines, json: \.json)
        }
    }

    struct Accept: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make it the athlete's next workout.")

        @OptionGroup var place: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @OptionGroup var whose: WhoseOption
        @OptionGroup var which: WhichOption

        func run() throws { try options.say(.accept, which.id, to: whose.athlete, place) }
    }

    struct Dismiss: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say no: nothing of the kind is suggested for four weeks.")

        @OptionGroup var place: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @OptionGroup var whose: WhoseOption
        @OptionGroup var which: WhichOption
        @Option(help: "Why not, in one line.") var reason: String

        func validate() throws {
            do throws(CommandFault) { _ = try SuggestionAnswer.why(reason) } catch {
                throw ValidationError(error.message)
            }
        }

        func run() throws {
            try options.say(.dismiss(why: reason), which.id, to: whose.athlete, place)
        }
    }

    struct Snooze: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Put it off: it is suggested again from a day on.")

        @OptionGroup var place: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @OptionGroup var whose: WhoseOption
        @OptionGroup var which: WhichOption
        @Option(help: ArgumentHelp("Not before this day, as 2026-12-01.", valueName: "day"))
        var until: String

        /// When the day begins; nil for a day that is over or too far away.
        private func moment(in calendar: ClubCalendar) -> Int64? {
            CalendarDay(until).flatMap { day in
                try? SuggestionAnswer.until(
                    calendar.start(of: day), at: SystemClock.unixMilliseconds())
            }
        }

        func validate() throws {
            // What is wrong with the configuration is reported once the command runs.
            let isNeeded = options.choice.store == nil
            let calendar = (try? place.club(isNeeded: isNeeded).calendar) ?? .utc
            guard moment(in: calendar) == nil else { return }
            throw ValidationError(
                "--until takes a day within the next \(SuggestionAnswer.longestSnoozeDays) days, as "
                    + "2026-12-01, not '\(until)'")
        }

        func run() throws {
            guard let moment = moment(in: try place.calendar(options.choice)) else { return }
            try options.say(.snooze(until: moment), which.id, to: whose.athlete, place)
        }
    }
}

struct WhoseOption: ParsableArguments {
    @Argument(help: "Whose: an id, as athletes lists them.")
    var athlete: String

    func validate() throws {
        guard AthleteID.isValid(athlete) else {
            throw ValidationError("an athlete id is \(AthleteID.rule), not '\(athlete)'")
        }
    }
}

struct WhichOption: ParsableArguments {
    @Argument(help: "Which: its id, as the list shows it.")
    var id: String
}

extension StoreOptions {
    /// Keeps what was said, and shows how things stand then.
    fileprivate func say(
        _ answer: SuggestionAnswer, _ id: String, to athlete: String, _ place: ConfigurationOption
    ) throws {
        let book = AthleteBook(in: try place.calendar(choice))
        _ = try show(
            place, for: .changing,
            { store in
                SuggestionTable(
                    try SuggestionDesk(book: book).take(
                        answer, of: id, to: athlete, by: "rowgate-logbook", in: store,
                        at: SystemClock.unixMilliseconds()),
                    to: athlete, calendar: book.calendar)
            },
            lines: \.lines, json: \.json)
    }
}
