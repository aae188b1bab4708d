import Contract
import Insights
import Settings

/// Who may sit in the room: the file that `athletes.roster` names.
///
/// The id is all that leaves the gateway; a name is for `state`, and only where the administrator
/// wants it published.
package struct AthleteRoster: Equatable, Sendable {
    /// One line of the roster.
    package struct Athlete: Equatable, Sendable {
        /// An athlete id that says nothing about the person.
        package var id: String
        /// For people: in `state` alone, and only where names are published.
        package var name: String?
        /// The erg where the athlete sits unless a command says otherwise.
        package var erg: String?
        /// The limits that they have of their own.
        package var alerts = AlertSettings()
        /// Watts over 2000 m, of which targets are a share.
        package var power2k: Int?
    }

    /// In file order; ids are unique, and so are the ergs.
    package var athletes: [Athlete]

    /// Whom a command may assign.
    package var ids: Set<String> { Set(athletes.map(\.id)) }

    /// Watts of an athlete over 2000 m; nil where they are not told.
    func power2k(of athlete: String) -> Int? { athletes.first { $0.id == athlete }?.power2k }

    /// By id, of those who have one.
    package var names: [String: String] {
        Dictionary(
            athletes.compactMap { athlete in athlete.name.map { (athlete.id, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// What figures are held against while they sit somewhere, by athlete.
    package var limits: [String: AlertSettings] {
        Dictionary(athletes.map { ($0.id, $0.alerts) }, uniquingKeysWith: { first, _ in first })
    }

    /// Who sits where, of those who have a place.
    var places: [(station: StationID, athlete: String)] {
        athletes.compactMap { athlete in
            athlete.erg.flatMap { StationID($0) }.map { ($0, athlete.id) }
        }
    }

    /// Reads the file at `path`, or says all that is wrong with it.
    ///
    /// - Parameter ergs: the slugs there are; nil when every monitor in range is one.
    package static func load(
        from path: String, ergs: Set<String>?
    ) throws(InvalidConfiguration) -> AthleteRoster {
        let table: ConfigurationTable
        do throws(ConfigurationProblem) {
            let text = try ConfigurationFolder.contents(of: path)
            table = try ConfigurationFile(parsing: text, path: path).table
        } catch {
            throw InvalidConfiguration(problems: [error])
        }
        var reader = ConfigurationReader(table, mainFile: path)
        let athletes = read(&reader, ergs: ergs)
        let problems = reader.problems()
        guard problems.isEmpty else { throw InvalidConfiguration(problems: problems) }
        return AthleteRoster(athletes: athletes)
    }

    private static func read(
        _ reader: inout ConfigurationReader, ergs: Set<String>?
    ) -> [Athlete] {
        var ids: [String: ConfigurationPlace] = [:]
        var places: [String: ConfigurationPlace] = [:]
        return reader.sections("athlete") { section in
            let id = section.requiredText("id", .athlete)
            let name = section.optionalText("name")
            let erg = section.optionalText("erg", .slug)
            var alerts = AlertSettings()
            alerts.readLimits(from: &section, prefix: "alert_")
            if let id { section.reportRepeated("id", id, in: &ids) }
            if let erg {
                section.reportRepeated("erg", erg, in: &places)
                if let ergs, !ergs.contains(erg) {
                    section.report("erg", "\(erg.tomlText) is no [[erg]] of the configuration")
                }
            }
            let power = section.optionalInteger("power_2k_w", in: 30...1000)
            return id.map {
                Athlete(id: $0, name: name, erg: erg, alerts: alerts, power2k: power)
            }
        }
    }
}

extension Configuration {
    /// Names that may stand in `state`, by athlete.
    var publishedNames: [String: String] {
        athletes.publishesNames ? roster?.names ?? [:] : [:]
    }
}
