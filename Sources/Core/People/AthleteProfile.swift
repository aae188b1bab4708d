import Bytes
import Contract

/// A person who rows, as the club describes them. Only the id and the name are required.
package struct AthleteProfile: Equatable, Sendable {
    /// The categories of results lists.
    package enum Gender: String, CaseIterable, Sendable {
        case female, male, other
    }

    /// The weight classes of indoor rowing.
    package enum WeightClass: String, CaseIterable, Sendable {
        case lightweight, heavyweight
    }

    /// Maximum characters of a name. Repeated by `RosterPart.maximumNameBytes` (four bytes each),
    /// openapi.json and the fields of the pages.
    package static let maximumNameLength = 60
    package static let maximumShortNameLength = 20
    package static let maximumNoteLength = 300
    package static let maximumBeltLength = 32
    package static let birthYears = 1900...2100
    /// Tenths of a kilogram.
    package static let weights = 200...2500
    /// Watts.
    package static let powers = RosterAthlete.powerRange

    /// An athlete id of the contract. It does not change once the athlete has a session.
    package let id: String
    /// The name as people write it, in any script.
    package let name: String
    /// A name for narrow places; nil to shorten the name.
    package var shortName: String?
    package var gender: Gender?
    package var birthYear: Int?
    package var weightClass: WeightClass?
    /// Tenths of a kilogram.
    package var weight: Int?
    /// Mean power over 2000 m in watts, the base of relative targets.
    package var power2k: Int?
    /// Mean power over 6000 m in watts, likewise.
    package var power6k: Int?
    /// The name or number of the heart rate belt, as its maker prints it.
    package var beltID: String?
    /// A remark of the coaches. May contain several lines.
    package var note: String?
    /// Archived athletes are in no list of athletes to choose from; their results stay.
    package var isArchived = false

    /// Throws a fault for an invalid id or name.
    package init(id: String, name: String) throws(PeopleFault) {
        guard AthleteID.isValid(id) else {
            throw PeopleFault(
                "\"\(id.prefix(40))\" is not a valid id", "use \(AthleteID.rule)", field: "athlete_id")
        }
        self.id = id
        self.name = try PeopleText.name(name, Self.maximumNameLength, field: "name")
    }
}

/// Why data about a person is invalid: the reason, the field or the place in a file, and a remedy.
package struct PeopleFault: Error, Equatable, CustomStringConvertible {
    package let reason: String
    package let remedy: String
    /// The field of the interface or the column of a table.
    package var field: String?
    /// The line of a file, from 1.
    package var line: Int?

    package init(_ reason: String, _ remedy: String, field: String? = nil, line: Int? = nil) {
        (self.reason, self.remedy, self.field, self.line) = (reason, remedy, field, line)
    }

    /// `line 3 (birth_year): "94" is not a year from 1900 to 2100; write it as 2006`
    package var description: String {
        let place =
            switch (line, field) {
            case (let line?, let field?): "line \(line) (\(field)): "
            case (let line?, nil): "line \(line): "
            case (nil, let field?): "\(field): "
            case (nil, nil): ""
            }
        return "\(place)\(reason); \(remedy)"
    }
}

/// Checks of texts that people write.
enum PeopleText {
    /// Returns a name without surrounding white space. Throws for an empty or long name, and for characters that
    /// change how the text around a name is shown.
    static func name(_ text: String, _ most: Int, field: String) throws(PeopleFault) -> String {
        let name = trimmed(text)
        guard !name.isEmpty else { throw PeopleFault("the name is empty", "write a name", field: field) }
        try check(name, most, hasLines: false, field: field)
        return name
    }

    /// Returns nil for an empty text.
    static func optional(
        _ text: String?, _ most: Int, hasLines: Bool = false, field: String
    ) throws(PeopleFault) -> String? {
        guard let text = text.map(trimmed), !text.isEmpty else { return nil }
        try check(text, most, hasLines: hasLines, field: field)
        return text
    }

    private static func check(
        _ text: String, _ most: Int, hasLines: Bool, field: String
    ) throws(PeopleFault) {
        // A character may have any number of accents.
        guard text.count <= most, text.utf8.count <= 8 * most else {
            throw PeopleFault(
                "it has \(text.count) characters", "use at most \(most)", field: field)
        }
        guard text.unicodeScalars.allSatisfy({ isVisible($0) || hasLines && $0 == "\n" }) else {
            throw PeopleFault(
                "it has a control character",
                hasLines ? "use only text and line breaks" : "use only text, on one line", field: field)
        }
    }

    /// Directional controls would also reverse the text behind the name.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202A...0x202E, 0x2066...0x2069, 0x2028, 0x2029, 0xFEFF: false
        default: scalar.properties.generalCategory != .control
        }
    }

    static func trimmed(_ text: String) -> String {
        let front = text.drop { $0.isWhitespace }
        return String(front.reversed().drop { $0.isWhitespace }.reversed())
    }
}
