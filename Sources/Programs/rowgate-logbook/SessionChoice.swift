import ArgumentParser
import Bests
import Contract
import LogbookStores
import Timeline

/// The option that selects a season.
struct SeasonChoice: ParsableArguments {
    @Option(help: ArgumentHelp("Of the season that ends in this year.", valueName: "year"))
    var season: Int64?

    func validate() throws {
        if let season, !(1...9999).contains(season) {
            throw ValidationError("--season takes the year in which it ends, not \(season)")
        }
    }

    /// nil for all seasons.
    var value: Season? { season.map { Season(year: $0) } }
}

/// Options that select sessions.
struct SessionChoice: ParsableArguments {
    @Option(help: ArgumentHelp("Only of this gateway.", valueName: "id")) var gateway: String?
    @Option(help: ArgumentHelp("Only of this erg.", valueName: "slug")) var erg: String?
    @Option(help: ArgumentHelp("Only of this athlete.", valueName: "id")) var athlete: String?
    @Option(help: ArgumentHelp("From the start of this day.", valueName: "yyyy-mm-dd"))
    var from: String?
    @Option(help: ArgumentHelp("Until the end of this day.", valueName: "yyyy-mm-dd"))
    var to: String?

    func validate() throws {
        for (option, slug) in [("gateway", gateway), ("erg", erg)] {
            if let slug, !Slug.isValid(slug) {
                throw ValidationError("--\(option) takes 1 to 32 of a-z, 0-9 and -, not '\(slug)'")
            }
        }
        if let athlete, !AthleteID.isValid(athlete) {
            throw ValidationError("--athlete takes \(AthleteID.rule), not '\(athlete)'")
        }
        for (option, day) in [("from", from), ("to", to)] {
            if let day, CalendarDay(day) == nil {
                throw ValidationError("--\(option) takes a day, as 2026-09-05, not '\(day)'")
            }
        }
    }

    /// Whether other conditions than the gateway are used.
    var isRange: Bool { erg != nil || athlete != nil || from != nil || to != nil }

    /// - Parameter calendar: the club's calendar, for days.
    func filter(limit: Int, in calendar: ClubCalendar) -> SessionFilter {
        var filter = SessionFilter(limit: limit)
        filter.gateway = gateway.flatMap { GatewayID($0) }
        filter.station = erg.flatMap { StationID($0) }
        filter.athlete = athlete
        if from != nil || to != nil {
            filter.times = calendar.instants(
                from: from.flatMap(CalendarDay.init), to: to.flatMap(CalendarDay.init))
        }
        return filter
    }
}
