import ArgumentParser
import CommandLineText
import Contract
import HostRuntime
import Logbook
import LogbookInspection
import LogbookStores

struct AthleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "athlete", abstract: "Athletes, and what is kept of them.",
        subcommands: [Forget.self])

    struct Forget: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget", abstract: "Erase an athlete's records from the store.",
            discussion: """
                Erases every record with the athlete's id, and what belongs to their sessions, from the \
                store, and the id wherever they have acknowledged another's alert; then the store is \
                written anew, so that nothing is left between what stays. That takes as much room again, \
                and what is heard meanwhile waits. The logbook may run. What gateways send of them \
                later, of before now, is not stored. It cannot be undone, and it does not reach what has \
                left the store, the gateways first of all; what that may be is printed.

                Exit status: 0 done, 2 it could not be done, or not to its end: do it again.
                """)

        @OptionGroup var place: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @Flag(help: "Do it; without this nothing is erased.") var yes = false
        @Argument(help: "The athlete's id.") var athlete: String

        func validate() throws {
            guard Slug.isValid(athlete) else {
                throw ValidationError("an athlete is 1 to 32 of a-z, 0-9 and -, not '\(athlete)'")
            }
            guard yes else {
                throw ValidationError("this cannot be undone; say --yes if you mean it")
            }
        }

        func run() throws {
            var progress = Progress("sessions")
            let now = SystemRuntime().unixMilliseconds()
            _ = try options.show(
                place, for: .changing,
                { store in
                    // First, since erasing writes the store anew.
                    try PlanShelf.forget(athlete, at: now, in: store)
                    let outcome = try StoreErasure(of: athlete, in: store).run(at: now) {
                        progress.tell($0, of: $1)
                    }
                    return ErasureReport(outcome, of: athlete)
                },
                lines: \.lines, json: \.json)
        }
    }
}
