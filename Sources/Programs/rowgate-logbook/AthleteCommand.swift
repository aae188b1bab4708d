import ArgumentParser
import CommandLineText
import Contract
import Glibc
import HostRuntime
import Logbook
import LogbookInspection
import LogbookStores
import Settings
import Training

struct AthleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "athlete", abstract: "Athletes, and what is kept of them.",
        subcommands: [Heart.self, Forget.self, Erasures.self])

    struct Heart: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give an athlete's resting and maximal heart rate, for heart zones.",
            discussion: """
                They replace what was given before; without them that is taken out. "training" shows the \
                zones. The logbook may run.

                Exit status: 0, or 2 when nothing could be kept or no session names the athlete.
                """)

        @OptionGroup var place: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: "Whose: an id, as athletes lists them.") var athlete: String
        @Argument(help: "Beats a minute at rest.") var resting: Int?
        @Argument(help: "Beats a minute at most.") var maximal: Int?

        private var limits: HeartLimits? {
            guard let resting, let maximal else { return nil }
            return HeartLimits(
                resting: resting, maximal: maximal,
                givenAt: SystemRuntime().unixMilliseconds())
        }

        func validate() throws {
            guard AthleteID.isValid(athlete) else {
                throw ValidationError("an athlete id is \(AthleteID.rule), not '\(athlete)'")
            }
            if resting != nil, limits == nil { throw ValidationError(HeartShelf.rule) }
        }

        func run() throws {
            try choice.look(place, for: .changing) { store in
                guard try HeartShelf.put(limits, of: athlete, in: store) else {
                    throw UnknownAthlete(slug: athlete)
                }
            }
        }
    }

    struct Forget: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget", abstract: "Erase an athlete's records from the store.",
            discussion: """
                Erases every record with the athlete's id, and what belongs to their sessions, from the \
                store, and the id wherever they have acknowledged another's alert; then the store is \
                written anew, so that nothing is left between what stays. That takes as much room again, \
                and what is heard meanwhile waits. The logbook may run. What gateways send of them \
                later, of before now, is not stored. Each gateway is asked to do the same, by a logbook \
                that runs, as soon as both are there; "athlete erasures" says what came of it. It cannot \
                be undone, and it does not reach what has left the store; what that may be is printed.

                Exit status: 0 done, 2 it could not be done, or not to its end: do it again.
                """)

        @OptionGroup var place: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @Flag(help: "Do it; without this nothing is erased.") var yes = false
        @Argument(help: "The athlete's id.") var athlete: String

        func validate() throws {
            guard AthleteID.isValid(athlete) else {
                throw ValidationError("an athlete id is \(AthleteID.rule), not '\(athlete)'")
            }
            guard yes else {
                throw ValidationError("this cannot be undone; say --yes if you mean it")
            }
        }

        func run() throws {
            var progress = Progress("sessions")
            let now = SystemRuntime().unixMilliseconds()
            // Another store is none that a logbook listens for.
            let errands = try options.choice.store == nil ? place.errands() : nil
            _ = try options.show(
                place, for: .changing,
                { store in
                    // First, since whoever ends this command early has asked all the same.
                    let gateways = try store.gateways()
                    if !gateways.isEmpty { try errands?.add(athlete, at: gateways, now: now) }
                    // Before the rest, since erasing writes the store anew.
                    try PlanShelf.forget(athlete, at: now, in: store)
                    let outcome = try StoreErasure(of: athlete, in: store).run(at: now) {
                        progress.tell($0, of: $1)
                    }
                    return ErasureReport(
                        outcome, of: athlete, gateways: gateways, areAsked: errands != nil)
                },
                lines: \.lines, json: \.json)
        }
    }

    struct Erasures: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say which gateways have forgotten whom the logbook forgot.",
            discussion: """
                Exit status: 0 all have, or nobody was to be forgotten, 1 some have not yet, 2 nothing could \
                be read.
                """)

        @OptionGroup var place: ConfigurationOption
        @Flag(help: "Print JSON, for programs.") var json = false

        func run() throws {
            let table = try ErrandTable(
                place.errands().orComplain { try $0.read() }, calendar: place.calendar())
            if json {
                _ = writeAll((table.json + "\n").utf8, to: STDOUT_FILENO)
            } else {
                StoreOptions.write(table.lines)
            }
            if !table.isDone { throw ExitCode(1) }
        }
    }
}

extension ConfigurationOption {
    /// What gateways are asked to forget.
    fileprivate func errands() throws -> ErrandFile {
        do {
            let (configuration, problems) = try LogbookConfiguration.read(from: config)
            guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
            return configuration.errands
        } catch {
            StoreChoice.complain("\(error)")
            throw ExitCode(2)
        }
    }
}

extension ErrandFile {
    fileprivate func orComplain<Found>(_ look: (Self) throws -> Found) throws -> Found {
        do { return try look(self) } catch {
            StoreChoice.complain("\(error)")
            throw ExitCode(2)
        }
    }
}
