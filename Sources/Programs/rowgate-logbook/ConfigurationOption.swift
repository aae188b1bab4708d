import ArgumentParser
import Contract
import Glibc
import HostRuntime
import Logbook
import Settings
import Timeline

/// The configuration option of the program and its subcommands. It has the same name in each and is parsed
/// once.
struct ConfigurationOption: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration file.", valueName: "path"))
    var config = LogbookConfiguration.defaultPath
}

extension ConfigurationOption {
    /// The club's calendar. If it cannot be determined, reports the reason on standard error and exits.
    ///
    /// - Parameter choice: with an explicit store the configuration is optional; without one, the machine's
    ///   time zone counts.
    func calendar(_ choice: StoreChoice? = nil) throws -> ClubCalendar {
        do {
            let (calendar, warnings) = try club(isNeeded: choice?.store == nil)
            for warning in warnings { StoreChoice.complain(warning) }
            return calendar
        } catch {
            StoreChoice.complain("\(error)")
            throw ExitCode(2)
        }
    }

    /// The prefix of all topics; the default without a valid configuration.
    var topicPrefix: TopicPrefix {
        (try? LogbookConfiguration.read(from: config))?.0.topicPrefix ?? .standard
    }

    /// - Parameter isNeeded: whether other configuration errors matter.
    func club(isNeeded: Bool) throws -> (calendar: ClubCalendar, warnings: [String]) {
        if !isNeeded, access(config, F_OK) != 0 {
            let (calendar, warning) = TimeZoneDatabase.system.machine()
            return (calendar, warning.map { [$0] } ?? [])
        }
        let (configuration, problems) = try LogbookConfiguration.read(from: config)
        let matters = problems.filter { isNeeded || $0.key == "club.time_zone" }
        guard matters.isEmpty else { throw InvalidConfiguration(problems: matters) }
        return (
            configuration.club.calendar,
            (configuration.club.calendarWarning.map { [$0] } ?? []) + problems.map { "\($0)" }
        )
    }
}
