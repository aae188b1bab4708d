import HostRuntime
import Timeline

extension ClubCalendar {
    /// The calendar of a zone of this machine's time zone database: `America/New_York`.
    package static func of(_ zone: String) throws -> ClubCalendar {
        try TimeZoneDatabase.system.calendar(named: zone)
    }
}
