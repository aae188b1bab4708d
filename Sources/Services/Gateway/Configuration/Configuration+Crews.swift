import Contract
import Insights
import Settings

/// Reads the `[[crew]]` sections.
extension Configuration {
    /// - Parameter ergs: the existing slugs; nil if others may appear.
    static func readCrews(_ reader: inout ConfigurationReader, ergs: [String]?) -> [Crew] {
        var names: [String: ConfigurationPlace] = [:]
        // An unreadable [[erg]] is reported once, and not again for its crew.
        let ergs = ergs?.count == reader.count(of: "erg") ? ergs : nil
        return reader.sections("crew") { section in
            let name = section.requiredText("name", .crewName)
            let slugs = section.requiredTexts("ergs", .ergSlug, count: 1...CrewID.maximumMembers)
            if let name { section.reportRepeated("name", name, in: &names) }
            if let ergs, let unknown = slugs?.first(where: { !ergs.contains($0) }) {
                let near = Spelling.nearest(to: unknown, among: ergs)
                section.report(
                    "ergs", "\(unknown.tomlText) is the slug of no [[erg]]",
                    suggestion: near.map { "did you mean \($0.tomlText)?" })
            }
            return name.flatMap { CrewID($0) }.flatMap { id in
                slugs.flatMap { Crew(id, $0.compactMap { StationID($0) }) }
            }
        }
    }
}
