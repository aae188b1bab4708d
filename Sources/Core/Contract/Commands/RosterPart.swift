import Bytes

/// A person who may be assigned to ergs, as a logbook sends it.
package struct RosterAthlete: Equatable, Sendable {
    /// In watts.
    package static let powerRange = 30...1000
    /// Of a name in UTF-8: 60 characters of any script.
    static let maximumNameBytes = 240

    package var id: String
    /// Only for a gateway that publishes names.
    package var name: String?
    /// Mean power over 2000 m in watts, 30 to 1000, the base of relative targets; nil if unknown.
    package var power2k: Int?
    /// Mean power over 6000 m, likewise. Only for a gateway that knows it.
    package var power6k: Int?

    package init(id: String, name: String? = nil, power2k: Int? = nil, power6k: Int? = nil) {
        (self.id, self.name, self.power2k, self.power6k) = (id, name, power2k, power6k)
    }

    /// Writes the members of the athlete's object.
    package func write(into json: inout JSONWriter) {
        json.field("athlete_id", id)
        json.field("name", name)
        json.field("power_2k_w", power2k)
        json.field("power_6k_w", power6k)
    }
}

/// Command `roster`: the athletes who may be assigned to the gateway's ergs. A roster that is longer than one
/// command consists of parts with the same revision.
package struct RosterPart: Equatable, Sendable {
    /// A logbook has at most as many athletes.
    package static let maximumAthletes = 2000
    static let maximumParts = 200

    /// A name of the logbook for this content, 1 to 64 visible ASCII characters.
    package var revision: String
    /// The logbook that sends it.
    package var logbook: LogbookID
    /// 1 to `parts`.
    package var part: Int
    package var parts: Int
    package var athletes: [RosterAthlete]

    package init(
        revision: String, logbook: LogbookID, part: Int = 1, of parts: Int = 1,
        athletes: [RosterAthlete]
    ) {
        (self.revision, self.logbook, self.athletes) = (revision, logbook, athletes)
        (self.part, self.parts) = (part, parts)
    }

    /// Reads the fields of the command.
    package init(_ fields: inout CommandFields) throws(CommandFault) {
        guard let revision = try fields.name("revision") else { throw fields.missing("revision") }
        self.revision = revision
        guard let slug = try fields.text("logbook") else { throw fields.missing("logbook") }
        guard let logbook = LogbookID(slug) else {
            throw fields.wrong("logbook", "must be the id of a logbook: 1 to 32 of a-z, 0-9 and -")
        }
        self.logbook = logbook
        parts = try fields.integer("parts", in: 1...Self.maximumParts) ?? 1
        part = try fields.integer("part", in: 1...parts) ?? 1
        guard let values = try fields.list("athletes") else { throw fields.missing("athletes") }
        guard values.count <= Self.maximumAthletes else {
            throw fields.wrong("athletes", "must be at most \(Self.maximumAthletes)")
        }
        athletes = []
        var known: Set<String> = []
        for (index, value) in values.enumerated() {
            let athlete = try Self.athlete(value, at: "athletes[\(index + 1)]")
            guard known.insert(athlete.id).inserted else {
                throw CommandFault(
                    .badValue, "athletes[\(index + 1)].athlete_id \(athlete.id) occurs twice")
            }
            athletes.append(athlete)
        }
    }

    private static func athlete(
        _ value: JSONValue, at path: String
    ) throws(CommandFault) -> RosterAthlete {
        guard case .object(let object) = value else {
            throw CommandFault(.badValue, "\(path) must be an object")
        }
        var fields = CommandFields(object, path: path + ".")
        guard let id = try fields.text("athlete_id") else { throw fields.missing("athlete_id") }
        guard AthleteID.isValid(id) else {
            throw fields.wrong("athlete_id", "must be \(AthleteID.rule)")
        }
        let name = try fields.text("name")
        if let name {
            let isPrintable = name.unicodeScalars.allSatisfy {
                $0.properties.generalCategory != .control
            }
            guard isPrintable, (1...RosterAthlete.maximumNameBytes).contains(name.utf8.count) else {
                throw fields.wrong(
                    "name",
                    "must be 1 to \(RosterAthlete.maximumNameBytes) bytes without control characters")
            }
        }
        let power2k = try fields.integer("power_2k_w", in: RosterAthlete.powerRange)
        let power6k = try fields.integer("power_6k_w", in: RosterAthlete.powerRange)
        try fields.finish()
        return RosterAthlete(id: id, name: name, power2k: power2k, power6k: power6k)
    }

    /// Writes the fields of the command.
    package func write(into json: inout JSONWriter) {
        json.field("revision", revision)
        json.field("logbook", logbook.slug)
        if parts > 1 {
            json.field("part", part)
            json.field("parts", parts)
        }
        json.list("athletes", of: athletes) { $1.write(into: &$0) }
    }
}

/// `roster`: which athletes the gateway allows at its ergs, without saying who they are.
package struct RosterReport: Equatable, Sendable, RetainedBody {
    package static let name = "roster"

    /// Where the athletes come from.
    package enum Source: String, CaseIterable, Sendable {
        /// There is no roster: any athlete id can be assigned.
        case none
        /// A file of the gateway.
        case file
        /// A logbook, by the command `roster`.
        case logbook
    }

    package var source: Source
    /// Number of athletes; nil without a roster, and while none was received.
    package var athletes: Int?
    /// Whether the gateway publishes names, so that a roster must contain them.
    package var publishesNames: Bool
    /// Whether a roster may contain powers over 6000 m. Earlier versions refuse them as unknown fields.
    package var acceptsPower6k: Bool
    /// Revision of the received roster; nil before the first.
    package var revision: String?
    /// The logbook that sent it.
    package var logbook: LogbookID?

    package init(
        source: Source, athletes: Int? = nil, publishesNames: Bool, acceptsPower6k: Bool = true,
        revision: String? = nil, logbook: LogbookID? = nil
    ) {
        (self.source, self.athletes, self.publishesNames) = (source, athletes, publishesNames)
        self.acceptsPower6k = acceptsPower6k
        (self.revision, self.logbook) = (revision, logbook)
    }

    package func write(into json: inout JSONWriter) {
        json.field("source", source.rawValue)
        json.field("athletes", athletes)
        json.field("publish_names", publishesNames)
        json.field("power_6k", acceptsPower6k)
        json.field("revision", revision)
        json.field("logbook", logbook?.slug)
    }

    /// Parses a received message; nil if it has no known source.
    package init?(parsing fields: JSONObject) {
        guard let source = fields.text("source").flatMap(Source.init) else { return nil }
        self.init(
            source: source, athletes: fields.number("athletes").flatMap { Int(exactly: $0) },
            publishesNames: fields["publish_names"] == .flag(true),
            acceptsPower6k: fields["power_6k"] == .flag(true),
            revision: fields.text("revision"),
            logbook: fields.text("logbook").flatMap(LogbookID.init))
    }
}
