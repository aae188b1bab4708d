import ArgumentParser
import Glibc
import HostRuntime
import Logbook
import Settings
import Timeline

/// An option of the program and of its subcommands, under the same name in each: it is parsed once.
struct ConfigurationOption: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration file.", valueName: "path"))
    var config = LogbookConfiguration.defaultPath
}

extension ConfigurationOption {
    /// The calendar by which days are counted. Reports on standard error why there is none, and ends the
    /// program.
    ///
    /// - Parameter choice: with a store of its own, a configuration is not needed: without one the days
    ///   are those of the machine's time zone.
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

    /// - Parameter isNeeded: whether a mistake elsewhere in the configuration matters.
    func club(isNeeded: Bool) throws -> (calendar: ClubCalendar, warnings: [String]) {
        if !isNeeded, access(config, F_OK) != 0 {
            let (calendar, warning) = TimeZoneDatabase.system.machine()
            return (calendar, warning.map { [$0] } ?? [])
        }
        let (configuration, problems) = try LogbookConfiguration.read(from: config)
        let matters = problems.filter { isNeeded || $0.key == "club.time_zone" }
        guard matters.isEmpty else { throw InvalidConfiguration(problems: matters) }
        return (
            configuration.calendar,
            (configuration.calendarWarning.map { [$0] } ?? []) + problems.map { "\($0)" }
        )
    }
}
