import Bests
import Contract
import LogbookStores
import Plans
import Timeline
import TrainingFiles
import WebServer

/// The query parameters of a request. Unknown, repeated and invalid parameters are errors.
struct QueryParameters {
    /// The allowed values of `limit`.
    static let limits = 1...1000
    static let defaultLimit = 100

    private var values: [Endpoint.Parameter: String] = [:]
    private let calendar: ClubCalendar

    /// Throws if a parameter is repeated or is not one of the endpoint.
    ///
    /// - Parameter calendar: the club's calendar, for days.
    init(
        _ query: [WebParameter], of endpoint: Endpoint, in calendar: ClubCalendar
    ) throws(InterfaceFault) {
        self.calendar = calendar
        for item in query {
            guard let parameter = Endpoint.Parameter(rawValue: item.name),
                endpoint.parameters.contains(parameter)
            else {
                let names = endpoint.parameters.map(\.rawValue).joined(separator: ", ")
                throw InterfaceFault(
                    400, "unknown_parameter",
                    "unknown parameter \"\(item.name.prefix(40))\"; allowed here: "
                        + (names.isEmpty ? "none" : names))
            }
            guard values.updateValue(item.value, forKey: parameter) == nil else {
                throw Self.fault(parameter, "is repeated; send it once")
            }
        }
    }

    // MARK: Lists

    func limit() throws(InterfaceFault) -> Int {
        guard let text = values[.limit] else { return Self.defaultLimit }
        guard let limit = Int(text), String(limit) == text, Self.limits.contains(limit) else {
            throw invalidValue(
                .limit, "a number from \(Self.limits.lowerBound) to \(Self.limits.upperBound)")
        }
        return limit
    }

    /// Returns the cursor; nil for the start of the list.
    func cursor<Cursor: PageCursor>(_ type: Cursor.Type) throws(InterfaceFault) -> Cursor? {
        guard let text = values[.cursor] else { return nil }
        guard let cursor = Cursor(encoded: text) else {
            throw invalidValue(
                .cursor, "the value of \"next\" in the previous page of the same list")
        }
        return cursor
    }

    func sessionFilter() throws(InterfaceFault) -> SessionFilter {
        var filter = try sessionConditions()
        filter.after = try cursor(SessionCursor.self)
        return filter
    }

    /// Returns a filter for the whole list, without a cursor.
    func sessionConditions() throws(InterfaceFault) -> SessionFilter {
        var filter = SessionFilter(limit: try limit())
        filter.gateway = try gateway()
        filter.station = try value(.erg, Self.slug, StationID.init)
        filter.athlete = try athlete()
        filter.hasNoAthlete =
            try value(.unassigned, "true or false") { ["true": true, "false": false][$0] } ?? false
        filter.states = try enumeration(.state, SessionState.self).map { [$0] }
        let day = "a day such as 2026-09-05"
        let (from, to) = (
            try value(.from, day, CalendarDay.init), try value(.to, day, CalendarDay.init)
        )
        if from != nil || to != nil { filter.times = calendar.instants(from: from, to: to) }
        return filter
    }

    /// Returns nil for all gateways.
    func gateway() throws(InterfaceFault) -> GatewayID? {
        try value(.gateway, Self.slug, GatewayID.init)
    }

    /// Whether a live stream has all ergs; false for those on the wall.
    func hasAllErgs() throws(InterfaceFault) -> Bool {
        try value(.ergs, "all") { $0 == "all" ? true : nil } ?? false
    }

    /// Returns the address of this server that the browser uses.
    func address() throws(InterfaceFault) -> String? {
        try value(.address, "the address of this server, such as http://boathouse:8080") {
            PageAddress.isValid($0) ? $0 : nil
        }
    }

    // MARK: Pieces

    /// Returns nil for all workouts.
    func workout() throws(InterfaceFault) -> String? {
        try value(.workout, "a workout in notation, such as 8x500m/1:00r") { text in
            GroupWorkout.isNotation(text) ? text : nil
        }
    }

    /// Returns the id of a group; nil for all athletes.
    func group() throws(InterfaceFault) -> String? {
        try value(.group, Self.slug) { Slug.isValid($0) ? $0 : nil }
    }

    // MARK: Athletes

    func athlete() throws(InterfaceFault) -> String? {
        try value(.athlete, AthleteID.rule) { AthleteID.isValid($0) ? $0 : nil }
    }

    /// Returns the length of the spans into which the response divides time.
    func spanLength() throws(InterfaceFault) -> TrainingSpan.Length {
        try enumeration(.length, TrainingSpan.Length.self) ?? .week
    }

    /// Returns nil for all seasons.
    func season() throws(InterfaceFault) -> Season? {
        try value(.season, "the year in which the season ends, such as 2027") { text in
            Int64(text).flatMap { String($0) == text && (1...9999).contains($0) ? $0 : nil }
        }
        .map { Season(year: $0) }
    }

    // MARK: Files

    func format() throws(InterfaceFault) -> SessionFileFormat {
        try format(SessionFileFormat.self)
    }

    /// Returns the format of a file that can contain several sessions.
    func multiSessionFormat() throws(InterfaceFault) -> SessionFileFormat {
        let format = try format()
        guard format.holdsSeveral else {
            throw Self.fault(.format, "is for single sessions; export each session separately")
        }
        return format
    }

    func planFormat() throws(InterfaceFault) -> PlanFormat { try format(PlanFormat.self) }

    func pieceFormat() throws(InterfaceFault) -> PieceFormat { try format(PieceFormat.self) }

    private func format<Format: RawRepresentable & CaseIterable>(
        _ type: Format.Type
    ) throws(InterfaceFault) -> Format where Format.RawValue == String {
        if let format = try enumeration(.format, type) { return format }
        let formats = Format.allCases.map(\.rawValue).joined(separator: ", ")
        throw Self.fault(.format, "is missing; it must be one of \(formats)")
    }

    /// Returns the kind of records in a CSV table.
    func tableKind() throws(InterfaceFault) -> StreamKind {
        let kinds = StreamKind.ofStation.map(\.topicName).joined(separator: ", ")
        let kind = try value(.kind, "one of \(kinds)") { name in
            StreamKind(topicName: name).flatMap { $0.isGatewayOnly ? nil : $0 }
        }
        return kind ?? .stroke
    }

    // MARK: One value

    private static let slug = "1 to 32 of a-z, 0-9 and -"

    private func enumeration<Value: RawRepresentable & CaseIterable>(
        _ parameter: Endpoint.Parameter, _ type: Value.Type
    ) throws(InterfaceFault) -> Value? where Value.RawValue == String {
        let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
        return try value(parameter, "one of \(names)") { Value(rawValue: $0) }
    }

    /// - Parameter allowed: the allowed values, for the error message.
    private func value<Value>(
        _ parameter: Endpoint.Parameter, _ allowed: String, _ read: (String) -> Value?
    ) throws(InterfaceFault) -> Value? {
        guard let text = values[parameter] else { return nil }
        guard let value = read(text) else { throw invalidValue(parameter, allowed) }
        return value
    }

    private func invalidValue(_ parameter: Endpoint.Parameter, _ allowed: String) -> InterfaceFault {
        Self.fault(
            parameter, "is \"\((values[parameter] ?? "").prefix(40))\"; it must be \(allowed)")
    }

    private static func fault(_ parameter: Endpoint.Parameter, _ problem: String) -> InterfaceFault {
        InterfaceFault(400, "bad_parameter", "the parameter \(parameter.rawValue) \(problem)")
    }
}
