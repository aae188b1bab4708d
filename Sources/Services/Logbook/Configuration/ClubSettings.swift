import HostRuntime
import Settings
import Timeline
import WebPages

/// Section `[club]`: the name and logo on the pages, and the calendar for days, weeks and seasons.
package struct ClubSettings: Equatable, Sendable {
    private static let maximumNameLength = 60

    /// The name in titles and headers; nil for none.
    let name: String?
    /// An absolute path that ends in `.svg` or `.png`; nil for none.
    private let logoFile: String?
    /// In the club's time zone.
    package let calendar: ClubCalendar
    /// Why days are counted in UTC, if no time zone is set and the machine's zone cannot be used.
    package let calendarWarning: String?

    init(reading section: inout ConfigurationSection, _ zones: TimeZoneDatabase) {
        name = section.optionalText("name")
        if let name, name.count > Self.maximumNameLength {
            section.report(
                "name", "has \(name.count) characters",
                suggestion: "use at most \(Self.maximumNameLength): it is part of each title")
        }
        logoFile = section.optionalText("logo", .absolutePath)
        if let logoFile, Self.format(of: logoFile) == nil {
            section.report(
                "logo", "\"\(logoFile)\" is neither an SVG nor a PNG file",
                suggestion: "use a file that ends in .svg or .png")
        }
        (calendar, calendarWarning) = Self.readCalendar(&section, zones)
    }

    private static func readCalendar(
        _ section: inout ConfigurationSection, _ zones: TimeZoneDatabase
    ) -> (calendar: ClubCalendar, warning: String?) {
        let isSet = section.isSet("time_zone")
        let machine: (calendar: ClubCalendar, warning: String?) =
            isSet ? (.utc, nil) : zones.machine()
        let name = section.text(
            "time_zone", default: machine.calendar.name, origin: .derived(from: "the machine"))
        guard isSet else { return machine }
        do throws(TimeZoneDatabase.Fault) {
            return (try zones.calendar(named: name), nil)
        } catch {
            section.report("time_zone", error.reason, suggestion: error.remedy)
            return machine
        }
    }

    private static func format(of path: String) -> PageClub.Logo.Format? {
        PageClub.Logo.Format.allCases.first { path.lowercased().hasSuffix(".\($0.rawValue)") }
    }

    /// Reads the logo; nil if none is set. Throws if the file cannot be used.
    func logo() throws(ConfigurationFault) -> PageClub.Logo? {
        guard let logoFile, let format = Self.format(of: logoFile) else { return nil }
        let bytes: [UInt8]
        do throws(ConfigurationProblem) { bytes = try ConfigurationFolder.contents(of: logoFile) } catch {
            throw ConfigurationFault("\(logoFile) \(error.reason)", suggestion: error.suggestion)
        }
        let kilobytes = PageClub.Logo.maximumBytes / 1000
        guard bytes.count <= PageClub.Logo.maximumBytes else {
            throw ConfigurationFault(
                "\(logoFile) has \(bytes.count / 1000) kB",
                suggestion: "use a file of at most \(kilobytes) kB: each page loads it")
        }
        guard let logo = PageClub.Logo(bytes, as: format) else {
            throw ConfigurationFault(
                "\(logoFile) is no \(format.rawValue.uppercased()) file", suggestion: "save it in that format"
            )
        }
        return logo
    }
}
