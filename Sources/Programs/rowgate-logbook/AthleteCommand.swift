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
        commandName: "athlete", abstract: "Manage athletes and their data.",
        subcommands: [
            Add.self, Edit.self, Remove.self, Import.self, Export.self, Assign.self, Heart.self, Merge.self,
            Unmerge.self, Merges.self, Forget.self, Erasures.self,
        ])

    struct Heart: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set an athlete's resting and maximal heart rate, for heart rate zones.",
            discussion: """
                The values replace earlier ones; without values the earlier ones are removed. "training" \
                shows the zones. The logbook may run.

                Exit status: 0, or 2 if the values could not be stored or the athlete is unknown.
                """)

        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var choice: StoreChoice
        @Argument(help: "The athlete's id, as listed by athletes.") var athlete: String
        @Argument(help: "Resting heart rate in beats per minute.") var resting: Int?
        @Argument(help: "Maximal heart rate in beats per minute.") var maximal: Int?

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
            if resting != nil, limits == nil { throw ValidationError(HeartLimitsRepository.rangeMessage) }
        }

        func run() throws {
            try choice.look(configurationOption, for: .editing) { store in
                guard try HeartLimitsRepository.save(limits, of: athlete, in: store) else {
                    throw UnknownAthlete(slug: athlete)
                }
            }
        }
    }

    struct Forget: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget", abstract: "Erase an athlete's records from the store.",
            discussion: """
                Erases all records of the athlete's sessions from the store, and the athlete's id from \
                alerts that they acknowledged, and the athlete's profile, user, devices and tokens, and the same of \
                all ids that were merged into the athlete. Then it rewrites the store, so that its free pages \
                contain no erased data. That needs as much free disk space as the store has; new records wait \
                meanwhile. The logbook may run. Records from before the erasure that gateways send later \
                are not stored. A running logbook sends an erasure request to each gateway as soon as it is \
                connected; "athlete erasures" shows the results. An erasure cannot be undone. It does not \
                include data that has left the store; the output lists what that may be.

                Exit status: 0 done, 2 failed or incomplete: repeat it.
                """)

        @OptionGroup var configurationOption: ConfigurationOption
        @OptionGroup var options: StoreOptions
        @Flag(help: "Confirm; without this option nothing is erased.") var yes = false
        @Argument(help: "The athlete's id.") var athlete: String

        func validate() throws {
            guard AthleteID.isValid(athlete) else {
                throw ValidationError("an athlete id is \(AthleteID.rule), not '\(athlete)'")
            }
            guard yes else {
                throw ValidationError("this cannot be undone; confirm with --yes")
            }
        }

        func run() throws {
            var progress = Progress("sessions")
            let now = SystemRuntime().unixMilliseconds()
            // A running logbook does not read requests for another store.
            let configuration =
                try options.choice.store == nil ? configurationOption.validConfiguration() : nil
            let erasureRequests = configuration?.erasureRequests
            _ = try options.show(
                configurationOption, for: .editing,
                { store in
                    let current = try store.merges.current(of: athlete)
                    if current != athlete { throw ForgetsMerged(id: athlete, current: current) }
                    let mergedIDs = try store.merges.ids(of: athlete)
                    // First, so that the gateways get requests even if the command is interrupted.
                    let gateways = try store.gateways()
                    for id in [athlete] + mergedIDs {
                        if !gateways.isEmpty { try erasureRequests?.add(id, at: gateways, now: now) }
                        // Before the erasure, which rewrites the store. Without an account, a running logbook
                        // does not read the plan again.
                        try IntervalsPlan.removeWithAccount(of: id, in: store)
                        try PlanRepository.removeFromGroups(id, at: now, in: store)
                        if let configuration { try TokenManager.remove(of: id, from: configuration) }
                    }
                    let outcome = try StoreErasure(of: athlete, in: store).run(at: now) {
                        progress.report($0, of: $1)
                    }
                    return ErasureReport(
                        outcome, of: athlete, mergedIDs, gateways: gateways,
                        areRequested: erasureRequests != nil)
                },
                lines: \.lines, json: \.json)
        }
    }

    struct Erasures: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the state of erasure requests to gateways.",
            discussion: """
                Exit status: 0 all are done or there are none, 1 some are pending, 2 nothing could be read.
                """)

        @OptionGroup var configurationOption: ConfigurationOption
        @Flag(help: "Print JSON.") var json = false

        func run() throws {
            let table = try ErasureRequestTable(
                configurationOption.validConfiguration().erasureRequests.orComplain { try $0.read() },
                calendar: configurationOption.calendar())
            if json {
                _ = writeAll((table.json + "\n").utf8, to: STDOUT_FILENO)
            } else {
                StoreOptions.write(table.lines)
            }
            if !table.isDone { throw ExitCode(1) }
        }
    }
}

private struct ForgetsMerged: Error, CustomStringConvertible {
    let id: String
    let current: String
    var description: String {
        "\(id) was merged into \(current); rowgate-logbook athlete forget \(current) erases both, and "
            + "rowgate-logbook athlete unmerge separates them within 30 days"
    }
}

extension ConfigurationOption {
    /// The configuration. If it is not valid, reports the problems and exits.
    fileprivate func validConfiguration() throws -> LogbookConfiguration {
        do {
            let (configuration, problems) = try LogbookConfiguration.read(from: config)
            guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
            return configuration
        } catch {
            StoreChoice.complain("\(error)")
            throw ExitCode(2)
        }
    }
}

extension ErasureRequestFile {
    fileprivate func orComplain<Found>(_ look: (Self) throws -> Found) throws -> Found {
        do { return try look(self) } catch {
            StoreChoice.complain("\(error)")
            throw ExitCode(2)
        }
    }
}
