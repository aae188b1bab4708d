import Contract
import Insights
import Rowing
import Settings

/// The athletes of a gateway: from the file that `athletes.roster` names, or from a logbook.
///
/// Only the id leaves the gateway, unless the configuration permits names in `state`.
package struct AthleteRoster: Equatable, Sendable {
    /// An entry of the roster.
    package struct Athlete: Equatable, Sendable {
        /// A pseudonymous athlete id.
        package var id: String
        /// Name for `state`, if names are published.
        package var name: String?
        /// Slug of the default erg.
        package var erg: String?
        /// Alert limits of this athlete.
        package var alerts = AlertSettings()
        /// Power over 2000 m in watts, the base of relative targets.
        package var power2k: Int?
        /// Power over 6000 m, likewise.
        package var power6k: Int?

        var powers: TestPowers { TestPowers(twoK: power2k, sixK: power6k) }
    }

    /// In file order; ids are unique, and so are the ergs.
    package var athletes: [Athlete]

    /// Ids that a command may assign.
    package var ids: Set<String> { Set(athletes.map(\.id)) }

    /// Returns the powers of an athlete over the test distances.
    func powers(of athlete: String) -> TestPowers {
        athletes.first { $0.id == athlete }?.powers ?? TestPowers()
    }

    /// Names by athlete id.
    package var names: [String: String] {
        Dictionary(
            athletes.compactMap { athlete in athlete.name.map { (athlete.id, $0) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// Alert limits by athlete id. Athletes from a logbook have none of their own.
    package var limits: [String: AlertSettings] {
        Dictionary(athletes.map { ($0.id, $0.alerts) }, uniquingKeysWith: { first, _ in first })
    }

    /// Default assignments.
    var assignments: [(station: StationID, athlete: String)] {
        athletes.compactMap { athlete in
            athlete.erg.flatMap { StationID($0) }.map { ($0, athlete.id) }
        }
    }

    /// Reads the file at `path`. Throws all problems at once.
    ///
    /// - Parameter ergs: the existing slugs; nil if every monitor in range is an erg.
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
            let power2k = section.optionalInteger("power_2k_w", in: RosterAthlete.powerRange)
            let power6k = section.optionalInteger("power_6k_w", in: RosterAthlete.powerRange)
            return id.map {
                Athlete(
                    id: $0, name: name, erg: erg, alerts: alerts, power2k: power2k, power6k: power6k)
            }
        }
    }
}
