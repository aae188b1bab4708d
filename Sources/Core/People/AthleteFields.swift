import Bytes
import Contract

/// The fields of an athlete: the members of the interface's JSON and the columns of a table.
package enum AthleteField: String, CaseIterable, Sendable {
    case id = "athlete_id"
    case name
    case shortName = "short_name"
    case gender
    case birthYear = "birth_year"
    case weightClass = "weight_class"
    case weight = "weight_kg"
    case power2k = "power_2k_w"
    case power6k = "power_6k_w"
    case beltID = "belt_id"
    case note
    case isArchived = "archived"

    /// The type of the member in JSON.
    fileprivate enum JSONType { case text, number, flag }

    fileprivate var jsonType: JSONType {
        switch self {
        case .id, .name, .shortName, .gender, .weightClass, .beltID, .note: .text
        case .birthYear, .weight, .power2k, .power6k: .number
        case .isArchived: .flag
        }
    }
}

extension AthleteProfile {
    /// Reads an athlete from the texts of its fields; an empty text is no value.
    package init(id: String, _ text: (AthleteField) -> String) throws(PeopleFault) {
        try self.init(id: id, name: text(.name))
        func optional(
            _ field: AthleteField, _ most: Int, hasLines: Bool = false
        ) throws(PeopleFault) -> String? {
            try PeopleText.optional(text(field), most, hasLines: hasLines, field: field.rawValue)
        }
        shortName = try optional(.shortName, Self.maximumShortNameLength)
        beltID = try optional(.beltID, Self.maximumBeltLength)
        note = try optional(.note, Self.maximumNoteLength, hasLines: true)
        gender = try Self.choice(text(.gender), .gender)
        weightClass = try Self.choice(text(.weightClass), .weightClass)
        birthYear = try Self.number(text(.birthYear), in: Self.birthYears, .birthYear)
        power2k = try Self.number(text(.power2k), in: Self.powers, .power2k)
        power6k = try Self.number(text(.power6k), in: Self.powers, .power6k)
        weight = try Self.tenths(text(.weight), in: Self.weights, .weight)
        switch text(.isArchived).lowercased() {
        case "true": isArchived = true
        case "", "false": isArchived = false
        default:
            throw PeopleFault(
                "it must be true or false", "leave it empty for false",
                field: AthleteField.isArchived.rawValue)
        }
    }

    private static func choice<Value: RawRepresentable & CaseIterable>(
        _ text: String, _ field: AthleteField
    ) throws(PeopleFault) -> Value? where Value.RawValue == String {
        if text.isEmpty { return nil }
        if let value = Value(rawValue: text.lowercased()) { return value }
        let values = Value.allCases.map(\.rawValue).joined(separator: ", ")
        throw PeopleFault(
            "\"\(text.prefix(40))\" is not a valid value", "use \(values), or leave it empty",
            field: field.rawValue)
    }

    private static func number(
        _ text: String, in range: ClosedRange<Int>, _ field: AthleteField
    ) throws(PeopleFault) -> Int? {
        if text.isEmpty { return nil }
        if let number = Int(text), range.contains(number) { return number }
        throw PeopleFault(
            "\"\(text.prefix(40))\" is not valid",
            "use a whole number from \(range.lowerBound) to \(range.upperBound), or leave it empty",
            field: field.rawValue)
    }

    /// Reads a number with one decimal. Spreadsheets of some countries write a comma in it.
    private static func tenths(
        _ text: String, in range: ClosedRange<Int>, _ field: AthleteField
    ) throws(PeopleFault) -> Int? {
        if text.isEmpty { return nil }
        let number = Double(String(text.map { $0 == "," ? "." : $0 })).map { ($0 * 10).rounded() }
        if let number, (Double(range.lowerBound)...Double(range.upperBound)).contains(number) {
            return Int(number)
        }
        throw PeopleFault(
            "\"\(text.prefix(40))\" is not valid",
            "use a number from \(range.lowerBound / 10) to \(range.upperBound / 10), or leave it empty",
            field: field.rawValue)
    }

    /// The text of a field; empty without a value.
    package subscript(field: AthleteField) -> String {
        switch field {
        case .id: id
        case .name: name
        case .shortName: shortName ?? ""
        case .gender: gender?.rawValue ?? ""
        case .birthYear: birthYear.map(String.init) ?? ""
        case .weightClass: weightClass?.rawValue ?? ""
        case .weight: weight.map { "\($0 / 10).\($0 % 10)" } ?? ""
        case .power2k: power2k.map(String.init) ?? ""
        case .power6k: power6k.map(String.init) ?? ""
        case .beltID: beltID ?? ""
        case .note: note ?? ""
        case .isArchived: isArchived ? "true" : ""
        }
    }
}

// MARK: JSON, for programs and for the store

extension AthleteProfile {
    /// Writes the members into an open object, except for the id; those without a value are omitted.
    package func writeDetails(into json: inout JSONWriter) {
        json.field("name", name)
        json.field("short_name", shortName)
        json.field("gender", gender?.rawValue)
        json.field("birth_year", birthYear)
        json.field("weight_class", weightClass?.rawValue)
        json.field("weight_kg", weight.map(Int64.init), places: 1)
        json.field("power_2k_w", power2k)
        json.field("power_6k_w", power6k)
        json.field("belt_id", beltID)
        json.field("note", note)
        if isArchived { json.field("archived", true) }
    }

    /// Reads the output of `writeDetails`. Throws if the stored bytes are damaged.
    package init(stored bytes: [UInt8], id: String) throws(PeopleFault) {
        do throws(CommandFault) {
            var fields = CommandFields((try? JSONObject(parsing: bytes)) ?? .empty)
            self = try fields.athlete { _ in id }
            try fields.finish()
        } catch {
            throw PeopleFault("the stored athlete \(id) is damaged (\(error.message))", "save it again")
        }
    }
}

extension AthleteGroup {
    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        json.field("group_id", id)
        json.field("name", name)
        json.field("athletes", members)
    }
}

extension CommandFields {
    /// An athlete from the fields of an object.
    ///
    /// - Parameter id: returns the id for an athlete with this name.
    package mutating func athlete(
        id: (_ name: String) -> String
    ) throws(CommandFault) -> AthleteProfile {
        var texts: [AthleteField: String] = [:]
        for field in AthleteField.allCases where field != .id { texts[field] = try text(of: field) }
        guard let name = texts[.name] else { throw missing("name") }
        do throws(PeopleFault) {
            return try AthleteProfile(id: id(name)) { texts[$0] ?? "" }
        } catch { throw CommandFault(.badValue, "\(error)") }
    }

    private mutating func text(of field: AthleteField) throws(CommandFault) -> String? {
        switch field.jsonType {
        case .text: try text(field.rawValue)
        case .number: try numeral(field.rawValue)
        case .flag: try flag(field.rawValue).map { $0 ? "true" : "false" }
        }
    }

    /// `"name"` of a group and `"athletes"`, or `"add"` and `"remove"`; missing fields keep the values of `current`.
    package mutating func group(
        id: String, replacing current: AthleteGroup?
    ) throws(CommandFault) -> AthleteGroup {
        let name = try text("name")
        let (members, added, removed) = (try ids("athletes"), try ids("add"), try ids("remove"))
        guard let name = name ?? current?.name else { throw missing("name") }
        var all = (members ?? current?.members ?? []) + (added ?? [])
        all.removeAll { removed?.contains($0) ?? false }
        do throws(PeopleFault) {
            return try AthleteGroup(id: id, name: name, members: all)
        } catch { throw CommandFault(.badValue, "\(error)") }
    }

    /// A list of athlete ids; nil if absent.
    private mutating func ids(_ name: String) throws(CommandFault) -> [String]? {
        guard let values = try list(name) else { return nil }
        guard values.count <= AthleteGroup.maximumMembers else {
            throw wrong(name, "must have at most \(AthleteGroup.maximumMembers) athletes")
        }
        var ids: [String] = []
        for value in values {
            guard case .text(let id) = value, AthleteID.isValid(id) else {
                throw wrong(name, "must be a list of athlete ids; use \(AthleteID.rule)")
            }
            ids.append(id)
        }
        return ids
    }
}
